/**
 * Failures that look like those of a stale prepared statement, but are raised by a function or by a statement in one: they
 * are reported, and nothing is run again.
 */
import t from 'tap';
import { jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';
import { startPostgres } from '../support/postgres.js';
import { describe, TestDatabase } from '../support/database.js';

const server = await startPostgres(t, {
  setup: `CREATE EXTENSION dblink; CREATE SEQUENCE runs; CREATE TABLE items (a int); CREATE TABLE runs_kept (n int);
    CREATE FUNCTION fails(what text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('runs');
      IF what LIKE 'EXECUTE stale' THEN
        BEGIN EXECUTE 'DEALLOCATE stale'; EXCEPTION WHEN OTHERS THEN NULL; END;
        EXECUTE 'PREPARE stale AS SELECT * FROM items';
        EXECUTE 'EXECUTE stale';
        ALTER TABLE items ADD COLUMN b int;
      END IF;
      EXECUTE what;
      RETURN 1;
    END $$;
    CREATE FUNCTION plainly() RETURNS int LANGUAGE sql AS $$ SELECT nextval('runs'); SELECT fails('EXECUTE nowhere') $$;
    CREATE PROCEDURE commits(state text) LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO runs_kept VALUES (1);
      COMMIT;
      RAISE 'cached plan must not change result type' USING errcode = state;
    END $$`,
});
const { port, password } = server;
const ELSEWHERE = `host=127.0.0.1 port=${port} user=postgres password=${password} dbname=postgres`;

const raises = (state: string): string =>
  `SELECT fails($$DO 'BEGIN RAISE ''cached plan s1 must not change result type'' USING errcode = ''${state}''; END'$$)`;

const reads: [what: string, sql: string, state: string, runs: number][] = [
  ['raises 26000', raises('26000'), '26000', 1],
  ['raises 0A000', raises('0A000'), '0A000', 1],
  ['executes an unknown name', `SELECT fails('EXECUTE s1000')`, '26000', 1],
  ['executes a stale statement', `SELECT fails('EXECUTE stale')`, '0A000', 1],
  ['is called by another', 'SELECT plainly()', '26000', 2],
  [
    'passes on the error of another server',
    `SELECT nextval('runs'), dblink_exec('${ELSEWHERE}', 'EXECUTE s1')`,
    '26000',
    1,
  ],
];

async function runs(): Promise<number> {
  const [row] = await server.sql<{ n: number }>(
    'SELECT (last_value - (NOT is_called)::int)::int AS n FROM runs',
  );
  await server.sql("SELECT setval('runs', 1, false)");
  return row!.n;
}

for (const [what, sql, state, expected] of reads)
  t.test(`a function that ${what}`, async (t) => {
    const db = new TestDatabase(t, server, { connections: 1 });
    const statement = { sql, recurs: true };
    // Prepared the first time, then run by its name.
    for (let i = 0; i < 3; i++) {
      t.equal(describe(await db.write(statement)), state);
      t.equal(await runs(), expected, 'it ran once');
    }
    t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
  });

t.test('statements stay prepared when a function raises these', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const names = (): Promise<string> =>
    db.read(`SELECT json_agg(name ORDER BY name) FROM pg_prepared_statements`).then(describe);
  const statement = { sql: raises('0A000'), recurs: true };
  for (let i = 0; i < 3; i++) {
    t.equal(describe(await db.write(statement)), '0A000');
    t.equal(await names(), '["s1"]');
  }
});

const DO = `DO $$ BEGIN INSERT INTO runs_kept VALUES (1); COMMIT; RAISE 'no' USING errcode = '26000'; END $$`;
for (const sql of [`CALL commits('26000')`, `CALL commits('0A000')`, DO])
  t.test(`a statement that commits is never prepared: ${sql}`, async (t) => {
    const db = new TestDatabase(t, server, { connections: 1 });
    const builder = new StatementBuilder(jsonFrame('json_agg', 1000));
    for (let i = 1; i <= 3; i++) {
      const statement = builder.build('write', sql, 'folder/script');
      t.match(describe(await db.write(statement)), /^(26000|0A000)$/);
      t.equal((await server.sql('SELECT FROM runs_kept')).length, i, 'it ran once');
    }
    const names = await db.read('SELECT count(*)::text FROM pg_prepared_statements');
    t.equal(describe(names), '0');
    await server.sql('TRUNCATE runs_kept');
  });
