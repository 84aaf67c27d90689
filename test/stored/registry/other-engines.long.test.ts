/** Stored scripts where rows have no versions: behind a view, and on a PostgreSQL that refuses what other engines refuse. */
import t, { type Test } from 'tap';
import { runStatement } from '#app/postgres/statement/queryable.js';
import { tagOf, type StoredRecord } from '#app/stored/registry/records.js';
import {
  COCKROACHDB,
  startOtherEngine,
  YUGABYTEDB,
  type OtherEngine,
} from '../../support/other-engine.js';
import { startPostgres, type Postgres } from '../../support/postgres.js';
import { keyOf, placeOf, type Place } from './place.js';
import { TestScripts } from './tables.js';

const postgres = await startPostgres(t, {
  setup: 'CREATE SCHEMA yugabyte; CREATE SCHEMA cockroach; CREATE SCHEMA seen',
});

/** A place behind a proxy. */
function behind(t: Test, engine: OtherEngine, schema: string): Place {
  return placeOf(t, { ...postgres, ...engine }, { schema });
}

/** Records are made, changed and removed under conditions, and workers see each change. */
async function checkRecords(t: Test, place: Place, server: OtherEngine | Postgres): Promise<void> {
  const { table, records, database } = place;
  const worker = new TestScripts(t, server, { table });
  const key = keyOf('shop/list');
  t.equal(await worker.ask('shop/list'), 'script_not_found');
  const put = async (text: string, match?: string): Promise<StoredRecord> => {
    const terms = match === undefined ? {} : { match: [match] };
    const stored = await records.put(key, { read_sql: text }, 'ann', terms);
    if (stored === 'mismatch') throw new Error('mismatch');
    return stored.record;
  };
  const made = await records.put(key, { read_sql: 'one' }, 'ann', { noneMatch: '*' });
  t.match(made, { created: true, record: { read_sql: 'one', created_by: 'ann' } });
  const { record: first } = made as { record: StoredRecord };
  t.strictSame(await records.get(key), first);
  t.equal(await records.put(key, { read_sql: 'x' }, 'bob', { noneMatch: '*' }), 'mismatch');
  await worker.live('shop/list', 'one');
  const second = await put('two', tagOf(first));
  t.not(tagOf(second), tagOf(first));
  await t.rejects(put('three', tagOf(first)), /mismatch/);
  await worker.live('shop/list', 'two');
  t.match(await records.put(key, { read_sql: 'two' }, 'ann'), { created: false });
  const relation = `${table.schema}.${table.table}`;
  // By others, without a change of any time.
  await runStatement(database, `UPDATE ${relation} SET read_sql = 'plain'`);
  await worker.live('shop/list', 'plain');
  await runStatement(database, `UPDATE ${relation} SET read_sql = NULL, write_sql = 'plain'`);
  await worker.live('shop/list', 'method_not_allowed POST, OPTIONS');
  t.equal(await records.remove(key, 'ann', { match: [tagOf(second)] }), 'mismatch');
  const [last] = await records.list({ location: 'shop' });
  t.equal(await records.remove(key, 'ann', { match: [tagOf(last!)] }), 'removed');
  await worker.live('shop/list', 'script_not_found');
  t.strictSame(worker.logged, []);
}

t.test('YugabyteDB: with a history, without locks and notifications', async (t) => {
  const engine = await startOtherEngine(t, postgres, YUGABYTEDB);
  const place = behind(t, engine, 'yugabyte');
  t.strictSame(await place.ddl.make(), {
    made: true,
    unusable: undefined,
    unwatched: undefined,
  });
  t.match(await place.ddl.make(), { made: false, unwatched: undefined });
  await checkRecords(t, place, engine);
  const versions = await place.records.history(keyOf('shop/list'));
  t.strictSame(versions?.map(({ operation, changed_by }) => [operation, changed_by]).slice(-2), [
    ['update', 'ann'],
    ['insert', 'ann'],
  ]);
  await place.ddl.drop();
  const left = await postgres.sql(
    `SELECT FROM pg_class WHERE relnamespace = 'yugabyte'::regnamespace`,
  );
  t.equal(left.length, 0);
});

t.test('YugabyteDB: what is there before the history is found', async (t) => {
  const engine = await startOtherEngine(t, postgres, YUGABYTEDB);
  const place = behind(t, engine, 'yugabyte');
  await place.ddl.make();
  await postgres.sql(`DROP TABLE yugabyte.service_queries_history;
    INSERT INTO yugabyte.service_queries (location, name, read_sql) VALUES ('a', 'b', 'SELECT 1')`);
  t.match(await place.ddl.make(), { made: false, unwatched: undefined });
  t.match(await place.records.history(keyOf('a/b')), [{ operation: 'found' }]);
});

t.test('CockroachDB: without a history, with large ids', async (t) => {
  const engine = await startOtherEngine(t, postgres, COCKROACHDB);
  const place = behind(t, engine, 'cockroach');
  t.match(await place.ddl.make(), { made: true, unusable: undefined, unwatched: /0A000/ });
  t.equal(await place.ddl.unusable(), undefined);
  await checkRecords(t, place, engine);
  await place.records.put(keyOf('a/b'), { read_sql: 'SELECT 1' }, 'ann');
  const record = await place.records.get(keyOf('a/b'));
  t.match(record?.id, /^1082745612\d{9}$/);
  t.equal(await place.records.history(keyOf('a/b')), undefined);
  t.equal(await place.ddl.isEmpty(), false);
  await place.ddl.drop();
  t.equal(await place.ddl.exists(), false);
});

t.test('a view in the place of the table', async (t) => {
  const own = placeOf(t, postgres);
  await own.ddl.make();
  await postgres.sql('CREATE VIEW seen.service_queries AS SELECT * FROM public.service_queries');
  await checkRecords(t, placeOf(t, postgres, { schema: 'seen' }), postgres);
});
