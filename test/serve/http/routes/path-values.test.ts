/** Values of a path's parameters in the query string that a worker reads. */
import t from 'tap';
import { withPathValues } from '#app/serve/http/routes/path-values.js';
import { parseQueryString } from '#app/script/request/query-string.js';

type Values = readonly (readonly [name: string, raw: string])[];

const CASES: readonly (readonly [values: Values, query: string, parameters: object])[] = [
  [[], 'a=1', { a: '1' }],
  [[['id', '7']], '', { id: '7' }],
  [[['id', '7']], 'a=1&a=2', { id: '7', a: ['1', '2'] }],
  [[['id', 'a+b']], '', { id: 'a+b' }],
  [[['id', 'a%20b']], '', { id: 'a b' }],
  [[['id', 'a&b=c']], '', { id: 'a&b=c' }],
  [[['id', '1&_renderer=xml']], '', { id: '1&_renderer=xml' }],
  [[['id', 'a%26b%2Fc']], 'b=%26', { id: 'a&b/c', b: '&' }],
  [[['id', '=']], '', { id: '=' }],
  [[['größe', '%C3%BC']], 'a=%20', { größe: 'ü', a: ' ' }],
  [[['a', '1'], ['b', '2']], 'c=3', { a: '1', b: '2', c: '3' }],
  // A query string cannot overwrite them.
  [[['id', '7']], 'id=8', { id: '7' }],
  [[['id', '7']], 'id', { id: '7' }],
  [[['id', '7']], 'id=8&id=9&a=1', { id: '7', a: '1' }],
  [[['id', '7']], '%69d=8&i%64=9', { id: '7' }],
  [[['größe', '7']], 'größe=1&gr%C3%B6%C3%9Fe=2', { größe: '7' }],
  [[['id', '7']], 'ID=8&id+=9&xid=1', { 'id': '7', 'ID': '8', 'id ': '9', 'xid': '1' }],
  [[['id', '7']], '&&', { id: '7' }],
  [[['__proto__', '7']], 'constructor=1', { ['__proto__']: '7', constructor: '1' }],
]; // prettier-ignore

t.test('parameters of path and query string', (t) => {
  for (const [values, query, parameters] of CASES) {
    const found = parseQueryString(withPathValues(query, values));
    t.same([...found], Object.entries(parameters), `${JSON.stringify(values)} ${query}`);
  }
  t.end();
});

t.test('a query string that is refused by itself is refused with them', (t) => {
  for (const query of ['%=1', 'a=%ff', 'a=%00', 'i%d=1', 'a\uFFFD'])
    t.throws(() => parseQueryString(withPathValues(query, [['id', '7']])), { code: 'invalid_query_string' }, query); // prettier-ignore
  t.end();
});
