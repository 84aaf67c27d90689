import t from 'tap';
import { parsePath } from '#app/http/path.js';

const LONG = 'é'.repeat(31); // 62 bytes

const query = (folder: string, name: string, alias?: string) => ({
  kind: 'query',
  alias,
  folder,
  name,
});
const plugin = (file: string, func: string) => ({ kind: 'plugin', file, func });
const refused = (code: string) => ({ kind: 'refused', code });
const redirect = (location: string) => ({ kind: 'redirect', location });

const CASES: readonly (readonly [path: string, expected: unknown, context?: string])[] = [
  // dot segments, in any spelling, anywhere
  ['/_QUERIES/../etc', refused('invalid_path')],
  ['/_QUERIES/./a/b', refused('invalid_path')],
  ['/_QUERIES/%2e%2e/b', refused('invalid_path')],
  ['/_QUERIES/a/%2E', refused('invalid_path')],
  ['/_QUERIES/.%2e/b', refused('invalid_path')],
  ['/..', refused('invalid_path')],
  ['//../evil.com', refused('invalid_path')],
  ['/a/../', refused('invalid_path')],

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
  ['/_QUERIES/a/b.read', refused('invalid_identifier')],
  ['/_QUERIES/a/...', refused('invalid_identifier')],
  ['/_QUERIES/a/b%2Fc', refused('invalid_identifier')],
  ['/_QUERIES/a%2fb/c', refused('invalid_identifier')],
  ['/_QUERIES/a/..%2f..%2fetc', refused('invalid_identifier')],
  ['/_QUERIES/a/%252e%252e', refused('invalid_identifier')],
  ['/_QUERIES/a/%c0%ae', refused('invalid_identifier')],
  ['/_QUERIES/a/%', refused('invalid_identifier')],
  ['/_QUERIES/a/%zz', refused('invalid_identifier')],
  ['/_QUERIES/a/%00', refused('invalid_identifier')],
  ['/_QUERIES/a/b%20c', refused('invalid_identifier')],
  ['/_QUERIES/a/b;c', refused('invalid_identifier')],
  ['/_QUERIES/a/b*', refused('invalid_identifier')],
  ["/_QUERIES/a/b'", refused('invalid_identifier')],
  ['/_QUERIES/a/b\\c', refused('invalid_identifier')],
  ['/_QUERIES/a/\uFFFD', refused('invalid_identifier')],
  ['/_QUERIES/a/👍', refused('invalid_identifier')],
  ['/_QUERIES/a#b/c', refused('invalid_identifier')],
  [`/_QUERIES/a/${'b'.repeat(64)}`, refused('invalid_identifier')],
  [`/_QUERIES/a/${LONG}ab`, refused('invalid_identifier')],
  ['/_QUERIES/bad.alias/a/b', refused('invalid_identifier')],
  ['/_QUERIES/x/bad.folder/b', refused('invalid_identifier')],

  ['/_PLUGIN/a.so/b', refused('invalid_identifier')],
  ['/_PLUGIN/a/b%2Fc', refused('invalid_identifier')],
  ['/_PLUGIN/..%2Fa/b', refused('invalid_identifier')],
  ['/_PLUGIN/%2e%2e/b', refused('invalid_path')],
  [`/_PLUGIN/${LONG}ab/b`, refused('invalid_identifier')],

  // what is no route
  ['/_PLUGIN', refused('not_found')],
  ['/_PLUGIN/a', refused('not_found')],
  ['/_PLUGIN/a/b/c', refused('not_found')],
  ['/_plugin/a/b', refused('not_found')],
  ['/', refused('not_found')],
  ['/_QUERIES', refused('not_found')],
  ['/_QUERIES/a', refused('not_found')],
  ['/_QUERIES/a/b/c/d', refused('not_found')],
  ['/_queries/a/b', refused('not_found')],
  ['/%5fQUERIES/a/b', refused('not_found')],
  ['/_health/x', refused('not_found')],
  ['/Tables', refused('not_found')],
  ['/%74ables', refused('not_found')],
  ['/tables/x', refused('not_found')],
  ['/constructor', refused('not_found')],
  ['/favicon.ico', refused('not_found')],
  ['/%zz', refused('not_found')],

  // routes
  ['/_health', { kind: 'health' }],
  ['/_ready', { kind: 'ready' }],
  ['/databases', { kind: 'listing', name: 'databases' }],
  ['/schemas', { kind: 'listing', name: 'schemas' }],
  ['/tables', { kind: 'listing', name: 'tables' }],
  ['/_QUERIES/a/b', query('a', 'b')],
  ['/_QUERIES/x/a/b', query('a', 'b', 'x')],
  ['/_QUERIES/A_1/b-2', query('A_1', 'b-2')],
  ['/_QUERIES/%61/b', query('a', 'b')],
  ['/_QUERIES/%C3%A9/ключ', query('é', 'ключ')],
  [`/_QUERIES/a/${LONG}x`, query('a', `${LONG}x`)],
  ['/_QUERIES/__proto__/constructor', query('__proto__', 'constructor')],
  ['/_QUERIES/_health/_ready', query('_health', '_ready')],
  ['/_PLUGIN/a/b', plugin('a', 'b')],
  [`/_PLUGIN/%61/${LONG}x`, plugin('a', `${LONG}x`)],
  ['/_PLUGIN/registry/constructor', plugin('registry', 'constructor')],

  // under a prefix
  ['/_PLUGIN/a/b', refused('not_found'), '/api/v1'],
  ['/api/v1/_PLUGIN/a/b', plugin('a', 'b'), '/api/v1'],
  ['/_health', refused('not_found'), '/api/v1'],
  ['/tables', refused('not_found'), '/api/v1'],
  ['/api/v1/tables', { kind: 'listing', name: 'tables' }, '/api/v1'],
  ['/api/v1', refused('not_found'), '/api/v1'],
  ['/api/v10/_health', refused('not_found'), '/api/v1'],
  ['/api/v1/_health', { kind: 'health' }, '/api/v1'],
  ['/api/v1/_QUERIES/a/b', query('a', 'b'), '/api/v1'],
  ['/api/v1/_QUERIES/a/b/', redirect('/api/v1/_QUERIES/a/b'), '/api/v1'],
];

for (const [path, expected, context = ''] of CASES)
  t.test(`${path}${context && ` under ${context}`}`, (t) => {
    t.same(parsePath(path, context), expected);
    t.end();
  });

const registry = (script?: [location: string, name: string], alias?: string) => ({
  kind: 'registry',
  alias,
  script: script && { location: script[0], name: script[1] },
});

/** Where there is a registry, and what the same path is where there is none. */
const REGISTRY: [path: string, there: unknown, otherwise: unknown][] = [
  ['/_QUERIES/registry', registry(), refused('not_found')],
  ['/_QUERIES/registry/x', registry(undefined, 'x'), query('registry', 'x')],
  ['/_QUERIES/registry/a/b', registry(['a', 'b']), query('a', 'b', 'registry')],
  ['/_QUERIES/registry/x/a/b', registry(['a', 'b'], 'x'), refused('not_found')],
  ['/_QUERIES/registry/x/a/b/c', refused('not_found'), refused('not_found')],
  ['/_QUERIES/registry/registry', registry(undefined, 'registry'), query('registry', 'registry')],
  [
    '/_QUERIES/registry/registry/b',
    registry(['registry', 'b']),
    query('registry', 'b', 'registry'),
  ],
  ['/_QUERIES/%72egistry/a/b', registry(['a', 'b']), query('a', 'b', 'registry')],
  ['/_QUERIES/registry/%61/b', registry(['a', 'b']), query('a', 'b', 'registry')],
  ['/_QUERIES/x/registry/b', refused('not_found'), query('registry', 'b', 'x')],
  ['/_QUERIES/x/%72egistry/b', refused('not_found'), query('registry', 'b', 'x')],
  ['/_QUERIES/a/registry', query('a', 'registry'), query('a', 'registry')],
  ['/_QUERIES/Registry/b', query('Registry', 'b'), query('Registry', 'b')],
  ['/_QUERIES/registry/a.b/c', refused('invalid_identifier'), refused('invalid_identifier')],
  ['/_QUERIES/registry/a/b.c', refused('invalid_identifier'), refused('invalid_identifier')],
  ['/_QUERIES/registry/a.b', refused('invalid_identifier'), refused('invalid_identifier')],
  ['/_QUERIES/registry/x/a/b%2Fc', refused('invalid_identifier'), refused('not_found')],
  ['/_QUERIES/registry/../a', refused('invalid_path'), refused('invalid_path')],
  ['/_QUERIES/registry/', redirect('/_QUERIES/registry'), redirect('/_QUERIES/registry')],
];

for (const [path, there, otherwise] of REGISTRY)
  t.test(`${path} with a registry, and without`, (t) => {
    t.same(parsePath(path, '', true), there);
    t.same(parsePath(path, '', false), otherwise);
    t.end();
  });
