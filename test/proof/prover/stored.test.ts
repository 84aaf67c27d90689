/** The proofs of stored scripts, which several services share. */
import t, { type Test } from 'tap';
import { makeTable } from '../../stored/registry/tested-registry.js';
import { keyOf, placeOf, USUAL } from '../../stored/registry/place.js';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { TestedProver } from './tested-prover.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE item (id int, name text)' });
await makeTable(t, server);
const { records, ddl } = placeOf(t, server);
const table = USUAL;
await records.put(
  keyOf('v/one'),
  { read_sql: 'SELECT id FROM item', update_sql: 'UPDATE item SET idd = 1' },
  'ann',
);
await records.put(
  keyOf('v/two'),
  { read_sql: 'SELECT name FROM item{{if isSet "id"}} WHERE id = {{sqlVal "id"}}{{end}}' },
  'ann',
);

const proofs = (): Promise<Record<string, unknown>[]> =>
  server.sql(
    'SELECT database_alias AS alias, script, verb FROM service_queries_proofs ORDER BY 1, 2, 3',
  );

async function started(t: Test, options: object = {}): Promise<TestedProver> {
  const prover = new TestedProver(t, server, { table, ...options });
  await prover.rounds(1);
  return prover;
}

/** What is proved, without members that are undefined. */
function recordsOf({ cache }: TestedProver): unknown {
  return JSON.parse(
    JSON.stringify([...cache.proofs].map(({ script, verb, record }) => ({ script, verb, record }))),
  );
}

t.test('the second service takes the proofs of the first', async (t) => {
  const first = await started(t);
  t.ok(first.described.length > 0);
  t.equal(first.verdict('v/one'), 'proved');
  t.equal(first.verdict('v/one', 'main', 'update'), 'broken');
  t.equal((await proofs()).length, 3);
  const second = await started(t);
  t.strictSame(second.described, []);
  t.strictSame(recordsOf(second), recordsOf(first));
  t.equal(second.logged('v/one').length, 1, 'its log has what is broken too');
});

t.test('only what a change concerns is proved again', async (t) => {
  await server.sql('CREATE TABLE unrelated (id int)');
  const prover = await started(t);
  t.strictSame(
    [...new Set(prover.described)].filter((sql) => !sql.includes('idd')),
    [],
  );
  await server.sql('ALTER TABLE item ADD more text');
  const next = await started(t);
  t.ok(next.described.length > 0);
});

t.test('a change of a record is looked at when it is notified', async (t) => {
  const prover = await started(t);
  await records.put(keyOf('v/one'), { read_sql: 'SELECT nope FROM item' }, 'ann');
  prover.service.scriptsChanged();
  await prover.becomes('v/one', 'broken');
  await until(() => prover.verdict('v/one', 'main', 'update') === undefined || false);
});

t.test('a script of a database of its own', async (t) => {
  await records.put(keyOf('stock/v/two'), { read_sql: 'SELECT 2 AS two' }, 'ann');
  await records.put(keyOf('main/v/one'), { read_sql: 'SELECT id FROM item' }, 'ann');
  await records.put(keyOf('gone/v/one'), { read_sql: 'SELECT nope' }, 'ann');
  const prover = await started(t, { mode: 'require', others: { stock: server } });
  t.strictSame(
    [...prover.cache.proofs]
      .map(({ alias, script, own, serves }) => `${alias} ${script} ${own ?? '-'} ${serves ?? '-'}`)
      .sort(),
    [
      'main v/one main SELECT id FROM item',
      'main v/two - SELECT name FROM item{{if isSet "id"}} WHERE id = {{sqlVal "id"}}{{end}}',
      'stock v/one - -',
      'stock v/two stock SELECT 2 AS two',
    ],
  );
});

t.test('proofs of scripts that are gone are removed', async (t) => {
  await server.sql(`DELETE FROM service_queries WHERE name = 'one'`);
  await server.sql(
    `UPDATE service_queries_proofs SET proved_at = now() - interval '31 days' WHERE database_alias = 'stock'`,
  );
  const prover = await started(t);
  await until(async () => (await proofs()).length === 1);
  t.strictSame(await proofs(), [{ alias: 'main', script: 'v/two', verb: 'read' }]);
  t.equal(prover.verdict('v/two'), 'proved');
});

const INVALID: [name: string, sql: string][] = [
  ['is no JSON', `proof = 'x'`],
  ['is null', `proof = 'null'`],
  ['has no verdict', `proof = '{"record": {}, "basis": {"alias": "main"}}'`],
  ['is of other settings', `settings_hash = 'x'`],
  ['is of another text', `text_hash = 'x'`],
  ['is of another database', `proof = replace(proof, '"general":"', '"general":"x')`],
];

for (const [name, sql] of INVALID)
  t.test(`a proof that ${name} is not used`, async (t) => {
    await server.sql(`UPDATE service_queries_proofs SET ${sql}`);
    const prover = await started(t);
    t.ok(prover.described.length > 0);
    t.equal(prover.verdict('v/two'), 'proved');
  });

t.test('a table of another owner is not used', async (t) => {
  await server.sql('CREATE ROLE stranger; ALTER TABLE service_queries_proofs OWNER TO stranger');
  await server.sql(
    "CREATE ROLE service LOGIN PASSWORD 'secret'; ALTER TABLE service_queries OWNER TO service; GRANT ALL ON item, service_queries_proofs TO service",
  );
  const conninfo = `host=${server.host} port=${server.port} dbname=postgres user=service password=secret`;
  const prover = await started(t, { conninfo });
  t.ok(prover.described.length > 0);
  await server.sql('ALTER TABLE service_queries_proofs OWNER TO postgres');
  t.strictSame((await started(t, { conninfo })).described, []);
});

t.test('no table of proofs', async (t) => {
  await server.sql('DROP TABLE service_queries_proofs');
  const prover = await started(t);
  t.equal(prover.verdict('v/two'), 'proved');
  t.ok(
    prover.lines.some(
      ({ level, msg }) => level === 20 && msg.startsWith('proofs are not shared: '),
    ),
  );
  t.strictSame(
    prover.lines.filter(({ level }) => level >= 40),
    [],
  );
  await ddl.make();
  await started(t);
  t.equal((await proofs()).length, 1);
});
