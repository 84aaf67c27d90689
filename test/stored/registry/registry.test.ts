/** Records made, read, changed, removed and brought back; and what each answer says. */
import t from 'tap';
import { TestDatabase } from '../../support/database.js';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry } from './tested-registry.js';

const server = await startPostgres(t);
await makeTable(t, server);
const other = new TestDatabase(t, server, { connections: 2 });
const registry = new TestedRegistry(t, server, { databases: { other: other.database } });

const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z';
const TIMES = `"created_at":"${TIME}","updated_at":"${TIME}"`;
const ETAG = /^"\d+-\d+"$/;

t.test('made, read, replaced, removed', async (t) => {
  const made = await registry.ask('POST /', {
    body: { description: 'd', name: 'rec', location: 'itest', read_sql: 'SELECT 1 AS a' },
  });
  const first = `{"id":1,"database":"","location":"itest","name":"rec","read_sql":"SELECT 1 AS a","description":"d","created_by":"ann",${TIMES}}`;
  t.equal(made.status, 201);
  t.match(made.text, new RegExp(`^${first}$`));
  t.match(made.headers, { ETag: ETAG, Location: '/_QUERIES/registry/itest/rec' });

  const read = await registry.ask('GET /itest/rec');
  t.strictSame(
    [read.status, read.text, read.headers],
    [200, made.text, { ETag: made.headers['ETag'] }],
  );
  t.strictSame(await registry.ask('HEAD /itest/rec'), read, 'HEAD is GET, its body dropped later');
  t.equal((await registry.ask('GET /')).text, `[${made.text}]`);

  const again = await registry.ask('POST /', {
    body: { location: 'itest', name: 'rec', write_sql: 'DELETE FROM x' },
    user: 'bob',
  });
  t.equal(again.status, 201, 'also where it was there');
  t.match(again.json, { id: 1, write_sql: 'DELETE FROM x', created_by: 'ann' });
  t.notMatch(again.json, { read_sql: /./ }, 'what was not sent is gone');
  t.notMatch(again.json, { description: /./ });
  t.not(again.headers['ETag'], made.headers['ETag']);

  const put = await registry.ask('PUT /itest/rec', { body: { read_sql: 'SELECT 2' } });
  t.equal(put.status, 200);
  t.strictSame(Object.keys(put.headers), ['ETag']);
  t.equal((await registry.ask('GET /itest/rec')).text, put.text);

  const { status, text, headers } = await registry.ask('DELETE /itest/rec');
  t.strictSame([status, text, headers], [204, '', {}]);
  t.equal(await registry.error('GET /itest/rec'), '404 query_not_found: query not found');
  t.equal(await registry.error('DELETE /itest/rec'), '404 query_not_found: query not found');
});

t.test('PUT of what is not there makes it', async (t) => {
  const { status, headers, json } = await registry.ask('PUT /main/itést/ré-c_1', {
    body: { delete_sql: 'DELETE FROM x' },
  });
  t.equal(status, 201);
  t.equal(headers['Location'], '/_QUERIES/registry/main/it%C3%A9st/r%C3%A9-c_1');
  t.match(json, { database: 'main', location: 'itést', name: 'ré-c_1' });
});

t.test('an answer may be sent back as it is', async (t) => {
  const { text } = await registry.ask('PUT /back/rec', { body: { read_sql: 'SELECT \u20ac' } });
  const { status, json } = await registry.ask('PUT /back/rec', { body: text, user: 'bob' });
  t.equal(status, 200);
  t.match(json, { read_sql: 'SELECT \u20ac', created_by: 'ann' });
});

t.test(
  'what is not the caller’s to say is ignored, null is absent, as is a byte order mark',
  async (t) => {
    const body = `\ufeff{"id":99,"created_by":{"a":[1]},"created_at":"x","updated_at":7,"location":"itest",
    "name":"ignored","database":null,"write_sql":null,"read_sql":"SELECT 1"}`;
    const { status, json } = await registry.ask('POST /', { body });
    t.equal(status, 201);
    t.match(json, { database: '', created_by: 'ann', created_at: new RegExp(TIME) });
    t.notMatch(json, { id: 99 });
  },
);

t.test('the database of a script', async (t) => {
  const body = { read_sql: 'SELECT 0' };
  await registry.ask('PUT /scoped/rec', { body });
  t.match((await registry.ask('GET /other/scoped/rec')).json, { database: '' }, 'falls back');
  t.equal(await registry.error('DELETE /other/scoped/rec'), '404 query_not_found: query not found');
  const ways = [
    ['PUT /other/scoped/rec', { read_sql: 'SELECT 1' }],
    ['PUT /scoped/rec?database=other', { read_sql: 'SELECT 2', database: 'other' }],
    ['PUT /other/scoped/rec?database=other', { read_sql: 'SELECT 3' }],
    ['POST /other', { read_sql: 'SELECT 4', location: 'scoped', name: 'rec' }],
    ['POST /?database=other', { read_sql: 'SELECT 5', location: 'scoped', name: 'rec' }],
    ['POST /', { read_sql: 'SELECT 6', location: 'scoped', name: 'rec', database: 'other' }],
  ] as const;
  for (const [target, sent] of ways) {
    t.match((await registry.ask(target, { body: sent })).json, { ...sent, database: 'other' });
    t.match((await registry.ask('GET /scoped/rec?database=other')).json, sent, target);
    t.match((await registry.ask('GET /scoped/rec')).json, body);
  }
  const names = async (target: string): Promise<unknown> =>
    ((await registry.ask(target)).json as { database: string; name: string }[]).map(
      ({ database, name }) => `${database}/${name}`,
    );
  t.strictSame(await names('GET /?location=scoped'), ['/rec', 'other/rec']);
  t.strictSame(await names('GET /other?location=scoped'), ['other/rec']);
  t.strictSame(await names('GET /?location=scoped&database='), ['/rec']);
  t.strictSame(await names('GET /other?database=other'), ['other/rec']);
  t.strictSame(await names('GET /?location=nope'), []);
  t.equal((await registry.ask('DELETE /other/scoped/rec')).status, 204);
  t.match((await registry.ask('GET /other/scoped/rec')).json, { database: '' });
});

t.test('rows that others wrote', async (t) => {
  await server.sql(`INSERT INTO service_queries (location, name, read_sql, write_sql, created_at, updated_at)
    VALUES ('registry', 'x', '{{ broken', '', '2026-01-02 03:04:05+02', '2026-01-02 03:04:05.6+00')`);
  const { status, text } = await registry.ask('GET /registry/x');
  t.equal(status, 200);
  t.match(text, /"name":"x","read_sql":"\{\{ broken","created_at":"2026-01-02T01:04:05/);
  t.equal((await registry.ask('DELETE /registry/x')).status, 204, 'they can be removed');
});

t.test('versions', async (t) => {
  for (const n of [1, 2])
    await registry.ask('PUT /versions/rec', { body: { read_sql: `SELECT ${n}` }, user: `u${n}` });
  await registry.ask('DELETE /versions/rec', { user: 'bob' });
  const history = async (): Promise<Record<string, unknown>[]> => {
    const { status, json } = await registry.ask('GET /versions/rec?history');
    t.equal(status, 200);
    return json as Record<string, unknown>[];
  };
  const before = await history();
  const told = before.map(({ operation, changed_by, read_sql, created_by }) =>
    [operation, changed_by, read_sql, created_by].join(' '),
  );
  t.strictSame(told, ['delete bob SELECT 2 u1', 'update u2 SELECT 2 u1', 'insert u1 SELECT 1 u1']);
  t.match(before[0], { version: Number, changed_at: new RegExp(`^${TIME}$`) });

  const first = before[2]!['version'] as number;
  const back = await registry.ask(`POST /versions/rec?rollback=${first}`, { user: 'eve' });
  t.equal(back.status, 201, 'it was gone');
  t.match(back.json, { read_sql: 'SELECT 1', created_by: 'eve' });
  t.match(back.headers, { ETag: ETAG, Location: '/_QUERIES/registry/versions/rec' });
  await registry.ask('PUT /versions/rec', { body: { read_sql: 'SELECT 3' } });
  const again = await registry.ask(
    `POST /versions/rec?rollback=${before[1]!['version'] as number}`,
  );
  t.equal(again.status, 200);
  t.match(again.json, { read_sql: 'SELECT 2', created_by: 'eve' });
  t.equal((await history()).length, 6, 'what was restored is a new version');

  const elsewhere = await registry.error(`POST /versions/another?rollback=${first}`);
  t.equal(elsewhere, '404 version_not_found: version not found', 'a version is of one script');
  t.equal(
    await registry.error(`POST /other/versions/rec?rollback=${first}`),
    '404 version_not_found: version not found',
  );
});

t.test('a version that is no template is not brought back', async (t) => {
  await server.sql(`INSERT INTO service_queries (location, name, read_sql) VALUES ('bad', 'rec', '{{'),
    ('bad', 'empty', NULL)`);
  for (const [name, wanted] of [
    ['rec', /^400 invalid_template: read_sql: could not parse script bad\/rec:1:3: /],
    ['empty', /^400 invalid_record: at least one verb SQL column is required$/],
  ] as const) {
    const { json } = await registry.ask(`GET /bad/${name}?history`);
    const [{ version }] = json as [{ version: number }];
    t.match(await registry.error(`POST /bad/${name}?rollback=${version}`), wanted);
  }
});

t.test('changes are logged with their user, and the worker reads them', async (t) => {
  const before = registry.refreshed;
  registry.logged.length = 0;
  await registry.ask('PUT /log/rec', { body: { read_sql: 'SELECT secret' }, user: 'eve' });
  await registry.ask('PUT /log/rec', { body: { read_sql: 'SELECT secret' }, user: 'eve' });
  await registry.ask('GET /log/rec');
  await registry.ask('DELETE /log/rec', { user: 'eve' });
  t.equal(registry.refreshed, before + 3);
  const of = { level: 'info', requestId: 'r1', user: 'eve', database: '', script: 'log/rec' };
  t.strictSame(registry.logged, [
    { ...of, msg: 'a stored script was created' },
    { ...of, msg: 'a stored script was updated' },
    { ...of, msg: 'a stored script was removed' },
  ]);
});
