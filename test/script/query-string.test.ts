/** Query strings: what they decode to, and what is refused rather than dropped. */
import t from 'tap';
import { ServiceError } from '#app/errors.js';
import { MAX_PAIRS, parseQueryString } from '#app/script/query-string.js';

function refusal(raw: string): string {
  try {
    parseQueryString(raw);
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

t.test('refused', (t) => {
  const cases: [what: string, raw: string][] = [
    ['a percent sign alone', 'a=%'],
    ['one digit', 'a=%4'],
    ['no hexadecimal digits', 'a=%zz'],
    ['in a name', '%zz=1'],
    ['in a pair that nobody asks for', 'a=1&b=%'],
    ['half a character', 'a=%C3'],
    ['a continuation alone', 'a=%A9'],
    ['an overlong form', 'a=%C0%AF'],
    ['a surrogate', 'a=%ED%A0%80'],
    ['beyond Unicode', 'a=%F4%90%80%80'],
    ['a character parted by an ampersand', 'a=%C3&b=%A9'],
    ['a raw byte that was no UTF-8', 'a=\uFFFD'],
    ['such a byte in a name', '\uFFFD=1'],
    ['NUL', 'a=%00'],
    ['NUL in a name', 'a%00b=1'],
    ['raw NUL', 'a=\0'],
  ];
  for (const [what, raw] of cases) {
    t.equal(refusal(raw), 'invalid_query_string: invalid query string', what);
  }
  const pairs = (n: number) => Array.from({ length: n }, (_, i) => `k${i}=v`).join('&');
  t.equal(refusal(pairs(MAX_PAIRS)), 'accepted');
  t.match(refusal(pairs(MAX_PAIRS + 1)), /^invalid_query_string: .*1000/);
  t.match(refusal('a&'.repeat(10_000)), /^invalid_query_string: .*1000/);
  t.equal(refusal('&'.repeat(60_000)), 'accepted', 'empty pairs are no pairs');
  t.end();
});

t.test('decoded', (t) => {
  const cases: [raw: string, parameters: [string, string | string[]][]][] = [
    ['', []],
    ['a=1', [['a', '1']]],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=1', [['', '1']]],
    ['a=b=c', [['a', 'b=c']]],
    ['&&a=1&&', [['a', '1']]],
    ['a=1;b=2', [['a', '1;b=2']]],
    ['b=1&a=2', [['b', '1'], ['a', '2']]], // prettier-ignore
    ['a=1&b=2&a=3&a=', [['a', ['1', '3', '']], ['b', '2']]], // prettier-ignore
    ['a+b=c+d', [['a b', 'c d']]],
    ['a=%2B%26%3D%3B%25', [['a', '+&=;%']]],
    ['%61=1&a=2', [['a', ['1', '2']]]],
    ['a=%e2%82%AC', [['a', '€']]],
    ['a=é😀', [['a', 'é😀']]],
    ['a=%F0%9F%98%80é', [['a', '😀é']]],
    ['a=%EF%BF%BD', [['a', '\uFFFD']]],
    ['__proto__=1&constructor=2', [['__proto__', '1'], ['constructor', '2']]], // prettier-ignore
  ];
  for (const [raw, parameters] of cases) {
    t.strictSame([...parseQueryString(raw)], parameters, raw);
  }
  t.end();
});
