import t from 'tap';
import { Whitelist } from '#app/access/whitelist.js';

const CASES: readonly [pattern: string, path: string, open: boolean][] = [
  ['/auth', '/auth', true],
  ['/auth', '/auth/x', false],
  ['/auth', '/_QUERIES/auth/x', false],
  ['/auth', '/_QUERIES/x/auth', false],
  ['^\\/auth$', '/auth', true],
  ['^\\/auth$', '/AUTH', false],
  ['^\\/auth$', '/auth\n', false],
  ['^\\/auth', '/authors', false],
  ['auth$', '/x/auth', false],
  ['/a|/b', '/a', true],
  ['/a|/b', '/b/c', false],
  ['/a|/b', '/c/b', false],
  ['/_PLUGIN/.*', '/_PLUGIN/hello/Hello', true],
  ['/_PLUGIN/.*', '/_PLUGIN/hello\n/_QUERIES', false],
  ['', '', true],
  ['', '/a', false],
  ['.*', `/${'a'.repeat(2_000)}`, false],
];

t.test('an expression matches all of a path', (t) => {
  for (const [pattern, path, open] of CASES)
    t.equal(new Whitelist([pattern]).has(path), open, `${pattern} ${path.slice(0, 40)}`);
  t.equal(new Whitelist([]).has('/a'), false);
  t.equal(new Whitelist(['/a', '/b']).has('/b'), true);
  t.end();
});
