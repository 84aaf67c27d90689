/** The history and notifications of changes, by any writer and in any way. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import t, { type Test } from 'tap';
import { CHANNEL } from '#app/stored/scripts/scripts-table.js';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { keyOf, placeOf } from './place.js';

const server = await startPostgres(t);
const names = { schema: 'public', table: `o'd "d\\` };
const TABLE = String.raw`public."o'd ""d\"`;
const HISTORY = String.raw`public."o'd ""d\_history"`;
const { ddl, records } = placeOf(t, server, names);

/** Connects a listener; gives the notifications. */
async function listen(t: Test): Promise<string[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  t.teardown(() => client.end());
  const told: string[] = [];
  client.on('notification', ({ payload }) => told.push(payload!));
  await client.query(`LISTEN ${CHANNEL}`);
  return told;
}

/** received waits until all notifications so far have arrived. */
async function received(told: string[]): Promise<void> {
  await server.sql(`SELECT pg_notify('${CHANNEL}', 'end')`);
  await until(() => told.at(-1) === 'end');
  told.pop();
}

const states = async (path: string): Promise<unknown[]> =>
  (await records.history(keyOf(path)))!.map((version) => [
    version.operation,
    version.read_sql,
    version.changed_by,
  ]);

t.test('every state with its editor', async (t) => {
  await ddl.make();
  const told = await listen(t);
  const key = keyOf('shop/list');
  await records.put(key, { read_sql: '1', description: 'd' }, 'ann');
  await records.put(key, { read_sql: '2' }, "bob's");
  await records.put(key, { read_sql: '2' }, 'bob', { match: ['1-1'] });
  await server.sql(`UPDATE ${TABLE} SET read_sql = '3'`);
  await records.remove(key, 'carol');
  t.strictSame(await states('shop/list'), [
    ['delete', '3', 'carol'],
    ['update', '3', 'postgres'],
    ['update', '2', "bob's"],
    ['insert', '1', 'ann'],
  ]);
  const versions = (await records.history(key))!;
  t.match(versions[3], { description: 'd', created_by: 'ann', changed_at: /Z$/ });
  t.strictSame(await records.version(key, versions[2]!.version), versions[2]);
  t.equal(await records.version(keyOf('shop/other'), versions[2]!.version), 'missing');
  for (const version of [0, -1, 1.5, 2 ** 60, Infinity])
    t.equal(await records.version(key, version), 'missing');
  t.strictSame(await records.history(keyOf('shop/none')), []);
  await received(told);
  t.strictSame(told, Array(4).fill('"public"."o\'d ""d\\"'));
});

t.test('plain SQL', async (t) => {
  const told = await listen(t);
  const cases: [sql: string, states: unknown[]][] = [
    [
      `INSERT INTO ${TABLE} (location, name, read_sql) SELECT 's', n::text, 'x' FROM generate_series(1, 3) n`,
      [['insert', 'x', 'postgres']],
    ],
    [
      `UPDATE ${TABLE} SET name = 'moved' WHERE name = '1'`,
      [
        ['delete', 'x', 'postgres'],
        ['insert', 'x', 'postgres'],
      ],
    ],
    [
      `BEGIN; UPDATE ${TABLE} SET read_sql = 'y' WHERE name = '2'; ROLLBACK`,
      [['insert', 'x', 'postgres']],
    ],
    [`TRUNCATE ${TABLE}`, [['delete', 'x', 'postgres']]],
  ];
  const shown = ['s/1', 's/1', 's/2', 's/3'];
  for (const [i, [sql, wanted]] of cases.entries()) {
    await server.sql(sql);
    t.strictSame(
      (await states(shown[i]!)).slice(0, wanted.length === 1 ? 1 : 2),
      wanted.slice(0, 2),
      sql,
    );
  }
  t.strictSame(await states('s/moved'), [
    ['delete', 'x', 'postgres'],
    ['insert', 'x', 'postgres'],
  ]);
  t.strictSame(await records.list(), []);
  await received(told);
  t.equal(told.length, 3, 'once for each transaction that is not rolled back');
});

t.test('cut down as the documentation says', async (t) => {
  const page = readFileSync(new URL('../../../../docs/scripts.md', import.meta.url), 'utf8');
  const statement = /```sql\n(DELETE FROM .*?)```/s.exec(page)![1]!;
  const key = keyOf('trim/it');
  for (const text of ['1', '2', '3']) await records.put(key, { read_sql: text }, 'ann');
  await server.sql(`UPDATE ${HISTORY} SET changed_at = now() - interval '91 days'`);
  await records.put(keyOf('trim/new'), { read_sql: '1' }, 'ann');
  await server.sql(statement.replaceAll('service_queries_history', () => HISTORY));
  t.strictSame(await states('trim/it'), [['update', '3', 'ann']]);
  t.equal((await states('trim/new')).length, 1);
});

t.test('a search path of the writer', async (t) => {
  await server.sql(`CREATE SCHEMA trap;
    CREATE FUNCTION trap.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT 1 / 0';
    CREATE FUNCTION trap.lower(text) RETURNS text LANGUAGE sql AS 'SELECT ''trapped''';
    SET search_path = trap, pg_catalog;
    INSERT INTO ${TABLE} (location, name) VALUES ('path', 'p')`);
  t.strictSame(await states('path/p'), [['insert', undefined, 'postgres']]);
});

t.test('a history that fails loses no change and no word of it', async (t) => {
  const told = await listen(t);
  const broken: [how: string, undo: string][] = [
    [
      `ALTER TABLE ${HISTORY} ADD CHECK (read_sql <> 'bad') NOT VALID`,
      `ALTER TABLE ${HISTORY} DROP CONSTRAINT "o'd ""d\\_history_read_sql_check"`,
    ],
    [`DROP TABLE ${HISTORY}`, ''],
  ];
  for (const [i, [how, undo]] of broken.entries()) {
    await server.sql(how);
    await records.put(keyOf('bad/one'), { read_sql: 'bad' }, 'ann');
    t.match(await records.get(keyOf('bad/one')), { read_sql: 'bad' });
    await server.sql(`TRUNCATE ${TABLE}`);
    await received(told);
    t.equal(told.length, 2 * (i + 1));
    await server.sql(undo);
  }
  t.equal(await records.history(keyOf('bad/one')), undefined);
  await records.put(keyOf('bad/two'), { read_sql: '2' }, 'ann');
  t.match(await ddl.make(), { unwatched: undefined });
  await records.put(keyOf('bad/two'), { read_sql: '3' }, 'bob');
  t.strictSame(
    await states('bad/two'),
    [
      ['update', '3', 'bob'],
      ['found', '2', 'postgres'],
    ],
    'it is kept again',
  );
});
