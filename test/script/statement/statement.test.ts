/** Statements made of rendered texts, and PostgreSQL's positions mapped back to them. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { positionToScript, jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';
import { isLinear } from '../../support/cpu.js';

const builder = new StatementBuilder(jsonFrame('json_agg', 1000));
const TAIL =
  '\n) s HAVING (pg_catalog.pg_column_size(pg_catalog.json_agg(s.*)) OPERATOR(pg_catalog.<=) 1000) IS NOT FALSE';

t.test('texts without a statement', (t) => {
  const texts = [
    '',
    ' \n\t',
    '-- only a note',
    '/* /* nested */ */',
    ';',
    ' ; -- x\n ; ',
    '(',
    '/*',
  ];
  for (const text of texts) {
    for (const verb of ['read', 'write', 'update', 'delete'] as const) {
      t.throws(() => builder.build(verb, text, 'f/s'), {
        code: 'script_not_usable',
        status: 400,
        message: 'could not parse script f/s, check your service logs',
      });
    }
  }
  t.end();
});

t.test('what of a read is wrapped', (t) => {
  const cases: [text: string, kept: string][] = [
    ['SELECT 1', 'SELECT 1'],
    ['SELECT 1;', 'SELECT 1'],
    ['SELECT 1 ; \n', 'SELECT 1 '],
    ['SELECT 1; -- note', 'SELECT 1'],
    ['SELECT 1 /* ; */;/* ; */ -- ;', 'SELECT 1 /* ; */'],
    ['SELECT 1 -- note', 'SELECT 1 -- note'],
    ['SELECT 1 -- note;', 'SELECT 1 -- note;'],
    ["SELECT ';'", "SELECT ';'"],
    ["SELECT 'a;''b' ;", "SELECT 'a;''b' "],
    ["SELECT E'\\';';", "SELECT E'\\';'"],
    ["SELECT '\\';", "SELECT '\\'"],
    ["SELECT E'a'\n  '\\';' ;", "SELECT E'a'\n  '\\';' "],
    ["SELECT E'a' -- note\n '\\';'", "SELECT E'a' -- note\n '\\';'"],
    ['SELECT ";" ";";', 'SELECT ";" ";"'],
    ['SELECT U&"a;"";" ;', 'SELECT U&"a;"";" '],
    ["SELECT U&'a;'';' ;", "SELECT U&'a;'';' "],
    ['SELECT $$;$$', 'SELECT $$;$$'],
    ['SELECT $a$;$$;$b$;$a$;', 'SELECT $a$;$$;$b$;$a$'],
    ['SELECT a$$;', 'SELECT a$$'],
    ['SELECT $1;', 'SELECT $1'],
    ['SELECT é$é$;', 'SELECT é$é$'],
    ['SELECT $é$;$é$', 'SELECT $é$;$é$'],
    ['SELECT 1;;', 'SELECT 1'],
    ['SELECT 1 ; -- note;\n ; ', 'SELECT 1 '],
    ["SELECT 'open;", "SELECT 'open;"],
    ['SELECT /* open;', 'SELECT /* open;'],
    ['SELECT $q$ open;', 'SELECT $q$ open;'],
  ];
  for (const [text, kept] of cases) {
    const { sql, start, length } = builder.build('read', text, 'f/s');
    t.equal(sql.slice(start, start + length), kept, text);
    t.equal(sql.slice(0, start), 'SELECT pg_catalog.json_agg(s.*) FROM (\n');
    t.equal(sql.slice(start + length), TAIL, 'on a line of its own');
    t.equal(builder.build('write', text, 'f/s').sql, text, 'a write goes as it is');
  }
  t.end();
});

t.test('the same text gives the same statement, until many others came', (t) => {
  const first = builder.build('read', 'SELECT 1 AS kept', 'f/s');
  t.equal(builder.build('read', 'SELECT 1 AS kept', 'f/s'), first);
  t.not(builder.build('write', 'SELECT 1 AS kept', 'f/s'), first);
  for (let i = 0; i < 5000; i++) builder.build('read', `SELECT ${i}`, 'f/s');
  t.not(builder.build('read', 'SELECT 1 AS kept', 'f/s'), first);
  t.end();
});

t.test('a read is one statement', (t) => {
  const texts = ['SELECT 1; SELECT 2', '\nSELECT 1) s;\nDROP TABLE a', "SELECT '\n';\n\nx;"];
  const lines = [1, 3, 4];
  texts.forEach((text, i) => {
    t.throws(() => builder.build('read', text, 'f/s'), {
      code: 'statement_not_allowed',
      message: `statement is not allowed in a script that reads: a second one (line ${lines[i]})`,
    });
  });
  t.end();
});

t.test('positions', (t) => {
  const text = 'SELECT é, 😀x;';
  const statement = builder.build('read', text, 'f/s');
  const head = statement.start;
  const cases: [position: number, offset: number][] = [
    [1, 0],
    [head, 0],
    [head + 1, 0],
    [head + 8, 7],
    [head + 11, 10],
    [head + 12, 12],
    [head + 13, 13],
    [head + 30, 13],
    [1_000_000, 13],
  ];
  for (const [position, offset] of cases) {
    t.equal(positionToScript(statement, position), offset, `position ${position}`);
  }
  t.equal(positionToScript(builder.build('write', text, 'f/s'), 1), 0);
  t.equal(positionToScript(builder.build('write', text, 'f/s'), 12), 12);
  t.end();
});

t.test('time is linear in the text', async (t) => {
  const openers = ['(', '/*', '$a', '$$', "'", '"', "E'\\'", '--\n', ';', '$a$ $b$ ', "''\n", 'a '];
  for (const opener of openers) {
    const build = (size: number): void => {
      try {
        builder.build('read', `DO ${opener.repeat(size)} pg_temp`, 'f/s');
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
      }
    };
    await isLinear(t, build, 200_000, opener.trim());
  }
});
