/** Responses other than JSON-RPC become errors that say what to do; JSON-RPC is forwarded with any status. */
import t from 'tap';
import { converse, request, startEndpoint } from './adapter.js';

const page = '<html><body>Not found</body></html>';

t.test('responses other than JSON-RPC', async (t) => {
  const cases: [status: number, body: string, headers: Record<string, string>, message: RegExp][] = [
    [401, '{"error":"authorization token is empty"}', {}, /wants a token \(HTTP 401, authorization token is empty\): set SERVICE_MCP_TOKEN/],
    [403, '{"error":"permission denied","code":"x"}', {}, /does not permit this \(HTTP 403, permission denied\)/],
    [404, page, {}, /does not exist \(HTTP 404\): check SERVICE_MCP_URL; a service older than 2\.1\.0 has none/],
    [404, '{"error":"404 page not found"}', {}, /older than 2\.1\.0/],
    [405, '', {}, /no JSON-RPC answer \(HTTP 405\)/],
    [413, '{"error":"request body is too large"}', {}, /too large/],
    [429, '', { 'Retry-After': '7' }, /busy \(HTTP 429\): try again in 7 s/],
    [503, '{"error":"service is busy"}', { 'Retry-After': '1' }, /busy \(HTTP 503, service is busy\): try again in 1 s/],
    [503, '', { 'Retry-After': 'Fri, 31 Dec 1999 23:59:59 GMT' }, /try again later/],
    [500, page, {}, /failed \(HTTP 500\): the service's log says why/],
    [502, page, {}, /try again/],
    [504, page, {}, /try again/],
    [200, '', {}, /no JSON-RPC answer \(HTTP 200\): is SERVICE_MCP_URL right\?/],
    [200, page, {}, /no JSON-RPC answer/],
    [200, '{"name":"service","tools":[]}', {}, /no JSON-RPC answer/],
    [200, '{"id":1,"result":{}}', {}, /no JSON-RPC answer/],
    [200, '[]', {}, /no JSON-RPC answer/],
    [200, 'null', {}, /no JSON-RPC answer/],
    [200, '{"jsonrpc":"2.0","method":"notifications/message"}', {}, /no JSON-RPC answer/],
    [200, '{"jsonrpc":"2.0","id":1,"result":', {}, /no JSON-RPC answer/],
    [204, '', {}, /no JSON-RPC answer \(HTTP 204\)/],
    [500, `{"error":"${'\\u001b[31m\\n'.repeat(99)}"}`, {}, /\(HTTP 500, (?:\uFFFD\[31m\uFFFD){33}\uFFFD\[\)/],
  ]; // prettier-ignore
  for (const [status, body, headers, message] of cases) {
    const { url } = await startEndpoint(t, (_, response) =>
      response.writeHead(status, headers).end(body),
    );
    const { messages, code, stderr } = await converse(t, url, [request('a')]);
    t.equal(messages.length, 1, `${status} ${body}`);
    t.equal(messages[0]!.id, 'a');
    t.equal(messages[0]!.error?.code, -32603);
    t.match(messages[0]!.error?.message, message);
    t.ok(messages[0]!.error?.message.includes(`${url}/_mcp`));
    t.match(stderr, message, 'and for whoever runs it');
    t.equal(code, 0);
  }
});

t.test('a token that is not accepted', async (t) => {
  const { url } = await startEndpoint(t, (_, response) => response.writeHead(401).end());
  const { lines, stderr } = await converse(t, url, [request(1)], { SERVICE_MCP_TOKEN: 's3cret' });
  t.match(
    lines[0],
    /does not accept the token \(HTTP 401\): set SERVICE_MCP_TOKEN to one that is valid/,
  );
  t.notMatch(stderr + lines[0]!, /s3cret/);
});

t.test('JSON-RPC with any status', async (t) => {
  const body = '{"jsonrpc":"2.0","id":"a","error":{"code":400,"message":"unauthorized listing"}}';
  for (const status of [200, 400, 401, 404, 500, 503]) {
    const { url } = await startEndpoint(t, (_, response) => response.writeHead(status).end(body));
    const { lines, stderr } = await converse(t, url, [request('a')]);
    t.strictSame([lines, stderr], [[body], ''], String(status));
  }
});

t.test('bodies of several lines are written on one, with numbers unchanged', async (t) => {
  const body =
    '{\r\n  "jsonrpc": "2.0",\n  "id": 1,\n  "result": {"n": 12345678901234567890, "t": "a\\nb"}\n}\n';
  const { url } = await startEndpoint(t, (_, response) => response.end(body));
  const { lines, messages } = await converse(t, url, [request(1)]);
  t.equal(lines.length, 1);
  t.match(lines[0], '12345678901234567890');
  t.equal(messages[0]!.result?.['t'], 'a\nb');
});

t.test('an error without id, or with null, gets the id of its request', async (t) => {
  for (const id of ['', '"id":null,']) {
    const body = `{"jsonrpc":"2.0",${id}"error":{"code":-32600,"message":"no","data":[1]}}`;
    const { url } = await startEndpoint(t, (_, response) => response.writeHead(400).end(body));
    const { lines } = await converse(t, url, [request('a')]);
    t.strictSame(lines, [
      '{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"no","data":[1]}}',
    ]);
  }
});

t.test('a switch to another protocol', async (t) => {
  const { url } = await startEndpoint(t, (_, response) => {
    const head =
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';
    response.socket!.write(head);
  });
  const { messages, code } = await converse(t, url, [request(1)]);
  t.match(messages, [{ id: 1, error: { code: -32603, message: /switches to a protocol/ } }]);
  t.equal(code, 0);
});
