/** The description of a script, from its leading comment. */
import t from 'tap';
import { descriptionOf } from '#app/script/head/description.js';
import { isLinear } from '../../support/cpu.js';

const cases: [script: string, expected: string][] = [
  ['', ''],
  ['SELECT 1 -- not at the beginning', ''],
  ['SELECT 1\n-- later', ''],
  ['-- One line\nSELECT 1', 'One line'],
  ['--One line', 'One line'],
  ['\n  -- Two\r\n  -- lines  \nSELECT 1', 'Two lines'],
  ['---- Framed ----\nSELECT 1', 'Framed ----'],
  ['-- First\n\n-- of another kind\nSELECT 1', 'First'],
  ['--\n-- After an empty one', 'After an empty one'],
  ['--\nSELECT 1', ''],
  ['/* A block */ SELECT 1', 'A block'],
  ['/*\n * With\n * stars\n */\nSELECT 1', 'With stars'],
  ['/* without an end', ''],
  ['{{/* Of the template */}}SELECT 1', 'Of the template'],
  ['{{- /* Trimmed\n on both sides */ -}}\nSELECT 1', 'Trimmed on both sides'],
  ['{{sqlVal "x"}} /* no */', ''],
  ['-- With {{sqlVal "x"}} an action\nSELECT 1', 'With an action'],
  ['-- Umlaute: äöü, “quotes”, 日本\nSELECT 1', 'Umlaute: äöü, “quotes”, 日本'],
  ['-- a\u0000b\u001b[31mc\u202ed\u{e0041}e\u200bf\ud800g', 'a b [31mc d e f g'],
  [`-- ${'word '.repeat(400)}`, `${'word '.repeat(200).trimEnd()}…`],
  [`-- ${'x'.repeat(3_000)}`, `${'x'.repeat(1_000)}…`],
];

t.test('comments', (t) => {
  for (const [script, expected] of cases)
    t.equal(descriptionOf(script), expected, script.slice(0, 60).replace(/[^ -~]/g, '?'));
  t.end();
});

t.test('time is linear in the text', async (t) => {
  for (const part of ['-- \n', '/*', '-', '{{/*'])
    await isLinear(t, (size) => descriptionOf(part.repeat(size)), 400_000, part.trim());
});
