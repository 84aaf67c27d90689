/** Where one statement ends and the next begins. */
import t from 'tap';
import { statementRanges } from '#app/script/statement/statement-split.js';
import { isLinear } from '../../support/cpu.js';

const CASES: readonly [text: string, statements: readonly string[]][] = [
  ['', []],
  [' \n', []],
  [';; ;', []],
  ['-- note', []],
  ['/* ; */ ; -- ;\n;', []],
  ['SELECT 1', ['SELECT 1']],
  ['SELECT 1;', ['SELECT 1']],
  [';SELECT 1 ;; ', ['SELECT 1']],
  ['SELECT 1; SELECT 2', ['SELECT 1', 'SELECT 2']],
  ['SELECT 1;SELECT 2;\n\tSELECT 3;\n', ['SELECT 1', 'SELECT 2', 'SELECT 3']],
  [
    'SELECT 1; -- first\nSELECT 2 -- second;\n; -- third',
    ['SELECT 1', '-- first\nSELECT 2 -- second;'],
  ],
  ['a /* ; /* ; */ ; */; b', ['a /* ; /* ; */ ; */', 'b']],
  ['a /* ; /* */ ; b', ['a /* ; /* */ ; b']],
  ["a ';' ''';'; b", ["a ';' ''';'", 'b']],
  ["a ';''' ; b", ["a ';'''", 'b']],
  [`a ";" ";"""; b`, [`a ";" ";"""`, 'b']],
  ["a '\\'; b'", ["a '\\'", "b'"]],
  ["a E'\\';'; b", ["a E'\\';'", 'b']],
  ["a e'x'\n '\\';'; b", ["a e'x'\n '\\';'", 'b']],
  ["a x'y'\n ';'; b", ["a x'y'\n ';'", 'b']],
  [`a U&";"; b U&';'`, [`a U&";"`, `b U&';'`]],
  ['a $$;$$; b', ['a $$;$$', 'b']],
  ['a $x$ ; $$ ; $y$ ; $x$; b', ['a $x$ ; $$ ; $y$ ; $x$', 'b']],
  ['a $1; b $2', ['a $1', 'b $2']],
  ['a $1$;$1; b', ['a $1$', '$1', 'b']],
  ['a x$y$; b$y$', ['a x$y$', 'b$y$']],
  ['a $$ ; b', ['a $$ ; b']],
  ["a ' ; b", ["a ' ; b"]],
  [
    'CREATE RULE r AS ON INSERT TO t DO ALSO (INSERT INTO u VALUES (1); NOTIFY x); b',
    ['CREATE RULE r AS ON INSERT TO t DO ALSO (INSERT INTO u VALUES (1); NOTIFY x)', 'b'],
  ],
  ['a (; b); c', ['a (; b)', 'c']],
  ['a ); b', ['a )', 'b']],
  ['a [1;2]; b', ['a [1', '2]', 'b']],
  [
    'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END; b',
    ['CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END', 'b'],
  ],
  [
    'create /* */ or replace procedure p() begin\natomic INSERT INTO t SELECT CASE WHEN a THEN 1 END; UPDATE t SET a = case b when 1 then case when c then 1 end end; END; b;',
    [
      'create /* */ or replace procedure p() begin\natomic INSERT INTO t SELECT CASE WHEN a THEN 1 END; UPDATE t SET a = case b when 1 then case when c then 1 end end; END',
      'b',
    ],
  ],
  [
    'CREATE FUNCTION "case"(a int DEFAULT CASE WHEN true THEN 1 END) RETURNS int BEGIN ATOMIC SELECT (CASE WHEN a = 1 THEN 1 END); END; b',
    [
      'CREATE FUNCTION "case"(a int DEFAULT CASE WHEN true THEN 1 END) RETURNS int BEGIN ATOMIC SELECT (CASE WHEN a = 1 THEN 1 END); END',
      'b',
    ],
  ],
  [
    'CREATE FUNCTION begin() RETURNS int RETURN 1; b',
    ['CREATE FUNCTION begin() RETURNS int RETURN 1', 'b'],
  ],
  [
    'CREATE FUNCTION f() RETURNS int AS $$ BEGIN; $$ LANGUAGE plpgsql; b',
    ['CREATE FUNCTION f() RETURNS int AS $$ BEGIN; $$ LANGUAGE plpgsql', 'b'],
  ],
  [
    'CREATE TABLE function (begin int, atomic int); b',
    ['CREATE TABLE function (begin int, atomic int)', 'b'],
  ],
  ['CREATE FUNCTION f() BEGIN ATOMIC ; a; b', ['CREATE FUNCTION f() BEGIN ATOMIC ; a; b']],
  ['SELECT begin atomic; SELECT CASE; b', ['SELECT begin atomic', 'SELECT CASE', 'b']],
];

t.test('texts', (t) => {
  for (const [text, statements] of CASES)
    t.strictSame(
      statementRanges(text).map(({ start, end }) => text.slice(start, end)),
      statements,
      text,
    );
  t.end();
});

t.test('where the first token begins', (t) => {
  const text = '-- a\n\nSELECT 1;\n -- b; c\n /* d */ SELECT 2';
  t.strictSame(
    statementRanges(text).map(({ at }) => text.slice(at, at + 8)),
    ['SELECT 1', 'SELECT 2'],
  );
  t.end();
});

t.test('what creates a function', (t) => {
  const text =
    'CREATE FUNCTION f() AS x; CREATE OR -- a\n REPLACE PROCEDURE p() AS x; CREATE TABLE function (a int); CREATE OR FUNCTION; SELECT create function';
  t.strictSame(
    statementRanges(text).map(({ isFunction }) => isFunction),
    [true, true, false, true, false],
  );
  t.end();
});

t.test('time is linear in the text', async (t) => {
  for (const opener of [
    ';',
    '(;',
    'a;',
    "';'",
    '$a;',
    '/*;',
    '--;\n',
    'CREATE FUNCTION BEGIN ATOMIC;',
  ])
    await isLinear(t, (size) => statementRanges(opener.repeat(size)), 20_000, opener);
});
