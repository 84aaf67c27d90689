/** Where one statement ends and the next begins. */
import t from 'tap';
import { statementRanges } from '#app/script/statement/statement-split.js';
import { isLinear } from '../../support/cpu.js';
import { SPLIT } from './statement-texts.js';

t.test('texts', (t) => {
  for (const [text, statements] of SPLIT)
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
