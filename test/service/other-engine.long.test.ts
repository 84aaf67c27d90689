/**
 * A service on a PostgreSQL that calls itself CockroachDB and refuses what that does not know: scripts, stored ones and the
 * registry work, and the log says what does not.
 */
import t from 'tap';
import { toolNames } from '../support/mcp.js';
import { COCKROACHDB, startOtherEngine } from '../support/other-engine.js';
import { startPostgres } from '../support/postgres.js';
import { startService, type Answer } from '../support/service.js';
import { SECRET, signToken } from '../support/tokens.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t, {
  setup:
    'CREATE TABLE item (id int, name text); CREATE ROLE reader; GRANT SELECT ON item TO reader',
});
const engine = await startOtherEngine(t, postgres, COCKROACHDB);
const other = await startOtherEngine(t, postgres, COCKROACHDB);

const service = await startService(t, {
  database: engine.url,
  scripts: {
    'a/list.read.sql': 'SELECT id, name, current_user AS role FROM item ORDER BY id',
    'a/add.write.sql': 'INSERT INTO item VALUES ({{sqlVal "id"}}::int, {{sqlVal "name"}})',
  },
  config: {
    'http.processes': 1,
    'pool.threads': 1,
    'pg.maxopenconn': 4,
    'pg.replicas': [other.url],
    'queries.storage': 'database',
    'queries.register_enabled': true,
    'queries.register_admins': ['ann'],
    'auth.enabled': true,
    'auth.db_role': 'role',
    'auth.db_roles': ['reader', 'postgres'],
    'jwt.key': SECRET,
    'mcp.enabled': true,
    'mcp.scripts': true,
  },
});

const as = (role: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${signToken({ role, UserInfo: { id: 1, name: '', username: 'ann', metadata: null } })}`,
});

const registry = (
  method: string,
  name: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  service.ask(`/_QUERIES/registry/${name}`, {
    method,
    headers: { ...as('postgres'), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

t.test('the log says what it is, and what it lacks', async (t) => {
  await service.line(({ msg }) =>
    msg.startsWith('the database is CockroachDB 25.2.1: it has no LISTEN'),
  );
  await service.line('answers: CockroachDB 25.2.1');
  await service.line('scripts have no history, and their changes are found by polling only');
  await service.line('changes of stored scripts are found by polling only');
  await service.line('the server is not used');
  t.match(
    service.lines.find(({ msg }) => msg.startsWith('the server is not used')),
    { server: `127.0.0.1:${other.port}`, msg: /CockroachDB 25\.2\.1 has no standby servers/ },
  );
});

t.test('reads and writes, under the role of their caller', async (t) => {
  const added = await service.ask('a/add?id=1&name=one', {
    method: 'POST',
    headers: as('postgres'),
  });
  t.equal(added.status, 200);
  t.notOk(added.headers.has('service-lsn'));
  const rows = [{ id: 1, name: 'one', role: 'reader' }];
  t.strictSame(await service.rows('a/list', { headers: as('reader') }), rows);
  const refused = await service.error('a/add?id=2&name=two', {
    method: 'POST',
    headers: as('reader'),
  });
  t.equal(refused, '403 42501');
});

t.test('the registry, and changes by others', async (t) => {
  const made = await registry('PUT', 'a/new', { read_sql: 'SELECT 1 AS n' });
  t.equal(made.status, 201, made.text);
  t.match((made.json as { id: unknown }).id, /^1082745612\d{9}$/);
  t.strictSame(await service.rows('a/new', { headers: as('reader') }), [{ n: 1 }]);
  const etag = made.headers.get('etag')!;
  const changed = { read_sql: 'SELECT 2 AS n' };
  t.equal((await registry('PUT', 'a/new', changed, { 'if-match': etag })).status, 200);
  t.equal((await registry('PUT', 'a/new', changed, { 'if-match': etag })).status, 412);
  await postgres.sql(`UPDATE service_queries SET read_sql = 'SELECT 3 AS n' WHERE name = 'new'`);
  await until(
    async () => (await service.ask('a/new', { headers: as('reader') })).text === '[{"n":3}]',
  );
  const validated = await registry('PUT', 'a/new?validate=true', changed);
  t.equal(validated.status, 200, validated.text);
  t.equal((await registry('DELETE', 'a/new')).status, 204);
  t.equal(await service.error('a/new', { headers: as('reader') }), '404 script_not_found');
});

t.test('nothing is proved, and proofs say why', async (t) => {
  await service.line('the scripts were proved');
  const { json } = await registry('GET', 'a/list?proof');
  const [proof] = Object.values(json as Record<string, unknown>).flat();
  t.match(
    JSON.stringify(proof),
    /proofs need PostgreSQL, and the database is CockroachDB 25\.2\.1/,
  );
});

t.test('MCP clients are offered scripts, and no tables', async (t) => {
  const names = await toolNames(service, { headers: as('reader') });
  t.ok(
    names.some((name) => name.includes('list')),
    names.join(),
  );
  t.notOk(names.some((name) => name.includes('item')));
  await service.line('MCP clients are offered no tables');
});

t.test('nothing is logged as an error', (t) => {
  t.strictSame(
    service.lines.filter(({ level }) => Number(level) >= 50),
    [],
  );
  t.end();
});
