/** What a script may hold: statements that leave nothing behind. Whatever it does, its neighbours never notice. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE TABLE item (id int);
    CREATE TABLE hit (n int);
    CREATE FUNCTION leave_setting() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
      PERFORM set_config('application_name', 'left behind', false); RETURN 1; END $$;
    CREATE PROCEDURE end_transaction() LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO hit VALUES (1); COMMIT; INSERT INTO hit VALUES (2); END $$`,
});

/** Scripts that are refused before they reach PostgreSQL, by their first words. */
const REFUSED: readonly string[] = [
  'BEGIN',
  'begin isolation level serializable',
  'START TRANSACTION',
  'COMMIT',
  'END',
  'ROLLBACK',
  'ABORT',
  'SAVEPOINT a',
  'RELEASE a',
  'ROLLBACK TO a',
  "PREPARE TRANSACTION 'a'",
  'SET statement_timeout = 0',
  'SET SESSION AUTHORIZATION DEFAULT',
  'SET LOCAL work_mem = 64',
  'SET ROLE postgres',
  'RESET ALL',
  'DISCARD ALL',
  'LISTEN x',
  'UNLISTEN *',
  'PREPARE p AS SELECT 1',
  'EXECUTE p',
  'DEALLOCATE ALL',
  'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
  'FETCH c',
  'CLOSE c',
  'COPY item TO STDOUT',
  'COPY item FROM STDIN',
  "LOAD 'plpgsql'",
  '/* first */ -- then\n  SET a = 1',
  '/* /* nested */ */ BEGIN',
  '; BEGIN',
  'CREATE TEMP TABLE x (id int)',
  "SELECT set_config('application_name', 'x', false)",
  'SELECT pg_advisory_lock(1)',
  'DO $$ BEGIN SET application_name = x; END $$',
];

/** Texts by the error they end in as a read, and as a write. */
const TEXTS: Readonly<Record<string, readonly [read: string, write: string]>> = {
  '': ['400 script_not_usable', '400 script_not_usable'],
  ' \n\t': ['400 script_not_usable', '400 script_not_usable'],
  '-- nothing': ['400 script_not_usable', '400 script_not_usable'],
  '/* nothing */ ;': ['400 script_not_usable', '400 script_not_usable'],
  '{{if isSet "nope"}}SELECT 1{{end}}': ['400 script_not_usable', '400 script_not_usable'],
  'SELEC 1': ['500 42601', '500 42601'],
  "SELECT 'open": ['500 42601', '500 42601'],
  'SELECT (1': ['500 42601', '500 42601'],
  'SELECT 1; SELECT 2': ['500 statement_not_allowed', '200'],
  'SELECT 1; DROP TABLE nope': ['500 statement_not_allowed', '500 42P01'],
  'SELECT 1) s; DROP TABLE item; SELECT (SELECT 1': ['500 statement_not_allowed', '500 42601'],
  'SELECT 1) s, (SELECT 2': ['500 42712', '500 42601'],
  'DROP TABLE item; SELECT 1 / 0': ['500 statement_not_allowed', '400 22012'],
  'DROP TABLE item; COMMIT; SELECT 1': ['500 statement_not_allowed', '500 statement_not_allowed'],
  'SELECT 1 AS n;': ['200', '200'],
  'SELECT 1 AS n ; -- note': ['200', '200'],
  'SELECT 1 AS n -- note': ['200', '200'],
  'SELECT 1 AS n -- note; with a semicolon': ['200', '200'],
  "SELECT 'a;b' AS n": ['200', '200'],
  'SELECT $$;$$ AS n /* ; */ ;\n\n': ['200', '200'],
  'WITH x AS (SELECT 1 AS n) SELECT * FROM x': ['200', '200'],
  'VALUES (1)': ['200', '200'],
  'TABLE item': ['200', '200'],
  'EXPLAIN SELECT 1': ['500 42601', '200'],
  'INSERT INTO item VALUES (1)': ['500 42601', '200'],
  'NOTIFY x': ['500 42601', '200'],
  'VACUUM item': ['500 42601', '200'],
};

const scripts: Record<string, string> = {
  'ok/read.read.sql':
    'SELECT {{sqlVal "n"}}::int AS n, current_setting(\'application_name\') AS app',
  'ok/write.write.sql': 'INSERT INTO hit VALUES ({{sqlVal "n"}}) RETURNING n',
  'leave/setting.read.sql': 'SELECT leave_setting()',
  'leave/transaction.write.sql': 'CALL end_transaction()',
};
REFUSED.forEach((text, i) => {
  scripts[`refused/n${i}.read.sql`] = scripts[`refused/n${i}.write.sql`] = text;
});
Object.keys(TEXTS).forEach((text, i) => {
  scripts[`text/n${i}.read.sql`] = scripts[`text/n${i}.write.sql`] = text;
});

const service = await startService(t, {
  database: postgres.url,
  scripts,
  config: { 'pg.maxopenconn': 3, 'http.processes': 1, 'pool.threads': 1 },
});

/** besideOthers runs a request among fast reads and writes, which must all be right, and gives its status and code. */
async function besideOthers(target: string, method: string): Promise<string> {
  const others: Promise<string>[] = [];
  const neighbours = (): void => {
    for (let n = 0; n < 4; n++) {
      others.push(
        service.rows(`ok/read?n=${n}`).then((rows) => {
          const [row] = rows as { n?: number; app?: string }[];
          return row?.n === n && row.app !== 'left behind' ? '' : `read: ${JSON.stringify(rows)}`;
        }),
        service
          .ask(`ok/write?n=${n}`, { method: 'POST' })
          .then(({ text }) =>
            text === `{"rows_affected":1,"rows":[{"n":${n}}]}` ? '' : `write: ${text}`,
          ),
      );
    }
  };
  neighbours();
  const error = service.error(target, { method });
  neighbours();
  const wrong = (await Promise.all(others)).filter((text) => text !== '');
  return wrong.length === 0 ? error : wrong.join(', ');
}

t.test('refused, beside others in flight', async (t) => {
  for (const [i, text] of REFUSED.entries())
    t.equal(await besideOthers(`refused/n${i}`, 'POST'), '500 statement_not_allowed', text);
  for (const i of REFUSED.keys())
    t.match(await service.error(`refused/n${i}`), /^500 (statement_not_allowed|42601)$/);
});

t.test('texts', async (t) => {
  for (const [i, [text, [read, write]]] of Object.entries(TEXTS).entries()) {
    t.equal(await besideOthers(`text/n${i}`, 'GET'), read, `read: ${i}`, { text });
    t.equal(await besideOthers(`text/n${i}`, 'POST'), write, `write: ${i}`, { text });
  }
  t.match(await postgres.sql('SELECT count(*)::int AS n FROM item'), [{ n: Number }]);
});

t.test('what a procedure does to its transaction', async (t) => {
  const before = await postgres.sql('SELECT 1 FROM hit');
  const error = await service.error('leave/transaction', { method: 'POST' });
  t.match(error, /^(200|500 2D000)$/);
  const after = await postgres.sql('SELECT 1 FROM hit');
  t.equal(after.length - before.length, error === '200' ? 2 : 0);
  for (let i = 0; i < 3; i++) t.equal(await besideOthers('ok/read?n=1', 'GET'), '200');
});

t.test('no connection is left in a transaction', async (t) => {
  const left = await postgres.sql(
    `SELECT state FROM pg_stat_activity WHERE state LIKE '%in transaction%'`,
  );
  t.same(left, []);
});
