/** Statements that would leave something behind on a shared connection, beside ones that only look like them. */
import t from 'tap';
import { jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';
import { REFUSED_WORDS } from '#app/script/statement/statement-rules.js';

const builder = new StatementBuilder(jsonFrame('json_agg', 1000));

t.test('refused by the first word', (t) => {
  for (const word of REFUSED_WORDS.keys()) {
    const forms = [
      word,
      word.toLowerCase(),
      `  ${word} x`,
      `-- c\n${word}`,
      `/* a /* b */ c */${word};`,
      `((${word}`,
      `;${word}`,
    ];
    for (const text of forms) {
      for (const verb of ['read', 'write'] as const) {
        t.throws(() => builder.build(verb, text, 'f/s'), { code: 'statement_not_allowed' }, text);
      }
    }
    for (const text of [
      `${word}_x`,
      `${word}é`,
      `"${word}"`,
      `SELECT '${word}'`,
      `SELECT ${word}`,
    ]) {
      t.equal(builder.build('write', text, 'f/s').sql, text);
    }
  }
  t.end();
});

t.test('refused', (t) => {
  const texts = [
    '  -- note\n /* a /* b */ c */ CoMmIt;',
    '; ROLLBACK',
    '((set x = 1))',
    'SET LOCAL work_mem = 1',
    "SELECT set_config('a.b', 'c', false)",
    "SELECT pg_catalog . SET_CONFIG ( 'a.b', 'c', $1 )",
    `SELECT "set_config"('a.b', coalesce('x,true', 'y'), not true)`,
    "SELECT set_config('a.b', 'c', true OR false)",
    "SELECT set_config('a', 'b', true), set_config('a', 'b', false)",
    "SELECT set_config('a', set_config('b', 'c', false), true)",
    "SELECT set_config('a', 'true'",
    'WITH x AS (SELECT pg_advisory_lock(1)) SELECT 1 FROM x',
    'SELECT pg_try_advisory_lock_shared (1, 2)',
    "SELECT dblink_connect('x')",
    'CREATE TEMP TABLE t (a int)',
    'CREATE /* */ TEMPORARY SEQUENCE s',
    'CREATE OR REPLACE LOCAL TEMP VIEW v AS SELECT 1',
    'CREATE TEMP TABLE t (a int) ON COMMIT DELETE ROWS',
    'EXPLAIN ANALYZE CREATE TEMP TABLE t AS SELECT 1',
    'CREATE TABLE pg_temp.t (a int)',
    'EXPLAIN EXECUTE p',
    'explain analyze Execute p(1)',
    'EXPLAIN ANALYSE VERBOSE EXECUTE p',
    'EXPLAIN VERBOSE /* c /* d */ */ EXECUTE p -- e',
    'EXPLAIN (ANALYZE, VERBOSE) EXECUTE p',
    "EXPLAIN (FORMAT json, SETTINGS, COSTS 'off') EXECUTE p",
    ';EXPLAIN(ANALYZE)EXECUTE"p"',
    'CREATE TABLE t AS EXECUTE p',
    'create/**/table if not exists s."as" (a, b) with (fillfactor = 70) as execute p (1)',
    'CREATE TABLE public.as AS EXECUTE p',
    'CREATE UNLOGGED TABLE t USING heap TABLESPACE x AS -- c\n EXECUTE p WITH NO DATA',
    'CREATE TEMP TABLE t ON COMMIT DROP AS EXECUTE p',
    'EXPLAIN CREATE TABLE t AS EXECUTE p',
    'EXPLAIN (ANALYZE on) CREATE TABLE t (a) AS EXECUTE p',
    'SELECT 1 AS a INTO TEMP t',
    'SELECT 1 AS a INTO TEMPORARY TABLE "t" FROM x',
    'SELECT 1 INTO LOCAL TEMP t',
    'DO $$ BEGIN SET search_path = x; END $$',
    'DO $x$ BEGIN PERFORM 1; RESET ALL; END $x$',
    'DO LANGUAGE plpgsql $$BEGIN IF a THEN SET SESSION x TO y; END IF; END$$',
    "DO $$ BEGIN PERFORM set_config('a.b', 'c', false); END $$",
    'DO $$ BEGIN CREATE TEMP TABLE t (a int); END $$',
    'DO $$ BEGIN CREATE TABLE t AS EXECUTE p; END $$',
    'DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$',
  ];
  for (const text of texts) {
    t.throws(
      () => builder.build('write', text, 'f/s'),
      { code: 'statement_not_allowed', status: 500, detail: /./ },
      text,
    );
  }
  t.end();
});

t.test('allowed', (t) => {
  const texts = [
    'UPDATE t SET a = 1',
    'SELECT begin, commit FROM sets',
    'WITH begin AS (SELECT 1) SELECT * FROM begin',
    '"begin"',
    'SETTINGS',
    'SHOW work_mem',
    'NOTIFY x',
    'LOCK TABLE t',
    'CALL p()',
    'VACUUM t',
    'MERGE INTO temp USING x ON true WHEN MATCHED THEN DELETE',
    'INSERT INTO temp VALUES (1)',
    'INSERT INTO temp SELECT 1',
    'SELECT 1 INTO temp FROM x',
    'SELECT temp FROM temperature temporary',
    "SELECT 'set_config(a, b, false)'",
    "SELECT 1 -- set_config('a', 'b', false)",
    'SELECT 1 /* pg_advisory_lock(1) */ AS temp',
    'SELECT $$ CREATE TEMP TABLE t $$',
    'SELECT pg_advisory_lock FROM t',
    'SELECT pg_advisory_xact_lock(1), pg_try_advisory_xact_lock(1)',
    "SELECT set_config('a.b', 'c', true)",
    "SELECT set_config('a.b', f(1, 'x', ARRAY[1, 2]), TRUE)",
    "SELECT set_config(setting_name => 'a.b', new_value => 'c', is_local => true)",
    'SELECT set_config FROM t',
    'CREATE TABLE temp (temporary int)',
    'EXPLAIN SELECT execute FROM t',
    'EXPLAIN (ANALYZE) SELECT 1 AS execute',
    'EXPLAIN ANALYZE DECLARE c CURSOR FOR SELECT 1', // makes no cursor
    'CREATE TABLE t AS SELECT 1 AS execute',
    'CREATE TABLE execute AS SELECT 1',
    'CREATE TABLE t AS TABLE execute',
    'CREATE TABLE public.as AS SELECT 1 AS execute',
    'CREATE TABLE t (a int GENERATED ALWAYS AS IDENTITY, execute int)',
    'CREATE VIEW v AS SELECT 1 AS execute',
    'CREATE TRIGGER x AFTER INSERT ON t EXECUTE FUNCTION f()',
    "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql SET search_path = x AS 'BEGIN SET x = 1; END'",
    'DO $$ BEGIN UPDATE t SET a = 1; END $$',
    'DO $$ BEGIN SET LOCAL search_path = x; COMMIT; END $$',
    'DO $$ DECLARE set int; BEGIN set := 1; IF set = 1 THEN set = 2; END IF; END $$',
    'DO $$ BEGIN CREATE TEMP TABLE t (a int) ON COMMIT DROP; END $$',
    "DO $$ BEGIN EXECUTE 'SELECT 1'; END $$",
  ];
  for (const text of texts) {
    t.equal(builder.build('write', text, 'f/s').sql, text);
  }
  t.end();
});
