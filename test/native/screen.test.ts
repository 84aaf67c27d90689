/** The value screen as the service and users of the package call it: verdicts, wrong arguments, long values. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { screen } from '#app/native/screen.js';

interface Vector {
  readonly value: string;
  readonly ok: boolean;
}

t.test('values other than strings are rejected', (t) => {
  const call = screen as (...values: unknown[]) => boolean;
  for (const value of [undefined, null, 1, true, ['a'], { toString: () => 'a' }, Symbol('a'), 1n])
    t.throws(() => call(value), TypeError);
  t.throws(() => call(), TypeError);
  t.end();
});

t.test('every vector', (t) => {
  const file = new URL('../../../test/vectors/screen.jsonl', import.meta.url);
  const vectors = readFileSync(file, 'utf8').trim().split('\n');
  t.ok(vectors.length > 400);
  const wrong = vectors
    .map((line) => JSON.parse(line) as Vector)
    .filter(({ value, ok }) => screen(value) !== ok);
  t.same(wrong, []);
  t.end();
});

t.test('a keyword after a number that some version of PostgreSQL reads', (t) => {
  for (const number of [
    '1e0',
    '0e0',
    '1.e5',
    '.5e1',
    '1e-5e5',
    '0x1',
    '0o7',
    '0b1',
    '1_0',
    '1_000e1_0',
  ])
    t.equal(screen(`${number}or true`), false, number);
  for (const value of ['4door sedan', '1eor x', 'e5or x', 'a.e5or x', '0xor x', '1e0or'])
    t.equal(screen(value), true, value);
  t.end();
});

t.test('characters whose low byte is allowed are rejected', (t) => {
  // Latin-1 conversion would make these `A`, ` ` and `-`.
  for (const value of ['\u0141', 'a\u2020b', '\u012d', '\ud800', 'x\udc41'])
    t.equal(screen(value), false, JSON.stringify(value));
  t.end();
});

t.test('the verdict does not depend on the length', (t) => {
  const letters = (count: number) => 'x'.repeat(count);
  for (const count of [254, 255, 256, 509, 510, 511, 512, 513, 1023, 65_536, 1 << 20]) {
    t.equal(screen(letters(count)), true, `${count} letters`);
    t.equal(screen(`${letters(count)}'`), false, `a quote after ${count}`);
    t.equal(screen(`${letters(count)}--`), false, `hyphens after ${count}`);
    t.equal(screen(`${letters(count)} or`), false, `a keyword after ${count}`);
    t.equal(screen(`${letters(count)} for`), true, `a word after ${count}`);
    t.equal(screen(`or ${letters(count)}`), false, `a keyword before ${count}`);
    t.equal(screen(`${letters(count)}\u0141`), false, `a wide character after ${count}`);
  }
  t.end();
});
