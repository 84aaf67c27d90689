/**
 * Attempts to write, through every argument of a select and through functions in views, as a superuser: nothing is
 * written, and the state of the connection is unchanged.
 */
import pg from 'pg';
import t, { type Test } from 'tap';
import { versionOf } from '../../support/postgres.js';
import { startToolDatabase } from '../arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `
    CREATE TABLE item (id int, name text); INSERT INTO item VALUES (1, 'cup'), (2, 'pot');
    CREATE TABLE prey (n int); INSERT INTO prey VALUES (1);
    CREATE SEQUENCE counter;
    CREATE FUNCTION run(text) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN EXECUTE $1; RETURN $1; END';
    CREATE PROCEDURE commits() LANGUAGE plpgsql AS 'BEGIN COMMIT; INSERT INTO prey VALUES (9); END';
    CREATE FUNCTION catches(text) RETURNS text LANGUAGE plpgsql AS
      'BEGIN BEGIN EXECUTE $1; EXCEPTION WHEN OTHERS THEN NULL; END; EXECUTE $1; RETURN $1; END'`,
});
const version = await versionOf(db.postgres);
await db.postgres.sql('CREATE VIEW one AS SELECT 1 AS n');

/** Queries that show whether anything was written. */
const STATE = `
  SELECT (SELECT array_agg(n ORDER BY n)::text FROM prey) AS prey, (SELECT count(*)::int FROM item) AS items,
    (SELECT is_called FROM counter) AS called, (SELECT count(*)::int FROM pg_class) AS relations,
    (SELECT count(*)::int FROM pg_largeobject_metadata) AS objects, (SELECT count(*)::int FROM pg_roles) AS roles,
    (SELECT count(*)::int FROM pg_prepared_xacts) AS prepared, (SELECT count(*)::int FROM pg_proc) AS functions`;

async function unharmed(t: Test): Promise<void> {
  const after = await db.select('settings');
  t.strictSame(after.rows, [
    { only: 'on', usual: 'on', user: 'postgres', role: 'none', path: '"$user", public', temp: 0 },
  ]);
  t.strictSame((await db.select('item', { columns: ['id'] })).rows, [{ id: 1 }, { id: 2 }]);
  await db.idle();
}

await db.postgres
  .sql(`CREATE VIEW settings AS SELECT current_setting('transaction_read_only') AS only,
  current_setting('default_transaction_read_only') AS usual, current_user::text AS user, current_setting('role') AS role,
  current_setting('search_path') AS path, (SELECT count(*)::int FROM pg_class WHERE relpersistence = 't') AS temp`);

const INSERT = 'INSERT INTO prey VALUES (2)';

/** Texts that would be SQL if they were not quoted or bound. */
const TEXTS = [
  `'; ${INSERT}; --`,
  `"; ${INSERT}; --`,
  `id"; ${INSERT}; --`,
  `1; COMMIT; ${INSERT}`,
  `COMMIT; ${INSERT};`,
  `') OR (SELECT run('${INSERT}')) IS NOT NULL --`,
  `/* */ ${INSERT}`,
  `*/ ${INSERT} /*`,
  `$1`,
  `$$; ${INSERT}; $$`,
  `\\'; ${INSERT}; --`,
  `id, run('${INSERT}')`,
  `id DESC; ${INSERT}`,
  `(SELECT run('${INSERT}'))`,
  `{"a": "b"}`,
  `}'; ${INSERT}; --`,
  `","x"} ${INSERT}`,
  `id\n; ${INSERT}`,
  `\u2028${INSERT}`,
  `id\0; ${INSERT}`,
  `ʼ; ${INSERT}; --`,
];

/** Statements in the function of a view, and whether they fail. */
const ATTEMPTS: readonly (readonly [sql: string, stopped: boolean])[] = [
  [INSERT, true],
  ['UPDATE prey SET n = 5', true],
  ['DELETE FROM prey', true],
  ['TRUNCATE prey', true],
  ['MERGE INTO prey USING item ON false WHEN NOT MATCHED THEN INSERT VALUES (3)', true],
  ['SELECT * FROM prey FOR UPDATE', true],
  ['LOCK TABLE prey', false],
  ['CREATE TABLE made (n int)', true],
  ['CREATE TEMP TABLE made (n int)', true],
  ['SELECT 1 AS n INTO made', true],
  ['DROP TABLE prey', true],
  ['ALTER TABLE prey ADD x int', true],
  ['CREATE ROLE mallory SUPERUSER', true],
  ['GRANT ALL ON prey TO public', true],
  ['COMMENT ON TABLE prey IS $$x$$', true],
  ['REFRESH MATERIALIZED VIEW kept', true],
  ['CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$SELECT 1$$', true],
  [`SELECT nextval('counter')`, true],
  [`SELECT setval('counter', 50)`, true],
  ['COPY prey FROM PROGRAM $$echo 7$$', true],
  ['VACUUM prey', true],
  ['REINDEX TABLE prey', false],
  ['CLUSTER', true],
  ['ALTER SYSTEM SET work_mem = 64', true],
  ['COMMIT', true],
  ['ROLLBACK', true],
  ['BEGIN', true],
  ['SAVEPOINT s', true],
  ["PREPARE TRANSACTION 'p'", true],
  ['CALL commits()', true],
  ['DO $$BEGIN COMMIT; INSERT INTO prey VALUES (4); END$$', true],
  ["SELECT set_config('transaction_read_only', 'off', false)", true],
  ["SELECT set_config('transaction_read_only', 'off', true)", true],
  ['SET TRANSACTION READ WRITE', true],
  ['SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE', false],
  ["SELECT set_config('default_transaction_read_only', 'off', false)", false],
  ["SELECT set_config('search_path', 'pg_temp', false)", false],
  ["SELECT set_config('statement_timeout', '0', false)", false],
  ["SELECT set_config('session_replication_role', 'replica', false)", false],
  ['SET SESSION AUTHORIZATION postgres', false],
  ['RESET ALL', false],
  ["NOTIFY heard, 'word'", false],
  ["SELECT pg_notify('heard', 'word')", false],
  // Before PostgreSQL 16 a read-only transaction makes large objects, which are gone with it.
  ['SELECT lo_create(0)', version >= 16],
  ["SELECT lo_from_bytea(0, 'x')", version >= 16],
  ["SELECT lo_put(4711, 0, 'x')", true],
  ['SELECT pg_advisory_xact_lock(7)', false],
  ['LISTEN heard', false],
];

// All of it before the first test, which begins at the first await.
await db.postgres.sql('CREATE MATERIALIZED VIEW kept AS SELECT 1 AS n');
await db.postgres.sql(
  ATTEMPTS.map(
    ([sql], i) => `CREATE VIEW attempt_${i} AS SELECT run(${literal(sql)}) AS ran;`,
  ).join(' '),
);
await db.postgres.sql(
  ATTEMPTS.map(
    ([sql], i) => `CREATE VIEW insists_${i} AS SELECT catches(${literal(sql)}) AS ran;`,
  ).join(' '),
);

t.test('through arguments', async (t) => {
  const before = await db.postgres.sql(STATE);
  const tries = TEXTS.flatMap((text) => [
    { columns: [text] },
    { columns: ['id', text] },
    { filters: { [text]: 1 } },
    { filters: { id: text } },
    { filters: { name: text } },
    { filters: { name: [text, 'x'] } },
    { order_by: [text] },
    { order_by: [`-${text}`] },
    { limit: text },
    { offset: text },
    { [text]: 1 },
    { schema: text },
    { table: text },
    { database: text },
  ]);
  const answers = await Promise.all(tries.map((args) => db.select('item', args)));
  for (const [i, args] of tries.entries()) {
    const shown = JSON.stringify(args).replaceAll(/[^ -~]/g, '?'); // a name is one line
    // It is a valid text, which no row has.
    const isText =
      'filters' in args && 'name' in args.filters && !JSON.stringify(args).includes('\\u0000');
    if (isText) t.strictSame(answers[i]!.rows, [], shown);
    else t.type(answers[i]!.error, 'string', shown);
  }
  for (const text of TEXTS) await t.rejects(db.run(`service.select.${text}`, {}), { code: -32602 });
  const denied = await Promise.all(
    TEXTS.map((text) => db.run(`service.select.main.public.${text}`, {})),
  );
  for (const outcome of denied) t.match(outcome, { error: /^permission denied/ });
  t.strictSame(await db.postgres.sql(STATE), before);
  await unharmed(t);
});

for (const [i, [sql, stopped]] of ATTEMPTS.entries())
  t.test(sql, async (t) => {
    const before = await db.postgres.sql(STATE);
    for (const view of ['attempt', 'insists']) {
      const answers = await Promise.all([
        db.select('item', { filters: { id: 1 } }),
        db.select(`${view}_${i}`),
        db.select('item', { filters: { id: 2 } }),
      ]);
      const [first, tried, last] = answers;
      t.equal(tried.rows === undefined, stopped, JSON.stringify(tried));
      t.match(
        [first, last],
        [{ rows: [{ name: 'cup' }] }, { rows: [{ name: 'pot' }] }],
        'its neighbours',
      );
    }
    t.strictSame(await db.postgres.sql(STATE), before);
    await unharmed(t);
  });

t.test('notifications are rolled back', async (t) => {
  const client = new pg.Client({ connectionString: db.postgres.url });
  await client.connect();
  const heard: unknown[] = [];
  client.on('notification', (notification) => heard.push(notification.payload));
  await client.query('LISTEN heard');
  await db.postgres.sql("CREATE VIEW notifies AS SELECT pg_notify('heard', 'word') IS NULL AS no");
  t.match(await db.select('notifies'), { rows: [{ no: false }] });
  await client.query("NOTIFY heard, 'last'");
  t.strictSame(heard, ['last']);
  await client.end();
});

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
