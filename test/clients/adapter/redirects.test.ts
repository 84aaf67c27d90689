/** Redirects are not followed: their target receives neither the message nor the token. */
import t from 'tap';
import { converse, reply, request, startEndpoint } from './adapter.js';

t.test('an endpoint that redirects', async (t) => {
  const other = await startEndpoint(t, reply);
  const cases: [status: number, location: string | undefined, message: string][] = [
    [301, `${other.url}/_mcp`, `set SERVICE_MCP_URL to ${other.url}/_mcp`],
    [302, `${other.url}/login?next=s3cret`, `set SERVICE_MCP_URL to ${other.url}/login`],
    [303, '/elsewhere', '/elsewhere'],
    [307, `${other.url}/_mcp`, `set SERVICE_MCP_URL to ${other.url}/_mcp`],
    [308, `${other.url}/_mcp`, `set SERVICE_MCP_URL to ${other.url}/_mcp`],
    [308, `http://ann:s3cret@127.0.0.1:${other.port}/_mcp`, `set SERVICE_MCP_URL to ${other.url}/_mcp`],
    [308, 'http://', 'check SERVICE_MCP_URL'],
    [304, undefined, 'check SERVICE_MCP_URL'],
  ]; // prettier-ignore
  for (const [status, location, message] of cases) {
    const { url } = await startEndpoint(t, (_, response) => {
      response.writeHead(status, location === undefined ? {} : { location });
      response.end('{"jsonrpc":"2.0","id":1,"result":{}}');
    });
    const { messages, stderr } = await converse(t, url, [request(1), request(2)], {
      SERVICE_MCP_TOKEN: 't0ken',
    });
    t.strictSame(messages.map(({ id }) => id).toSorted(), [1, 2], `${status} ${location ?? ''}`);
    for (const { error } of messages) {
      t.equal(error?.code, -32603);
      t.match(error?.message, `redirects (HTTP ${status})`);
      t.match(error?.message, message);
      t.notMatch(error?.message, /s3cret|t0ken/);
    }
    t.notMatch(stderr, /s3cret|t0ken/);
  }
  t.equal(other.received.length, 0);
});
