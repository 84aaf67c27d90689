import t from 'tap';
import { ServiceError } from '#app/errors.js';
import { positionToScript, StatementBuilder } from '#app/script/statement.js';
import { REFUSED_WORDS } from '#app/script/statement-rules.js';
import type { Verb } from '#app/script/verb.js';

const builder = new StatementBuilder('json_agg', 1000);
const TAIL = '\n) s HAVING (pg_column_size(json_agg(s)) <= 1000) IS NOT FALSE';

function build(verb: Verb, text: string): string {
  try {
    return builder.build(verb, text, 'f/s').sql;
  } catch (error) {
    if (error instanceof ServiceError) return `${error.status} ${error.code}`;
    throw error;
  }
}

const REFUSED = '500 statement_not_allowed';
const EMPTY = '400 script_not_usable';

t.test('refused by the first word', (t) => {
  for (const word of REFUSED_WORDS.keys()) {
    for (const text of [
      word,
      word.toLowerCase(),
      `  ${word} x`,
      `-- c\n${word}`,
      `/* a /* b */ c */${word};`,
      `((${word}`,
      `;${word}`,
    ]) {
      t.equal(build('write', text), REFUSED, JSON.stringify(text));
      t.equal(build('read', text), REFUSED);
    }
    t.not(build('write', `${word}_x`), REFUSED, `${word}_x is another word`);
    t.not(build('write', `SELECT '${word}'`), REFUSED);
    t.not(build('write', `"${word}"`), REFUSED);
  }
  t.end();
});

t.test('refused and allowed by their tokens', (t) => {
  const cases: [text: string, refused: boolean][] = [
    [`SELECT set_config('a.b', 'x', false)`, true],
    [`SELECT set_config('a.b', 'x', f(1, 2))`, true],
    [`SELECT pg_catalog.set_config('a.b', 'x', false)`, true],
    [`SELECT "set_config"('a.b', 'x', false)`, true],
    [`SELECT set_config('a.b', 'x', true)`, false],
    [`SELECT 'set_config(1,2,false)'`, false],
    [`SELECT 1 -- set_config('a','b',false)`, false],
    [`SELECT pg_advisory_lock(1)`, true],
    [`SELECT pg_try_advisory_lock_shared(1)`, true],
    [`SELECT pg_advisory_xact_lock(1)`, false],
    [`CREATE TEMP TABLE x (a int)`, true],
    [`CREATE TEMPORARY VIEW x AS SELECT 1`, true],
    [`CREATE TEMP TABLE x (a int) ON COMMIT DROP`, false],
    [`SELECT 1 INTO TEMP x`, true],
    [`SELECT temp FROM readings`, false],
    [`INSERT INTO temp VALUES (1)`, false],
    [`DO $$ BEGIN SET work_mem = 1; END $$`, true],
    [`DO $$ BEGIN SET LOCAL work_mem = 1; END $$`, false],
    [`DO $x$ BEGIN PERFORM pg_advisory_lock(1); END $x$`, true],
    [`UPDATE t SET a = 1`, false],
    [`WITH a AS (SELECT 1) DELETE FROM t`, false],
    [`NOTIFY x`, false],
    [`CALL p()`, false],
  ];
  for (const [text, refused] of cases) {
    t.equal(build('write', text) === REFUSED, refused, text);
  }
  t.end();
});

t.test('no statement at all', (t) => {
  for (const text of [
    '',
    ' \n\t',
    ';',
    '-- only a comment',
    '/* open',
    ' ; ; ',
    '(',
    '/**/ -- x\n;',
  ]) {
    t.equal(build('read', text), EMPTY, JSON.stringify(text));
    t.equal(build('write', text), EMPTY);
  }
  t.end();
});

t.test('what is sent', (t) => {
  const cases: [verb: Verb, text: string, sql: string][] = [
    ['read', 'SELECT 1', `SELECT json_agg(s) FROM (\nSELECT 1${TAIL}`],
    ['read', 'SELECT 1;', `SELECT json_agg(s) FROM (\nSELECT 1${TAIL}`],
    ['read', 'SELECT 1 ; -- end', `SELECT json_agg(s) FROM (\nSELECT 1 ${TAIL}`],
    ['read', 'SELECT 1 -- a;', `SELECT json_agg(s) FROM (\nSELECT 1 -- a;${TAIL}`],
    ['read', `SELECT ';'`, `SELECT json_agg(s) FROM (\nSELECT ';'${TAIL}`],
    ['read', `SELECT ';' /* ; */ ;\n`, `SELECT json_agg(s) FROM (\nSELECT ';' /* ; */ ${TAIL}`],
    ['read', `SELECT $$;$$;`, `SELECT json_agg(s) FROM (\nSELECT $$;$$${TAIL}`],
    ['read', 'SELECT 1; SELECT 2', `SELECT json_agg(s) FROM (\nSELECT 1; SELECT 2${TAIL}`],
    ['write', 'DELETE FROM t;', 'DELETE FROM t;'],
    ['update', 'SELECT 1 -- x', 'SELECT 1 -- x'],
  ];
  for (const [verb, text, sql] of cases) t.equal(build(verb, text), sql, JSON.stringify(text));
  t.equal(
    builder.build('read', 'SELECT 7', 'f/s'),
    builder.build('read', 'SELECT 7', 'f/s'),
    'one object for one text',
  );
  t.not(builder.build('write', 'SELECT 7', 'f/s'), builder.build('read', 'SELECT 7', 'f/s'));
  t.end();
});

t.test('many texts are forgotten again', (t) => {
  const kept = builder.build('read', 'SELECT 0', 'f/s');
  for (let i = 1; i < 3000; i++) build('read', `SELECT ${i}`);
  t.not(builder.build('read', 'SELECT 0', 'f/s'), kept);
  t.end();
});

t.test('a position of PostgreSQL is one of the script', (t) => {
  const text = `SELECT '🐘é', nope`;
  const statement = builder.build('read', text, 'f/s');
  const characters = Array.from(statement.sql);
  const position = characters.length - TAIL.length - 'nope'.length + 1;
  t.equal(positionToScript(statement, position), text.indexOf('nope'));
  t.equal(positionToScript(statement, 1), 0, 'before the script');
  t.equal(positionToScript(statement, 9999), text.length, 'after it');
  t.equal(
    positionToScript(builder.build('write', text, 'f/s'), 12),
    12,
    'astral characters count once',
  );
  t.end();
});
