/** Patterns of parameters: what they match, what they refuse, and their time. */
import t from 'tap';
import { compilePattern, LONGEST_MATCHED, PatternError } from '#app/script/head/pattern.js';
import { isLinear } from '../../support/cpu.js';

const REFUSED = [
  ...['(', ')', '(?=a)', '(?<!a)', '\\1', '[', '[z-a]', '*', 'a**', 'a{2,1}', 'a{1001}'],
  ...['\\', '\\k', '(a{1000}){1000}', '('.repeat(60), '\\p{Nope}', '\\q'],
];

t.test('patterns that are refused', (t) => {
  for (const pattern of REFUSED)
    t.throws(() => compilePattern(pattern), PatternError, pattern.slice(0, 20));
  t.end();
});

const PATTERNS = [
  ...[
    '',
    'a',
    'abc',
    'a|b|',
    'a*',
    'a+b?',
    '(?:ab)*',
    '(a|b)*c',
    'a{2}',
    'a{2,}',
    'a{1,3}b',
    'a{0}',
  ],
  ...[
    '[a-c]+',
    '[^a]',
    '\\d{2}-\\w+',
    '.',
    '\\.',
    '[\\]]',
    '[.$]+',
    '\\$',
    '\\x61',
    '\\p{L}+',
    'a+?b',
  ],
  ...['^a$', '^(a|b)$', 'a\\$', '(a*)*', '(a|a)*b', '(|a)+', '((a?)*)*', '\\/', '-'],
];
const VALUES = [
  ...['', 'a', 'b', 'c', 'ab', 'aa', 'aaa', 'aaab', 'abab', 'abc', 'abac', '12-x', '12-', '.', '$'],
  ...[']', '.$', 'a$', 'ä', '日本', '😀', 'a\n', '\n', '/', '-'],
];

t.test('the same as JavaScript, over the whole value', (t) => {
  for (const pattern of PATTERNS) {
    const matches = compilePattern(pattern);
    const reference = new RegExp(`^(?:${pattern.replace(/^\^|(?<!\\)\$$/g, '')})$`, 'u');
    for (const value of VALUES)
      t.equal(matches(value), reference.test(value), `${pattern} on ${JSON.stringify(value)}`);
  }
  t.end();
});

t.test('time is linear in the value', async (t) => {
  for (const pattern of ['(a*)*b', '(a|a)*b', '(a|aa)+b', 'a*a*a*a*b', '(.*,)*x'])
    await isLinear(
      t,
      (size) => compilePattern(pattern)('a'.repeat(size)),
      LONGEST_MATCHED,
      pattern,
    );
  t.notOk(compilePattern('a*')('a'.repeat(LONGEST_MATCHED + 1)));
});
