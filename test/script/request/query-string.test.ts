/**
 * Query strings: what they decode to, and what is refused rather than dropped. The vectors hold the parser in C++ as well
 * (native/test/query_string_test.cc), which decodes the query strings of plugins.
 */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { MAX_PAIRS, parseQueryString } from '#app/script/request/query-string.js';

interface Vector {
  readonly raw: string;
  /** A name with its values. */
  readonly parameters?: readonly (readonly string[])[];
  readonly error?: string;
}

function parsed(raw: string): Vector {
  try {
    const parameters = [...parseQueryString(raw)].map(([name, value]) => [name, value].flat());
    return { raw, parameters };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_query_string')
      return { raw, error: error.message };
    throw error;
  }
}

t.test('agrees with every vector', (t) => {
  const file = new URL('../../../../test/vectors/query-strings.jsonl', import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  t.ok(lines.length > 80);
  for (const line of lines) {
    const vector = JSON.parse(line) as Vector;
    t.strictSame(parsed(vector.raw), vector);
  }
  t.end();
});

t.test('one value is a string, several are a list', (t) => {
  t.strictSame(
    [...parseQueryString('a=1&b=2&a=3')],
    [
      ['a', ['1', '3']],
      ['b', '2'],
    ],
  );
  t.end();
});

t.test('the number of pairs', (t) => {
  const pairs = (n: number) => Array.from({ length: n }, (_, i) => `k${i}=v`).join('&');
  t.equal(parsed(pairs(MAX_PAIRS)).error, undefined);
  t.match(parsed(pairs(MAX_PAIRS + 1)).error, /1000/);
  t.match(parsed('a&'.repeat(10_000)).error, /1000/);
  t.equal(parsed('&'.repeat(60_000)).error, undefined, 'empty pairs are no pairs');
  t.end();
});
