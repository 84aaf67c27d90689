/** The maps of a template: their keys, the values rendered, and the values bound. */
import t from 'tap';
import { parseQueryString } from '#app/script/request/query-string.js';
import { canonicalName } from '#app/base/headers.js';
import { HeaderFields } from '#app/script/request/header-fields.js';
import { RequestData } from '#app/script/request/request-data.js';
import { compile, Refused, RefusedValue } from '#app/template/template.js';

const CREDENTIALS =
  'Authorization Proxy-Authorization Cookie X-Api-Key X-Auth-Token X-Access-Token'.split(' ');

function dataOf(query: string, headers: Record<string, string | string[]> = {}) {
  const packed = Object.entries(headers)
    .flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]))
    .join('\n');
  const blanked: string[] = [];
  const data = new RequestData(parseQueryString(query), packed, '', (name) => blanked.push(name));
  return { data, blanked };
}

t.test('keys that never come from the query string', (t) => {
  const names = [
    'header',
    '_param',
    '_header',
    'header.X-Demo',
    'header.',
    'claims.sub',
    'claims.',
  ];
  const { data } = dataOf(names.map((name) => `${name}=x&${name}=y`).join('&'));
  for (const name of names.slice(1)) {
    t.equal(data.get(name), undefined, name);
    t.equal(data.raw(name), undefined, `${name} to bind`);
    t.equal(data.isSent(name), false, `${name} is not sent`);
  }
  t.ok(data.get('header') instanceof HeaderFields);
  t.equal(data.raw('header'), undefined);
  t.strictSame(data.keys().sort(), ['_page', '_page_size', 'header']);
  const near = ['headers', 'header-x', 'claims', 'claimsx', '_params', 'Header', '_headers'];
  const { data: free } = dataOf(near.map((name) => `${name}=v`).join('&'));
  for (const name of near) t.equal(free.get(name), 'v', `${name} is a name as any other`);
  t.end();
});

t.test('prototype names are ordinary', (t) => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'get', 'raw'];
  const { data: none } = dataOf('');
  const { data: all } = dataOf(names.map((name) => `${name}=v`).join('&'), { 'x-demo': 'v' });
  for (const name of names) {
    t.equal(none.get(name), undefined, name);
    t.equal(none.raw(name), undefined);
    t.equal(none.raw(`header.${name}`), undefined);
    t.equal(none.isSent(name), false);
    t.equal(all.get(name), 'v');
    t.equal((all.get('header') as HeaderFields).get(name), undefined);
  }
  t.end();
});

t.test('what the screen refuses', (t) => {
  const { data } = dataOf("a='&b=x&b=';&b=y");
  const a = data.get('a');
  t.ok(a instanceof Refused && a.parameter === 'a');
  t.equal(data.get('a'), a, 'screened once');
  t.match(data.get('b'), ['x', Refused, 'y']);
  t.equal(data.raw('a'), "'", 'bound, it is as it was sent');
  t.strictSame(data.raw('b'), ['x', "';", 'y']);
  t.throws(() => compile('{{.b}}', 't').render(data), RefusedValue);
  t.equal(compile('{{if .a}}{{sqlVal "a"}}{{end}}', 't').render(data).text, '$1');
  t.end();
});

t.test('credentials are there, and empty', (t) => {
  const sent = Object.fromEntries(
    CREDENTIALS.flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]).map((name) => [
      name,
      ['secret', 'secret'],
    ]),
  );
  for (const headers of [{}, sent]) {
    const { data } = dataOf('', headers);
    const header = data.get('header') as HeaderFields;
    for (const name of CREDENTIALS) {
      t.equal(header.get(name), '', name);
      t.equal(data.raw(`header.${name}`), '', `${name} to bind`);
    }
    t.strictSame(header.keys().sort(), [...CREDENTIALS].sort(), 'and no other spelling');
  }
  t.end();
});

t.test('headers', (t) => {
  const { data, blanked } = dataOf('', {
    'x-demo': 'v',
    'X-LIST': ['a', "b'", 'c'],
    'x-bad': "a' OR 1",
    'x-empty': '',
    host: 'h',
    'content-length': '5',
    'bad name': 'x',
  });
  const header = data.get('header') as HeaderFields;
  const cases: [name: string, rendered: unknown, bound: unknown][] = [
    ['X-Demo', 'v', 'v'],
    ['x-demo', undefined, undefined],
    ['X-List', ['a', '', 'c'], ['a', "b'", 'c']],
    ['X-Bad', '', "a' OR 1"],
    ['X-Empty', '', ''],
    ['Host', undefined, undefined],
    ['Content-Length', undefined, undefined],
    ['X-None', undefined, undefined],
    ['bad name', 'x', 'x'],
  ];
  for (const [name, rendered, bound] of cases) {
    t.strictSame(data.raw(`header.${name}`), bound, `${name} to bind`);
    t.strictSame(header.get(name), rendered, name);
    t.strictSame(header.get(name), rendered, `${name}, again`);
  }
  t.strictSame(blanked, ['X-List', 'X-Bad'], 'each is reported once, by name');
  t.strictSame(dataOf('', { 'x-bad': "'" }).blanked, [], 'unless it is not used');
  t.end();
});

t.test('canonical names', (t) => {
  const names = {
    'x-request-id': 'X-Request-Id',
    'USER-AGENT': 'User-Agent',
    etag: 'Etag',
    'x--y-': 'X--Y-',
    'x_y-1a': 'X_y-1a',
    'a b': 'a b',
    é: 'é',
    '': '',
  };
  for (const [name, canonical] of Object.entries(names)) t.equal(canonicalName(name), canonical);
  t.end();
});

t.test('page defaults', (t) => {
  const { data } = dataOf('');
  t.equal(data.get('_page'), '1');
  t.equal(data.get('_page_size'), '10');
  t.equal(data.raw('_page_size'), '10', 'a bound limit is a limit, too');
  t.equal(data.isSent('_page'), false);
  t.equal(dataOf('_page=3').data.get('_page'), '3');
  t.equal(dataOf('_page=').data.get('_page'), '', 'sent, if empty');
  t.equal(dataOf('_page=3').data.isSent('_page'), true);
  t.end();
});
