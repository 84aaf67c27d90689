import t from 'tap';
import { MAX_PAIRS, parseQueryString } from '#app/script/query-string.js';

t.test('what cannot be decoded is refused, never dropped', (t) => {
  const cases: [what: string, raw: string][] = [
    ['no hex digits', 'a=%zz'],
    ['one hex digit', 'a=%4'],
    ['a lone percent sign', 'a=1&b=%'],
    ['in a name', '%G0=1'],
    ['a lone continuation byte', 'a=%80'],
    ['a cut sequence', 'a=%C3'],
    ['overlong', 'a=%C0%AF'],
    ['a surrogate', 'a=%ED%A0%80'],
    ['beyond Unicode', 'a=%F4%90%80%80'],
    ['an escaped NUL', 'a=x%00y'],
    ['a raw NUL', 'a=x\0y'],
    ['raw bytes that were no UTF-8', 'a=\uFFFD'],
    ['too many pairs', Array.from({ length: MAX_PAIRS + 1 }, (_, i) => `p${i}=1`).join('&')],
    ['too many of one name', 'a=1&'.repeat(MAX_PAIRS + 1)],
  ];
  for (const [what, raw] of cases) {
    t.throws(() => parseQueryString(raw), { code: 'invalid_query_string', status: 400 }, what);
  }
  t.end();
});

t.test('what is decoded', (t) => {
  const cases: [raw: string, parameters: [string, string | string[]][]][] = [
    ['', []],
    ['&&', []],
    ['a=1', [['a', '1']]],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=x', [['', 'x']]],
    ['a=b=c', [['a', 'b=c']]],
    ['a=1;b=2', [['a', '1;b=2']]],
    ['a=x+y%2Bz', [['a', 'x y+z']]],
    ['a+b=1', [['a b', '1']]],
    ['a=%C3%A9&b=é', [['a', 'é'], ['b', 'é']]], // prettier-ignore
    ['a=%F0%9F%90%98', [['a', '🐘']]],
    ['a=1&b=2&a=3&a=', [['a', ['1', '3', '']], ['b', '2']]], // prettier-ignore
    ['%61=1&a=2', [['a', ['1', '2']]]],
    ['__proto__=1&constructor=2&toString=3', [['__proto__', '1'], ['constructor', '2'], ['toString', '3']]], // prettier-ignore
    ['%EF%BF%BD=1', [['\uFFFD', '1']]],
  ];
  for (const [raw, parameters] of cases) {
    t.strictSame([...parseQueryString(raw)], parameters, raw);
  }
  t.equal(parseQueryString('a=1&'.repeat(MAX_PAIRS)).size, 1, 'as many pairs as allowed');
  t.end();
});
