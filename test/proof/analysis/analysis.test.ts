/**
 * The analysis of a statement on a server: what cannot be analysed is no error, what may pass is one; and nothing runs, stays
 * or is locked beyond its own transaction.
 */
import t, { type Test } from 'tap';
import { analyse, type Analysis } from '#app/proof/analysis/analysis.js';
import { StatementFailure } from '#app/postgres/statement/queryable.js';
import type { DatabaseSettings } from '#app/messages/database-settings.js';
import { TestDatabase } from '../../support/database.js';
import { startPgbouncer } from '../../support/pgbouncer.js';
import { startOwnPostgres, startPostgres, type Postgres } from '../../support/postgres.js';
import { without } from '../../support/programs.js';
import { until } from '../../support/until.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE people (id int PRIMARY KEY, name text); CREATE SEQUENCE numbers;
    CREATE FUNCTION written() RETURNS int LANGUAGE sql AS 'INSERT INTO people VALUES (1) RETURNING id';
    CREATE PROCEDURE proceed() LANGUAGE sql AS 'DELETE FROM people';
    CREATE ROLE reader LOGIN PASSWORD 'reader'; GRANT SELECT ON people TO reader;
    REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC`,
});

const LONG = 250_000;

function open(
  t: Pick<Test, 'teardown'>,
  settings: Partial<DatabaseSettings> = {},
  at: Pick<Postgres, 'host' | 'port' | 'password'> = server,
): TestDatabase {
  return new TestDatabase(t, at, { connections: 1, ...settings });
}

function analysed(
  { database }: TestDatabase,
  sql: string,
  parameters: readonly string[] = [],
  limit = LONG,
): Promise<Analysis | undefined> {
  return analyse(database, { sql, parameters }, limit);
}

/** The columns, with `?` behind those that can be NULL. */
function columnsOf(analysis: Analysis | undefined): string | undefined {
  return analysis?.columns.map(({ name, nullable }) => `${name}${nullable ? '?' : ''}`).join(' ');
}

const REFUSED: readonly string[] = [
  '',
  'nonsense',
  'SELECT gone FROM people',
  'SELECT 1; SELECT 2',
  'SELECT 1; END; DELETE FROM people',
  'CALL proceed()',
  'CREATE TABLE made AS SELECT 1 AS n',
  'SELECT 1 AS n INTO made',
  'EXPLAIN SELECT 1',
  'EXPLAIN ANALYZE DELETE FROM people',
  'COPY people TO STDOUT',
  'TRUNCATE people',
  'NOTIFY told',
  'SET work_mem = 64',
  'DO $$ BEGIN DELETE FROM people; END $$',
  'VACUUM people',
  'DECLARE c CURSOR FOR SELECT 1',
  'COMMIT',
  'LOCK people',
  `SELECT ${'('.repeat(100_000)}1${')'.repeat(100_000)}`,
];

t.test('statements that cannot be analysed', async (t) => {
  const db = open(t);
  for (const sql of REFUSED) t.equal(await analysed(db, sql), undefined, sql.slice(0, 60));
  t.equal(columnsOf(await analysed(db, 'SELECT 1 AS n')), 'n', 'afterwards');
  t.equal(db.open, 1, 'on the same connection');
});

t.test('very deep expressions', async (t) => {
  const db = open(t);
  const sum = (terms: number): string => `SELECT id${' + id'.repeat(terms)} AS n FROM people`;
  t.equal(columnsOf(await analysed(db, sum(400))), 'n');
  t.equal(await analysed(db, sum(1_500)), undefined);
});

t.test('a parameter whose type is unknown', async (t) => {
  const db = open(t);
  t.equal(await analysed(db, 'SELECT $1', ['no_such_type']), undefined);
  t.equal(await analysed(db, 'SELECT $2', ['integer']), undefined);
  for (const type of ['unknown', 'record', 'anyelement', 'text'])
    t.equal(columnsOf(await analysed(db, 'SELECT id, $1 AS v FROM people', [type])), 'id v?', type);
  const types = ['integer[]', 'timestamp with time zone', '"char"', 'numeric(5,2)', 'people'];
  t.equal(
    columnsOf(await analysed(db, 'SELECT $1 AS a, $2 AS b, $3 AS c, $4 AS d, $5 AS e', types)),
    'a? b? c? d? e?',
  );
});

t.test('a role without the right to temporary objects', async (t) => {
  const conninfo = `host=${server.host} port=${server.port} user=reader password=reader dbname=postgres`;
  const db = open(t, { conninfo });
  t.equal(await analysed(db, 'SELECT id FROM people'), undefined);
  await server.sql('GRANT TEMPORARY ON DATABASE postgres TO reader');
  t.equal(columnsOf(await analysed(db, 'SELECT id FROM people')), 'id');
  t.equal(
    columnsOf(await analysed(db, 'DELETE FROM people RETURNING id')),
    'id',
    'rights are not checked',
  );
});

t.test('sessions that are read-only are analysed, standbys are not', async (t) => {
  const conninfo = `host=${server.host} port=${server.port} user=postgres password=${server.password} dbname=postgres`;
  const db = open(t, { conninfo: `${conninfo} options='-c default_transaction_read_only=on'` });
  t.equal(columnsOf(await analysed(db, 'SELECT id FROM people')), 'id');
  const standby = await startOwnPostgres(t, { files: { 'standby.signal': '' } });
  t.equal(await analysed(open(t, {}, standby), 'SELECT 1 AS n'), undefined);
});

t.test('a lock is waited for, and given up', async (t) => {
  const db = open(t);
  const other = open(t);
  const lock = 'BEGIN; LOCK people; SELECT pg_sleep(250)';
  const holding = server.sql(lock).catch(() => undefined);
  const pid = async (): Promise<number | undefined> =>
    (
      await server.sql<{ pid: number }>(
        "SELECT pid FROM pg_locks WHERE relation = 'people'::regclass AND mode = 'AccessExclusiveLock' AND granted",
      )
    )[0]?.pid;
  const holder = await until(pid, 20);
  await t.rejects(analysed(db, 'SELECT id FROM people', [], 200), StatementFailure);
  t.equal(columnsOf(await analysed(db, 'SELECT 1 AS n')), 'n', 'the connection is usable');
  const waiting = analysed(other, 'SELECT id FROM people');
  await server.sql('SELECT pg_terminate_backend($1)', [holder]);
  t.equal(columnsOf(await waiting), 'id');
  await holding;
});

t.test('an unreachable database', async (t) => {
  const db = open(t, {
    conninfo: 'host=127.0.0.1 port=1 user=postgres dbname=postgres',
    connectTimeout: 1,
  });
  await t.rejects(analysed(db, 'SELECT 1'), StatementFailure);
});

const EFFECTS: readonly string[] = [
  "INSERT INTO people VALUES (1, 'a') RETURNING id",
  "WITH w AS (INSERT INTO people VALUES (2, 'b') RETURNING id) SELECT id FROM w",
  'SELECT written()',
  "SELECT nextval('numbers')",
  "SELECT pg_notify('told', 'a')",
  "SELECT set_config('application_name', 'changed', false)",
  'SELECT pg_advisory_lock(1)',
  'SELECT 1/0',
  'SELECT pg_sleep(1000)',
];

/** What an analysis could have left behind. */
const LEFT = `SELECT (SELECT count(*)::int FROM people) AS people, (SELECT last_value::int FROM numbers) AS last,
  (SELECT is_called FROM numbers) AS called, (SELECT count(*)::int FROM pg_proc WHERE proname LIKE 'analysed%') AS functions,
  (SELECT count(*)::int FROM pg_namespace WHERE nspname LIKE 'pg_temp%') AS schemas,
  (SELECT count(*)::int FROM pg_locks WHERE pid <> pg_backend_pid() AND (locktype = 'advisory' OR
    relation >= 16384)) AS locks,
  (SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'changed' OR state LIKE 'idle in%') AS changed`;

t.test('nothing runs, and nothing stays', async (t) => {
  const heard = open(t);
  const db = open(t);
  const before = await server.sql(LEFT);
  for (const sql of EFFECTS) t.ok(await analysed(db, sql), sql);
  t.strictSame(await server.sql(LEFT), before);
  const setting =
    "SELECT current_setting('check_function_bodies') || current_setting('statement_timeout')";
  t.match(await db.database.query(setting), { result: { rows: [['on0']] } }, 'settings');
  t.equal(heard.open, 0);
});

t.test('neighbours on the same connection', async (t) => {
  const db = open(t);
  const outcomes = await Promise.all([
    db.write("INSERT INTO people VALUES (10, 'x')"),
    analysed(db, 'DELETE FROM people RETURNING id'),
    analysed(db, 'nonsense'),
    db.write("INSERT INTO people VALUES (11, 'x')"),
    db.read('SELECT count(*)::text FROM people', { readOnly: true }),
  ]);
  t.match(outcomes, [
    { affected: 1 },
    { columns: [{ name: 'id' }] },
    undefined,
    { affected: 1 },
    { value: '2' },
  ]);
  t.equal((await server.sql('SELECT FROM people')).length, 2);
});

t.test('through PgBouncer in transaction mode', { skip: without('pgbouncer') }, async (t) => {
  const own = await startOwnPostgres(t, { setup: 'CREATE TABLE people (id int PRIMARY KEY)' });
  const pooler = await startPgbouncer(t, own, { name: own.user, password: own.password }, [
    'default_pool_size = 1',
  ]);
  const one = open(t, { prepared: false }, pooler);
  const two = open(t, { prepared: false }, pooler);
  const sqls = ['SELECT id FROM people', 'nonsense', 'DELETE FROM people RETURNING id'];
  for (const sql of sqls) {
    const both = await Promise.all([analysed(one, sql), analysed(two, sql)]);
    t.strictSame(
      both.map(columnsOf),
      sql === 'nonsense' ? [undefined, undefined] : ['id', 'id'],
      sql,
    );
  }
});
