/** The caller's claims in a template: bound, whatever they hold, and in no other way. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { Claims } from '#app/script/request/claims.js';
import { parseQueryString } from '#app/script/request/query-string.js';
import { RequestData } from '#app/script/request/request-data.js';
import { compile, RefusedValue, TemplateError } from '#app/template/template.js';
import { isLinear } from '../../support/cpu.js';

/** Renders a template for a caller: text and bound values, or why not. */
function render(template: string, claims: string, query = ''): unknown {
  const data = new RequestData(parseQueryString(query), '', claims, () => undefined);
  try {
    const { text, values } = compile(template, 't').render(data);
    return values.length === 0 ? text : [text, ...values];
  } catch (error) {
    if (error instanceof RefusedValue) return `refused ${error.parameter}`;
    if (error instanceof TemplateError) return `error ${error.stage}`;
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

const CLAIMS = JSON.stringify({
  sub: `O'Hara; --`,
  empty: '',
  n: 7,
  rate: 1.5,
  big: 1e21,
  yes: true,
  no: false,
  nothing: null,
  roles: ['a', 'b"\\'],
  mixed: ['a', 1, true, null, { b: 1 }],
  none: [],
  UserInfo: { id: 7, username: 'ada', metadata: { city: 'Bonn', tags: ['x'] } },
  'a.b': 'dotted',
  a: { b: 'inner', c: 'other' },
  'https://x.example/app': { role: 'admin', 'with.dot': 1 },
  deep: { 'e.f': { g: 'found' }, e: { f: { h: 'not found' } } },
  length: { of: 'own' },
});

/** Names of claims and what is bound; undefined is an SQL NULL. */
const BOUND: [name: string, value: string | null][] = [
  ['sub', `O'Hara; --`],
  ['empty', ''],
  ['n', '7'],
  ['rate', '1.5'],
  ['big', '1e+21'],
  ['yes', 'true'],
  ['no', 'false'],
  ['nothing', null],
  ['absent', null],
  ['', null],
  ['roles', '{"a","b\\"\\\\"}'],
  ['mixed', '{"a","1","true",NULL,"{\\"b\\":1}"}'],
  ['none', '{}'],
  ['UserInfo', '{"id":7,"username":"ada","metadata":{"city":"Bonn","tags":["x"]}}'],
  ['UserInfo.id', '7'],
  ['UserInfo.username', 'ada'],
  ['UserInfo.metadata.city', 'Bonn'],
  ['UserInfo.metadata.tags', '{"x"}'],
  ['UserInfo.metadata.tags.0', null],
  ['UserInfo.', null],
  ['.UserInfo', null],
  ['userinfo.id', null],
  ['a.b', 'dotted'],
  ['a.c', 'other'],
  ['https://x.example/app.role', 'admin'],
  ['https://x.example/app.with.dot', '1'],
  ['deep.e.f.g', 'found'],
  ['deep.e.f.h', null],
  ['length.of', 'own'],
  ['sub.length', null],
  ['roles.length', null],
  ['roles.0', null],
  ['__proto__', null],
  ['constructor', null],
  ['constructor.name', null],
  ['UserInfo.constructor', null],
  ['UserInfo.toString', null],
  ['UserInfo.__proto__.x', null],
];

t.test('what is bound', (t) => {
  for (const [name, value] of BOUND) {
    t.strictSame(render(`{{sqlVal "claims.${name}"}}`, CLAIMS), ['$1', value], name);
    const computed = `{{$name := printf "claims.%s" .name}}{{sqlVal $name}}`;
    const query = `name=${encodeURIComponent(name)}`;
    if (/^[\w./:]*$/.test(name))
      t.strictSame(render(computed, CLAIMS, query), ['$1', value], `${name}, computed`);
  }
  const names = '{"__proto__":{"x":"own"},"constructor":"c","toString":{"name":1}}';
  t.strictSame(render('{{sqlVal "claims.__proto__.x"}}', names), ['$1', 'own']);
  t.strictSame(render('{{sqlVal "claims.constructor"}}', names), ['$1', 'c']);
  t.strictSame(render('{{sqlVal "claims.toString.name"}}', names), ['$1', '1']);
  t.end();
});

t.test('lists', (t) => {
  const cases: [name: string, result: unknown][] = [
    ['roles', ['($1,$2)', 'a', 'b"\\']],
    ['mixed', ['($1,$2,$3,$4,$5)', 'a', '1', 'true', null, '{"b":1}']],
    ['none', ['($1)', null]],
    ['absent', ['($1)', null]],
    ['sub', ['($1)', `O'Hara; --`]],
    ['UserInfo.metadata.tags', ['($1)', 'x']],
  ];
  for (const [name, result] of cases)
    t.strictSame(render(`{{sqlList "claims.${name}"}}`, CLAIMS), result, name);
  t.end();
});

t.test('nothing but binding sees them', (t) => {
  const claims = '{"sub":"hush","claims":"hush","claims.sub":"hush","list":["hush"]}';
  const cases: [template: string, result: unknown][] = [
    ['{{isSet "claims.sub"}}{{isSet "claims"}}', 'falsefalse'],
    ['{{.claims}}', '<no value>'],
    ['{{.claims.sub}}', '<no value>'],
    ['{{index . "claims.sub"}}', '<no value>'],
    ['{{with .claims}}x{{end}}', ''],
    ['{{range $k, $v := .}}{{$k}} {{end}}', '_page _page_size a header '],
    ['{{.}}', 'map[_page:1 _page_size:10 a:x header:map[Authorization: Cookie: Proxy-Authorization: X-Access-Token: X-Api-Key: X-Auth-Token:]]'],
    ['{{inFormat "claims.sub"}}', "('<nil>')"],
    ['{{ident "claims.sub"}}', 'error exec'],
    ['{{ident "claims.list"}}', 'error exec'],
    ['{{limitOffset (index . "claims.sub") "1"}}', 'error exec'],
    ['{{split (index . "claims.sub") ","}}', 'error exec'],
    ['{{defaultOrValue "claims.sub" "other"}}', 'other'],
    ['{{defaultOrValue "claims.sub" "other"}}{{sqlVal "claims.sub"}}', ['other$1', 'hush']],
    ['{{defaultOrValue "claims.none" .a}}{{sqlVal "claims.none"}}', ['x$1', null]],
  ]; // prettier-ignore
  for (const [template, result] of cases)
    t.strictSame(render(template, claims, 'a=x'), result, template);
  t.end();
});

t.test('the query string never gives any', (t) => {
  const query = 'claims.sub=x&claims.=x&claims=x&claims.a.b=x&claims.sub=y';
  for (const name of ['sub', '', 'a.b', 'a'])
    for (const claims of ['', '{}', '{"other":1}'])
      t.strictSame(render(`{{sqlVal "claims.${name}"}}`, claims, query), ['$1', null]);
  t.strictSame(render('{{sqlVal "claims"}}', CLAIMS, query), ['$1', 'x'], 'a name as any other');
  t.end();
});

t.test('invalid claims', (t) => {
  for (const json of ['[]', '"sub"', 'null', '7', '["sub"]'])
    t.strictSame(render('{{sqlVal "claims.sub"}}{{sqlVal "claims.0"}}', json), [
      '$1$2',
      null,
      null,
    ]);
  t.equal(render('{{sqlVal "claims.sub"}}', '{"sub":"hush'), 'internal');
  t.equal(render('x', '{"sub":"hush'), 'x', 'they were not used');
  t.end();
});

t.test('text that PostgreSQL cannot take ends nowhere', (t) => {
  const nul = JSON.stringify({ a: 'admin\0', b: ['a', ['b\0']], c: { d: 'e\0' } });
  for (const name of ['a', 'b', 'c.d'])
    t.equal(render(`{{sqlVal "claims.${name}"}}`, nul), 'invalid_value', name);
  t.equal(render('{{sqlList "claims.b"}}', nul), 'invalid_value');
  t.strictSame(render('{{sqlVal "claims.c"}}', nul), ['$1', '{"d":"e\\u0000"}'], 'escaped as JSON');
  t.end();
});

t.test('they are read once, and time is linear in the length of a name', async (t) => {
  const claims = new Claims(CLAIMS);
  t.equal(claims.get('UserInfo'), claims.get('UserInfo'));
  const names = [
    (size: number) => '.'.repeat(size),
    (size: number) => 'a.'.repeat(size / 2),
    (size: number) => `UserInfo${'.x'.repeat(size / 2)}`,
  ];
  for (const name of names) {
    t.equal(claims.get(name(1 << 20)), undefined);
    await isLinear(t, (size) => claims.get(name(size)), 1 << 20);
  }
});
