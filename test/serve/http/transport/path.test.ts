import t from 'tap';
import { parsePath } from '#app/serve/http/transport/path.js';

const LONG = 'é'.repeat(31); // 62 bytes

const script = (folder: string, name: string, alias?: string) => ({
  kind: 'script',
  alias,
  folder,
  name,
});
const plugin = (file: string, func: string) => ({ kind: 'plugin', file, func });
const notFound = { kind: 'not_found' };
const declared = (...segments: string[]) => ({ kind: 'declared', segments });
const rejected = (code: string) => ({ kind: 'rejected', code });
const redirect = (location: string) => ({ kind: 'redirect', location });

const CASES: readonly (readonly [path: string, expected: unknown, context?: string])[] = [
  // dot segments, in any spelling, anywhere
  ['/_QUERIES/../etc', rejected('invalid_path')],
  ['/_QUERIES/./a/b', rejected('invalid_path')],
  ['/_QUERIES/%2e%2e/b', rejected('invalid_path')],
  ['/_QUERIES/a/%2E', rejected('invalid_path')],
  ['/_QUERIES/.%2e/b', rejected('invalid_path')],
  ['/..', rejected('invalid_path')],
  ['//../evil.com', rejected('invalid_path')],
  ['/a/../', rejected('invalid_path')],

  // redirects: exactly one slash in front, never to another host
  ['//', redirect('/')],
  ['/a/', redirect('/a')],
  ['/a//b', redirect('/a/b')],
  ['//evil.com', redirect('/evil.com')],
  ['///evil.com//', redirect('/evil.com')],
  ['//\\evil.com', redirect('/%5Cevil.com')],
  ['/\\//evil.com', redirect('/%5C/evil.com')],
  ['//%2Fevil.com', redirect('/%2Fevil.com')],
  ['/_QUERIES/a/b/', redirect('/_QUERIES/a/b')],
  ['/_QUERIES//b', redirect('/_QUERIES/b')],
  ['/é//x', redirect('/%C3%A9/x')],
  ['/a"<>//x', redirect('/a%22%3C%3E/x')],
  ['/_health/', redirect('/_health')],
  ['/tables/', redirect('/tables')],

  // identifiers
  ['/_QUERIES/a/b.read', rejected('invalid_identifier')],
  ['/_QUERIES/a/...', rejected('invalid_identifier')],
  ['/_QUERIES/a/b%2Fc', rejected('invalid_identifier')],
  ['/_QUERIES/a%2fb/c', rejected('invalid_identifier')],
  ['/_QUERIES/a/..%2f..%2fetc', rejected('invalid_identifier')],
  ['/_QUERIES/a/%252e%252e', rejected('invalid_identifier')],
  ['/_QUERIES/a/%c0%ae', rejected('invalid_identifier')],
  ['/_QUERIES/a/%', rejected('invalid_identifier')],
  ['/_QUERIES/a/%zz', rejected('invalid_identifier')],
  ['/_QUERIES/a/%00', rejected('invalid_identifier')],
  ['/_QUERIES/a/b%20c', rejected('invalid_identifier')],
  ['/_QUERIES/a/b;c', rejected('invalid_identifier')],
  ['/_QUERIES/a/b*', rejected('invalid_identifier')],
  ["/_QUERIES/a/b'", rejected('invalid_identifier')],
  ['/_QUERIES/a/b\\c', rejected('invalid_identifier')],
  ['/_QUERIES/a/\uFFFD', rejected('invalid_identifier')],
  ['/_QUERIES/a/👍', rejected('invalid_identifier')],
  ['/_QUERIES/a#b/c', rejected('invalid_identifier')],
  [`/_QUERIES/a/${'b'.repeat(64)}`, rejected('invalid_identifier')],
  [`/_QUERIES/a/${LONG}ab`, rejected('invalid_identifier')],
  ['/_QUERIES/bad.alias/a/b', rejected('invalid_identifier')],
  ['/_QUERIES/x/bad.folder/b', rejected('invalid_identifier')],

  ['/_PLUGIN/a.so/b', rejected('invalid_identifier')],
  ['/_PLUGIN/a/b%2Fc', rejected('invalid_identifier')],
  ['/_PLUGIN/..%2Fa/b', rejected('invalid_identifier')],
  ['/_PLUGIN/%2e%2e/b', rejected('invalid_path')],
  [`/_PLUGIN/${LONG}ab/b`, rejected('invalid_identifier')],

  // no route
  ['/_PLUGIN', notFound],
  ['/_PLUGIN/a', notFound],
  ['/_PLUGIN/a/b/c', notFound],
  ['/_plugin/a/b', notFound],
  ['/', notFound],
  ['/_QUERIES', notFound],
  ['/_QUERIES/a', notFound],
  ['/_QUERIES/a/b/c/d', notFound],
  ['/_queries/a/b', notFound],
  ['/%5fQUERIES/a/b', declared('%5fQUERIES', 'a', 'b')],
  ['/_health/x', notFound],
  ['/Tables', declared('Tables')],
  ['/%74ables', declared('%74ables')],
  ['/tables/x', declared('tables', 'x')],
  ['/constructor', declared('constructor')],
  ['/favicon.ico', declared('favicon.ico')],
  ['/%zz', declared('%zz')],

  // what a script may declare
  ['/v1/orders/7', declared('v1', 'orders', '7')],
  ['/v1/a%2Fb/%ff', declared('v1', 'a%2Fb', '%ff')],
  ['/v1/..%2f', declared('v1', '..%2f')],
  ['/v1/%2e%2e/x', rejected('invalid_path')],
  ['/v1/orders/', redirect('/v1/orders')],
  ['/v1/orders', notFound, '/api/v1'],
  ['/api/v1/orders/7', declared('orders', '7'), '/api/v1'],
  ['/api/v1/_x/7', notFound, '/api/v1'],

  // routes
  ['/_QUERIES/a/b', script('a', 'b')],
  ['/_QUERIES/x/a/b', script('a', 'b', 'x')],
  ['/_QUERIES/A_1/b-2', script('A_1', 'b-2')],
  ['/_QUERIES/%61/b', script('a', 'b')],
  ['/_QUERIES/%C3%A9/ключ', script('é', 'ключ')],
  [`/_QUERIES/a/${LONG}x`, script('a', `${LONG}x`)],
  ['/_QUERIES/__proto__/constructor', script('__proto__', 'constructor')],
  ['/_QUERIES/_health/_ready', script('_health', '_ready')],
  ['/_PLUGIN/a/b', plugin('a', 'b')],
  [`/_PLUGIN/%61/${LONG}x`, plugin('a', `${LONG}x`)],
  ['/_PLUGIN/registry/constructor', plugin('registry', 'constructor')],

  // under a prefix
  ['/_PLUGIN/a/b', notFound, '/api/v1'],
  ['/api/v1/_PLUGIN/a/b', plugin('a', 'b'), '/api/v1'],
  ['/api/v1', notFound, '/api/v1'],
  ['/api/v10/_PLUGIN/a/b', notFound, '/api/v1'],
  ['/api/v1/_QUERIES/a/b', script('a', 'b'), '/api/v1'],
  ['/api/v1/_QUERIES/a/b/', redirect('/api/v1/_QUERIES/a/b'), '/api/v1'],
];

for (const [path, expected, context = ''] of CASES)
  t.test(`${path}${context && ` under ${context}`}`, (t) => {
    t.same(parsePath(path, context, { registry: false, openapi: false, sql: false }), expected);
    t.end();
  });

const registry = (name?: [location: string, name: string], alias?: string) => ({
  kind: 'registry',
  alias,
  script: name && { location: name[0], name: name[1] },
});

/** Paths with a registry, and without one. */
const REGISTRY: [path: string, registered: unknown, otherwise: unknown][] = [
  ['/_QUERIES/registry', registry(), notFound],
  ['/_QUERIES/registry/x', registry(undefined, 'x'), script('registry', 'x')],
  ['/_QUERIES/registry/a/b', registry(['a', 'b']), script('a', 'b', 'registry')],
  ['/_QUERIES/registry/x/a/b', registry(['a', 'b'], 'x'), notFound],
  ['/_QUERIES/registry/x/a/b/c', notFound, notFound],
  ['/_QUERIES/registry/registry', registry(undefined, 'registry'), script('registry', 'registry')],
  [
    '/_QUERIES/registry/registry/b',
    registry(['registry', 'b']),
    script('registry', 'b', 'registry'),
  ],
  ['/_QUERIES/%72egistry/a/b', registry(['a', 'b']), script('a', 'b', 'registry')],
  ['/_QUERIES/registry/%61/b', registry(['a', 'b']), script('a', 'b', 'registry')],
  ['/_QUERIES/x/registry/b', notFound, script('registry', 'b', 'x')],
  ['/_QUERIES/x/%72egistry/b', notFound, script('registry', 'b', 'x')],
  ['/_QUERIES/a/registry', script('a', 'registry'), script('a', 'registry')],
  ['/_QUERIES/Registry/b', script('Registry', 'b'), script('Registry', 'b')],
  ['/_QUERIES/registry/a.b/c', rejected('invalid_identifier'), rejected('invalid_identifier')],
  ['/_QUERIES/registry/a/b.c', rejected('invalid_identifier'), rejected('invalid_identifier')],
  ['/_QUERIES/registry/a.b', rejected('invalid_identifier'), rejected('invalid_identifier')],
  ['/_QUERIES/registry/x/a/b%2Fc', rejected('invalid_identifier'), notFound],
  ['/_QUERIES/registry/../a', rejected('invalid_path'), rejected('invalid_path')],
  ['/_QUERIES/registry/', redirect('/_QUERIES/registry'), redirect('/_QUERIES/registry')],
];

for (const [path, registered, otherwise] of REGISTRY)
  t.test(`${path} with a registry, and without`, (t) => {
    t.same(parsePath(path, '', { registry: true, openapi: false, sql: false }), registered);
    t.same(parsePath(path, '', { registry: false, openapi: false, sql: false }), otherwise);
    t.end();
  });

t.test('the SQL of calls', (t) => {
  const none = { kind: 'not_found' };
  const cases: [path: string, expected: object][] = [
    ['/_docs/sql/_QUERIES/a/b', { kind: 'sql', call: script('a', 'b') }],
    ['/_docs/sql/_QUERIES/x/a/%62', { kind: 'sql', call: script('a', 'b', 'x') }],
    ['/_docs/sql/v1/a%2Fb', { kind: 'sql', call: declared('v1', 'a%2Fb') }],
    ['/_docs/sql/sql', { kind: 'sql', call: declared('sql') }],
    ['/_docs/sql', none],
    ['/_docs/sql2/v1', none],
    ['/_docs/SQL/v1', none],
    ['/_docs/sql/_health', none],
    ['/_docs/sql/_docs', none],
    ['/_docs/sql/_docs/sql/v1', none],
    ['/_docs/sql/_PLUGIN/a/b', none],
    ['/_docs/sql/_QUERIES/openapi.json', none],
    ['/_docs/sql/_QUERIES/registry', none],
    ['/_docs/sql/_QUERIES/registry/a/b', none],
    ['/_docs/sql/_QUERIES/x/registry/b', none],
    ['/_docs/sql/_QUERIES/a.b/c', rejected('invalid_identifier')],
    ['/_docs/sql/../v1', rejected('invalid_path')],
    ['/_docs/sql/%2e%2E/v1', rejected('invalid_path')],
    ['/_docs/sql//v1', redirect('/_docs/sql/v1')],
  ];
  for (const [path, expected] of cases) {
    const optional = { registry: true, openapi: true, sql: true };
    t.match(parsePath(path, '', optional), expected, path);
    t.match(parsePath(`/c${path}`, '/c', optional).kind, (expected as { kind: string }).kind, path);
    if ('call' in expected) t.same(parsePath(path, '', { ...optional, sql: false }), notFound);
  }
  t.end();
});

t.test('OpenAPI documents', (t) => {
  const document = (alias?: string, form = 'json'): object => ({ kind: 'openapi', form, alias });
  const cases: [path: string, expected: object, otherwise: object][] = [
    ['/_QUERIES/openapi.json', document(), { kind: 'not_found' }],
    ['/_QUERIES/shop/openapi.json', document('shop'), { kind: 'rejected' }],
    ['/_QUERIES/client.ts', document(undefined, 'typescript'), { kind: 'not_found' }],
    ['/_QUERIES/shop/client.ts', document('shop', 'typescript'), { kind: 'rejected' }],
    ['/_QUERIES/client.js', { kind: 'not_found' }, { kind: 'not_found' }],
    ['/_QUERIES/a.b/openapi.json', { kind: 'rejected' }, { kind: 'rejected' }],
    ['/_QUERIES/registry/openapi.json', { kind: 'rejected' }, { kind: 'rejected' }],
    ['/_QUERIES/a/b/openapi.json', { kind: 'rejected' }, { kind: 'rejected' }],
    ['/_QUERIES/openapi.json/a', { kind: 'rejected' }, { kind: 'rejected' }],
    ['/openapi.json', { kind: 'declared' }, { kind: 'declared' }],
  ];
  for (const [path, expected, otherwise] of cases) {
    t.match(parsePath(path, '', { registry: true, openapi: true, sql: false }), expected, path);
    t.match(parsePath(path, '', { registry: true, openapi: false, sql: false }), otherwise, path);
  }
  t.end();
});
