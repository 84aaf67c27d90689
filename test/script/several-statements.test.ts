/** Texts of several statements: their parts, their values, and what may not be among them. */
import t from 'tap';
import { jsonFrame, positionToText, StatementBuilder } from '#app/script/statement/statement.js';

const builder = new StatementBuilder(jsonFrame('json_agg', 1000));
const build = (text: string) => builder.build('write', text, 'f/s');

t.test('each statement has placeholders of its own', (t) => {
  const { parts } = build(
    'INSERT INTO a VALUES ($1, $2);\nUPDATE b SET c = $3 WHERE d = $1;\n-- last\nDELETE FROM e;',
  );
  t.strictSame(
    parts?.list.map(({ sql, uses, number }) => [number, sql, uses]),
    [
      [1, 'INSERT INTO a VALUES ($1, $2)', [0, 1]],
      [2, 'UPDATE b SET c = $1 WHERE d = $2', [2, 0]],
      [3, '-- last\nDELETE FROM e', []],
    ],
  );
  t.equal(parts?.values, 3);
  t.end();
});

t.test('how many values they use together', (t) => {
  const cases: [text: string, values: number][] = [
    ['SELECT 1; SELECT 2', 0],
    ["SELECT 1; SELECT '$1'", 0],
    ['SELECT $1; SELECT $1', 1],
    ['SELECT $2; SELECT $1', 2],
    ['SELECT $1; SELECT $3', -1],
    ['SELECT $2; SELECT 1', -1],
    ['CREATE FUNCTION f(int) RETURNS int RETURN $1; SELECT $1', 1],
    ['CREATE FUNCTION f(int) RETURNS int RETURN $2; SELECT 1', 0],
  ];
  for (const [text, values] of cases) t.equal(build(text).parts?.values, values, text);
  t.end();
});

t.test('one statement is sent as it is', (t) => {
  for (const text of ['INSERT INTO a VALUES ($2);', ';; SELECT $3 ;-- x', 'SELECT $$;$$']) {
    const { sql, parts } = build(text);
    t.equal(sql, text);
    t.equal(parts, undefined);
  }
  t.end();
});

t.test('a statement that recurs is the same object, and so is a text', (t) => {
  const first = build('INSERT INTO t VALUES ($1); INSERT INTO t VALUES ($2)');
  const [one, two] = first.parts!.list;
  t.equal(one!.statement, two!.statement);
  t.equal(one!.statement.recurs, true);
  const other = build('UPDATE t SET a = $1; INSERT INTO t VALUES ($2)');
  t.equal(other.parts!.list[1]!.statement, one!.statement);
  const update = other.parts!.list[0]!.statement;
  t.equal(update.recurs, false);
  t.equal(build('UPDATE t SET a = $1; INSERT INTO t VALUES ($2)'), other);
  t.equal(update.recurs, true);
  t.equal(build('INSERT INTO t VALUES ($1)'), one!.statement);
  t.end();
});

t.test('positions', (t) => {
  const text = 'SELECT 1;\n  /* 😀 */ SELECT $12, é, nope;';
  const [, part] = build(text).parts!.list;
  const before = part!.sql.slice(0, part!.sql.indexOf('nope'));
  const position = Array.from(before).length + 1; // of PostgreSQL, in characters
  t.equal(positionToText(part!, position), text.indexOf('nope'));
  t.equal(text.slice(part!.at, part!.at + 6), 'SELECT');
  t.end();
});

t.test('LOCK is never the first statement of a segment', (t) => {
  const numbers = (text: string) =>
    build(text).parts!.list.map(({ number, sql }) => `${number} ${sql}`);
  t.strictSame(numbers('LOCK TABLE a; SELECT 1'), ['0 SELECT', '1 LOCK TABLE a', '2 SELECT 1']);
  t.strictSame(numbers('SELECT 1; LOCK TABLE a'), ['1 SELECT 1', '2 LOCK TABLE a']);
  t.end();
});

t.test('refused, with the statement and its line', (t) => {
  const cases: [statement: string, message: string][] = [
    ['COMMIT', 'statement is not allowed in a script: COMMIT'],
    ['SET x = 1', 'statement is not allowed in a script: SET'],
    ["SELECT set_config('a', 'b', false)", 'statement is not allowed in a script: set_config'],
    ['COPY t FROM STDIN', 'statement is not allowed in a script: COPY'],
    ['call p()', 'statement is not allowed beside others: CALL may commit what precedes it'],
    [
      'DO $$ BEGIN END $$',
      'statement is not allowed beside others: DO may commit what precedes it',
    ],
    [
      'VACUUM t',
      'statement is not allowed beside others: VACUUM cannot run in a transaction block',
    ],
    ...['ANALYZE t', 'CLUSTER', 'REINDEX TABLE t', 'REPACK t'].map((sql): [string, string] => [
      sql,
      `statement is not allowed beside others: ${sql.split(' ')[0]} may commit what precedes it`,
    ]),
    ...[
      ['CREATE DATABASE d', 'CREATE DATABASE'],
      ['drop database d', 'DROP DATABASE'],
      ['ALTER DATABASE d SET TABLESPACE t', 'ALTER TABLESPACE'],
      ["CREATE TABLESPACE t LOCATION '/x'", 'CREATE TABLESPACE'],
      ['DROP TABLESPACE t', 'DROP TABLESPACE'],
      ['ALTER SYSTEM SET a = 1', 'ALTER SYSTEM'],
      ["CREATE SUBSCRIPTION s CONNECTION 'c' PUBLICATION p", 'CREATE SUBSCRIPTION'],
      ['ALTER SUBSCRIPTION s REFRESH PUBLICATION', 'ALTER SUBSCRIPTION'],
      ['DROP SUBSCRIPTION s', 'DROP SUBSCRIPTION'],
      ['CREATE UNIQUE INDEX /* */ concurrently i ON t (a)', 'CREATE CONCURRENTLY'],
      ['DROP INDEX CONCURRENTLY i', 'DROP CONCURRENTLY'],
      ['ALTER TABLE t DETACH PARTITION p CONCURRENTLY', 'ALTER CONCURRENTLY'],
    ].map(([sql, what]): [string, string] => [
      sql!,
      `statement is not allowed beside others: ${what!} cannot run in a transaction block`,
    ]),
  ];
  for (const [sql, message] of cases) {
    const refused = (place: string) => ({
      code: 'statement_not_allowed',
      message: `${message} (${place})`,
    });
    t.throws(() => build(`SELECT 1;\n\n-- note\n${sql};`), refused('statement 2, line 4'), sql);
    t.throws(() => build(`${sql};\nSELECT 1`), refused('statement 1, line 1'), sql);
  }
  t.throws(
    () => builder.build('write', 'SELECT 1; COMMIT', 'f/s', { locate: (at) => ({ line: at }) }),
    {
      message: 'statement is not allowed in a script: COMMIT (statement 2, line 10)',
    },
  );
  t.end();
});

t.test('allowed', (t) => {
  for (const sql of [
    'CREATE INDEX i ON t (a)',
    'CREATE INDEX "concurrently" ON t (a)',
    "COMMENT ON DATABASE d IS 'CREATE DATABASE'",
    'ALTER DATABASE d SET work_mem = 64',
    'ALTER TABLE system ADD subscription int',
    'REFRESH MATERIALIZED VIEW CONCURRENTLY m',
    'TRUNCATE t',
    'NOTIFY x',
    'CREATE TEMP TABLE x ON COMMIT DROP AS SELECT 1',
    'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END',
  ])
    t.equal(build(`${sql}; SELECT 1`).parts?.list[0]?.sql, sql);
  t.end();
});

t.test('a thousand statements, and no more', (t) => {
  const text = (count: number) => Array.from({ length: count }, (_, i) => `SELECT ${i}`).join(';');
  t.equal(build(text(1000)).parts?.list.length, 1000);
  t.throws(() => build(text(1001)), {
    code: 'statement_not_allowed',
    message: 'a script has at most 1000 statements',
  });
  t.end();
});
