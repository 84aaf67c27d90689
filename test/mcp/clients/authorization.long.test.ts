/**
 * A client that knows only the address of the endpoint finds the authorization server, gets a token there for the endpoint
 * and uses it; step by step, without a library.
 */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { startService, type Service } from '../../support/service.js';
import { guardedBy, startAuthorizationServer } from './authorization-server.js';

const json = async (url: string): Promise<Record<string, unknown>> =>
  (await (await fetch(url)).json()) as Record<string, unknown>;

/** tokenFor gets a token for a resource. */
async function tokenFor(server: string, resource: string): Promise<string> {
  const { token_endpoint: endpoint } = await json(`${server}/.well-known/openid-configuration`);
  const response = await fetch(String(endpoint), {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('agent:a%20secret').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
  });
  const answer = (await response.json()) as { access_token?: string };
  if (answer.access_token === undefined) throw new Error(JSON.stringify(answer));
  return answer.access_token;
}

const RESOURCE = 'https://db.example/api/_mcp';
const { issuer } = await startAuthorizationServer(t);
const postgres = await startPostgres(t, { setup: 'CREATE TABLE item AS SELECT 1 AS id' });
const start = (audience: string): Promise<Service> =>
  startService(t, {
    database: postgres.url,
    config: guardedBy(issuer, audience),
  });

t.test('from the address to rows', async (t) => {
  const service = await start(RESOURCE);
  const refused = await service.ask('/_mcp');
  t.equal(refused.status, 401);
  const [, url] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate')!)!;
  // The proxy of db.example passes on the path.
  const metadata = await json(new URL(new URL(url!).pathname, service.url).href);
  t.equal(metadata['resource'], RESOURCE);
  const [server] = metadata['authorization_servers'] as string[];
  t.equal(server, issuer);
  const call = async (token: string): Promise<unknown> => {
    const options = { headers: { authorization: `Bearer ${token}` } };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'select_table', arguments: { table: 'item' } },
    });
    const answer = await service.ask('/_mcp', { ...options, method: 'POST', body });
    return answer.status === 200
      ? (answer.json as { result: { structuredContent: object } }).result.structuredContent
      : answer.json;
  };
  t.match(await call(await tokenFor(server!, RESOURCE)), { rows: [{ id: 1 }] });
  for (const other of [
    'https://db.example/api',
    'https://db.example/api/_mcp/',
    'https://other.example/_mcp',
  ])
    t.match(await call(await tokenFor(server!, other)), { code: 'invalid_claims' }, other);
});
