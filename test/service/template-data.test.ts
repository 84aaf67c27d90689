/** What a template sees of a request: parameters, headers, defaults; and what it never sees. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const CREDENTIALS = [
  'Authorization',
  'Proxy-Authorization',
  'Cookie',
  'X-Api-Key',
  'X-Auth-Token',
  'X-Access-Token',
];

const each = (form: (name: string) => string): string =>
  CREDENTIALS.map((name, i) => `${form(name)} AS c${i}`).join(', ');

const postgres = await startPostgres(t);
const service = await startService(t, {
  database: postgres.url,
  scripts: {
    'data/shown.read.sql': `SELECT '{{.a}}' AS a`,
    'data/bound.read.sql': 'SELECT {{sqlVal "a"}}::text AS a',
    'data/list.read.sql': `SELECT {{sqlVal "a"}}::text[] AS bound, array(SELECT unnest(ARRAY['x', 'y"', 'z']) INTERSECT ALL VALUES {{range $i, $v := .a}}{{if $i}}, {{end}}('{{$v}}'){{end}}) AS rendered`,
    'data/in.read.sql': `SELECT v FROM unnest(ARRAY['x', 'y', 'z']) v WHERE v IN {{inFormat "a"}}`,
    'data/some.read.sql': `SELECT v FROM unnest(ARRAY['x', 'y''', 'z']) v WHERE v IN {{sqlList "a"}}`,
    'data/count.read.sql': 'SELECT cardinality({{sqlVal "a"}}::text[]) AS n',
    'data/reserved.read.sql': `SELECT '{{index .header "X-Demo"}}' AS shown, {{sqlVal "header.X-Demo"}}::text AS bound,
      '{{._param}}{{._header}}' AS reserved, {{isSet "_param"}} AS set, {{sqlVal "header.a"}}::text AS dotted, {{sqlVal "claims.sub"}}::text AS claims`,
    'data/shown-credentials.read.sql': `SELECT ${each((name) => `'[{{index .header "${name}"}}]'`)}`,
    'data/bound-credentials.read.sql': `SELECT ${each((name) => `{{sqlVal "header.${name}"}}::text`)}`,
    'data/header.read.sql': `SELECT '{{index .header "X-Demo"}}' AS shown, {{sqlVal "header.X-Demo"}}::text AS bound, '{{index .header "x-demo"}}' AS lower`,
    'data/host.read.sql': `SELECT '{{index .header "Host"}}{{index .header "Content-Length"}}' AS v`,
    'data/unused.read.sql': `SELECT '{{if isSet "a"}}set{{end}}' AS a`,
    'data/chosen.read.sql': `SELECT '{{if isSet "b"}}{{.a}}{{else}}unused{{end}}' AS v`,
    'data/page.read.sql': `SELECT n, '{{._page}}' AS page, '{{._page_size}}' AS size, {{isSet "_page"}} AS set FROM generate_series(1, 25) n {{limitOffset ._page ._page_size}}`,
    'data/names.read.sql': `SELECT '{{.__proto__}}' AS proto, '{{.constructor}}' AS made, '{{.toString}}' AS text, {{isSet "hasOwnProperty"}} AS own`,
    'data/dash.read.sql': `SELECT '1' AS v -{{.a}}`,
    'data/slash.read.sql': `SELECT 1 /{{.a}} 2 AS v`,
    'data/colon.read.sql': `SELECT 1 :{{.a}} AS v`,
    'data/backslash.read.sql': `SELECT E'{{.a}}' AS v`,
    'data/pair.read.sql': `SELECT 1 {{.a}}{{.b}} 1 AS v`,
    'data/fallback.read.sql': `SELECT '{{defaultOrValue "a" "other"}}' AS a`,
    'data/ident.read.sql': `SELECT 1 AS {{ident "a"}}`,
    'data/unescaped.read.sql': `SELECT '{{unEscape .a}}' AS a`,
  },
});

/** Requests by the rows they give, or by their error. */
const GIVEN: Readonly<Record<string, unknown>> = {
  'data/shown': [{ a: '<no value>' }],
  'data/shown?a': [{ a: '' }],
  'data/shown?a=': [{ a: '' }],
  'data/shown?A=1': [{ a: '<no value>' }],
  'data/shown?a=x+y%2Dz': [{ a: 'x y-z' }],
  'data/shown?a=1&a=2': [{ a: '[1 2]' }],
  'data/shown?=1&&a=b=c': '400 invalid_value',
  'data/shown?a=1;b=2': '400 invalid_value',
  'data/shown?a=%2g': '400 invalid_query_string',
  'data/shown?a=%': '400 invalid_query_string',
  'data/shown?b=%ff&a=1': '400 invalid_query_string',
  'data/shown?b=%c0%af&a=1': '400 invalid_query_string',
  'data/shown?b=%ed%a0%80': '400 invalid_query_string',
  'data/shown?%00=1': '400 invalid_query_string',
  'data/shown?a=%00': '400 invalid_query_string',
  'data/bound': [{ a: null }],
  'data/bound?a=': [{ a: '' }],
  "data/bound?a=';DROP TABLE x--": [{ a: "';DROP TABLE x--" }],
  'data/bound?a=%F0%9F%98%80%0A%01': [{ a: '😀\n\u0001' }],
  'data/bound?a=1&a=2%22%5C': [{ a: '{"1","2\\"\\\\"}' }],
  'data/list?a=x&a=NULL&a=': [{ bound: ['x', 'NULL', ''], rendered: ['x'] }],
  'data/list?a=x&a=y%22': '400 invalid_value',
  'data/in': [],
  'data/in?a=x': [{ v: 'x' }],
  'data/in?a=x&a=z': [{ v: 'x' }, { v: 'z' }],
  'data/in?a=x,z': '400 invalid_value',
  'data/in?a=x&a=y%27': '400 invalid_value',
  'data/some': [],
  "data/some?a=y'": [{ v: "y'" }],
  "data/some?a=x&a=y'": [{ v: 'x' }, { v: "y'" }],
  'data/reserved?header=x&_param=y&_header=z&header.X-Demo=q&header.a=q&claims.sub=q': [
    {
      shown: '<no value>',
      bound: null,
      reserved: '<no value><no value>',
      set: false,
      dotted: null,
      claims: null,
    },
  ],
  'data/host': [{ v: '<no value><no value>' }],
  'data/unused?a=%27;--': [{ a: 'set' }],
  'data/chosen?a=%27': [{ v: 'unused' }],
  'data/chosen?a=%27&b': '400 invalid_value',
  'data/names': [{ proto: '<no value>', made: '<no value>', text: '<no value>', own: false }],
  'data/names?__proto__=a&constructor=b&toString=c&hasOwnProperty=d': [
    { proto: 'a', made: 'b', text: 'c', own: true },
  ],
  'data/fallback': [{ a: 'other' }],
  'data/fallback?a=': [{ a: '' }],
  'data/fallback?a=x': [{ a: 'x' }],
  'data/fallback?a=x%27': '400 invalid_value',
  'data/ident?a=b': [{ b: 1 }],
  'data/ident?a=b-c': '400 script_not_usable',
  'data/ident': '400 script_not_usable',
  'data/unescaped?a=x/y': [{ a: 'x/y' }],
  'data/unescaped?a=x%2527y': '400 invalid_value',
  // Values that complete syntax with what stands beside them.
  'data/dash?a=-1': '400 invalid_value',
  'data/dash?a=1': '400 invalid_value',
  'data/slash?a=*': '400 invalid_value',
  'data/slash?a=1 /': [{ v: 0 }],
  'data/colon?a=:int': '400 invalid_value',
  'data/backslash?a=x%5C': '400 invalid_value',
  'data/backslash?a=x%5Cn': [{ v: 'x\n' }],
  'data/pair?a=-&b=-': '400 invalid_value',
  'data/pair?a=-&b=': [{ v: 0 }],
};

t.test('parameters', async (t) => {
  for (const [target, expected] of Object.entries(GIVEN)) {
    const got = Array.isArray(expected) ? await service.rows(target) : await service.error(target);
    t.strictSame(got, expected, target.replaceAll('#', ''));
  }
});

t.test('pages', async (t) => {
  const pages: Readonly<Record<string, readonly [first: number, rows: number, set: boolean]>> = {
    '': [1, 10, false],
    '?_page=2': [11, 10, true],
    '?_page=2&_page_size=20': [21, 5, true],
    '?_page=0&_page_size=3': [1, 3, true],
  };
  for (const [query, [first, count, set]] of Object.entries(pages)) {
    const rows = (await service.rows(`data/page${query}`)) as { n: number; set: boolean }[];
    t.same([rows[0]?.n, rows.length, rows[0]?.set], [first, count, set], query);
  }
  t.equal(await service.error('data/page?_page_size=-1'), '400 2201W');
  for (const query of ['_page=x', '_page=1.5', '_page=', '_page=1&_page=2', '_page_size=1e3'])
    t.equal(await service.error(`data/page?${query}`), '400 invalid_parameter', query);
  t.equal(await service.error(`data/page?_page=1%3B`), '400 invalid_value');
});

t.test('credential headers are empty, sent or not', async (t) => {
  const sent = Object.fromEntries(CREDENTIALS.map((name) => [name.toUpperCase(), 'hush']));
  const rows = (value: string): unknown => [
    Object.fromEntries(CREDENTIALS.map((_, i) => [`c${i}`, value])),
  ];
  for (const headers of [sent, {}]) {
    t.same(await service.rows('data/shown-credentials', { headers }), rows('[]'));
    t.same(await service.rows('data/bound-credentials', { headers }), rows(''));
  }
});

t.test('a header the screen refuses is blanked, and named in the log', async (t) => {
  const value = 'a;b hush from';
  const { json, headers } = await service.ask('data/header', { headers: { 'x-demo': value } });
  t.same(json, [{ shown: '', bound: value, lower: '<no value>' }]);
  const requestId = headers.get('x-request-id');
  const line = await service.line((line) => line['requestId'] === requestId);
  t.match(line, { level: 40, header: 'X-Demo', script: 'data/header' });
  t.notMatch(service.output, 'hush');
  t.same(await service.rows('data/header', { headers: { 'x-demo': 'fine value' } }), [
    { shown: 'fine value', bound: 'fine value', lower: '<no value>' },
  ]);
});

t.test('a parameter is never echoed, its name is', async (t) => {
  const { status, text } = await service.ask('data/shown?a=hush%27');
  t.equal(status, 400);
  t.match(text, '"error":"invalid value for parameter a: it contains SQL syntax');
  t.notMatch(text, 'hush');
});
