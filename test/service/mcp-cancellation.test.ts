/** `notifications/cancelled` ends the statement of the call that it names, in any process, and no other caller's. */
import t from 'tap';
import { GATES, Gate } from '../support/gate.js';
import { post, type CallResult } from '../support/mcp.js';
import { startPostgres } from '../support/postgres.js';
import { startService, type Service } from '../support/service.js';
import { SECRET, signToken, userToken } from '../support/tokens.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t, {
  setup: `${GATES} CREATE VIEW slow AS SELECT 1 AS n, wait_at('slow') AS waited;`,
});
/** How many calls wait in the database. */
async function waiting(): Promise<number> {
  const rows = await postgres.sql(
    `SELECT FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%"public"."slow"%'`,
  );
  return rows.length;
}

/** waitFor waits until so many do. */
const waitFor = (count: number) => until(async () => (await waiting()) === count);

const start = (processes: number, config: object = {}) =>
  startService(t, {
    database: postgres.url,
    config: { 'http.processes': processes, 'pool.threads': 1, 'pg.maxopenconn': 40, ...config },
  });
const open = await start(1);
const secured = await start(2, { 'auth.enabled': true, 'jwt.key': SECRET });

type Headers = Readonly<Record<string, string>>;

interface Outcome {
  readonly id: unknown;
  readonly result?: CallResult;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A call that waits at the gate; each has a connection of its own, as the client sends others meanwhile. */
async function slow(service: Service, id: unknown, headers: Headers = {}): Promise<Outcome> {
  const params = { name: 'select_table', arguments: { schema: 'public', table: 'slow' } };
  const message = { jsonrpc: '2.0', id, method: 'tools/call', params };
  const answer = await post(service, message, { headers });
  return answer.json as Outcome;
}

async function cancel(service: Service, requestId: unknown, headers: Headers = {}): Promise<void> {
  const params = { requestId, reason: 'enough' };
  const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
  const { status } = await post(service, message, { headers });
  if (status !== 202) throw new Error(`status ${status}`);
}

const bearer = (user: string): Headers => ({ authorization: `Bearer ${userToken(user)}` });
const CANCELLED = { error: { code: -32_800, message: 'cancelled by its client' } };

t.test('the id is that of the call, whatever its type', async (t) => {
  for (const id of [7, 0, '7', 'a"b', -1]) {
    const call = slow(open, id);
    await waitFor(1);
    await cancel(open, id);
    t.match(await call, { id, ...CANCELLED });
    await waitFor(0);
  }
});

t.test('a notification as some clients write it', async (t) => {
  const call = slow(open, 5);
  await waitFor(1);
  const text = '{"jsonrpc":"2.0","method":"notifications\\/cancelled","params":{"requestId":5}}';
  t.equal((await post(open, text)).status, 202);
  t.match(await call, { id: 5, ...CANCELLED });
  await waitFor(0);
});

t.test('what cancels nothing', async (t) => {
  const call = slow(open, 8, { 'mcp-session-id': 'a', 'user-agent': 'x' });
  await waitFor(1);
  const own = { 'mcp-session-id': 'a', 'user-agent': 'x' };
  for (const [id, headers] of [
    [9, own],
    ['8', own],
    [null, own],
    [undefined, own],
    [{}, own],
    [8, {}],
    [8, { ...own, 'mcp-session-id': 'b' }],
    [8, { ...own, 'user-agent': 'y' }],
    [8, { ...own, 'x-forwarded-for': '10.0.0.1' }],
    [8, { ...own, authorization: 'Bearer x' }],
  ] as const)
    await cancel(open, id, headers);
  // A request, not a notification.
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'notifications/cancelled',
    params: { requestId: 8 },
  };
  t.equal((await post(open, request, { headers: own })).status, 200);
  t.equal((await post(open, [request], { headers: own })).status, 400);
  t.equal(await waiting(), 1, 'it still runs');
  await cancel(open, 8, own);
  t.match(await call, { id: 8, ...CANCELLED });
  await waitFor(0);
});

t.test('two calls with one id: none is ended', async (t) => {
  const calls = [slow(open, 1), slow(open, 1), slow(open, 2)];
  await waitFor(3);
  await cancel(open, 1);
  await cancel(open, 2);
  t.match(await calls[2], { id: 2, ...CANCELLED });
  await waitFor(2);
  await new Gate(postgres, 'slow').open();
  for (const call of calls.slice(0, 2)) t.match(await call, { id: 1, result: {} });
  await postgres.sql('DELETE FROM open_gate');
});

t.test('callers with tokens, over several processes', async (t) => {
  const [ann, bob] = [bearer('ann'), bearer('bob')];
  const calls = Array.from({ length: 4 }, (_, i) => slow(secured, i, ann));
  const others = Array.from({ length: 4 }, (_, i) => slow(secured, i, bob));
  await waitFor(8);
  for (let i = 0; i < 4; i++) await cancel(secured, i, ann);
  for (const [id, call] of calls.entries()) t.match(await call, { id, ...CANCELLED });
  await waitFor(4);
  // Another token of the same caller.
  await cancel(secured, 0, { authorization: `Bearer ${signToken({ sub: 'bob', jti: '2' })}` });
  t.match(await others[0], { id: 0, ...CANCELLED });
  await new Gate(postgres, 'slow').open();
  for (const call of others.slice(1)) t.match(await call, { result: { content: [{}] } });
});

t.test('initialize gives a session, which is not needed', async (t) => {
  const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
  const { headers } = await post(open, message);
  t.match(headers.get('mcp-session-id'), /^[\w-]{36}$/);
  const again = await post(open, message, { headers: { 'mcp-session-id': 'own' } });
  t.equal(again.headers.get('mcp-session-id'), null);
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  t.equal((await post(open, ping)).headers.get('mcp-session-id'), null);
  t.equal((await post(open, ping, { headers: { 'mcp-session-id': 'any' } })).status, 200);
});
