/** Who may run a script under queries.restrict, over HTTP. There is no script: callers who pass get 404. */
import t from 'tap';
import type { ScriptEntry } from '#app/messages/access-settings.js';
import { databaseSettings, startHttpProcess } from '../../support/http-process.js';
import { requestBytes, sendRaw } from '../../support/raw-http.js';
import { authSettings, signToken, userToken } from '../../support/tokens.js';

const entry = (location: string, name: string, ...permissions: string[]): ScriptEntry => ({
  database: undefined,
  location,
  name,
  permissions,
});

const scoped = (scope: string, ...permissions: string[]): ScriptEntry => ({
  ...entry('orders', 'list', ...permissions),
  scope: scope.split(' '),
});

const { port } = await startHttpProcess(t, {
  auth: authSettings({
    whitelist: ['^.*$'],
    scripts: {
      scripts: [
        entry('shop', 'list', 'read'),
        entry('shop', 'all', 'read', 'write', 'delete'),
        scoped('orders:read', 'read'),
        scoped('orders:write shop', 'write'),
      ],
      users: [
        {
          name: 'ann',
          scripts: [
            entry('shop', 'order', 'write'),
            { ...entry('shop', 'all'), database: 'main' },
            { ...entry('*', '*', 'delete'), database: 'second' },
          ],
        },
      ],
    },
  }),
  worker: { databases: [databaseSettings('main'), databaseSettings('second')] },
});

const ANN = userToken('ann');
const BOB = userToken('bob');
const NAMELESS = signToken({ UserInfo: { username: '' }, sub: 'ann' });

const PASSED = 404;
const DENIED = 403;

const CASES: readonly [token: string, method: string, path: string, status: number][] = [
  // callers who are not identified, even on open paths
  ['', 'GET', 'shop/list', 401],
  ['abc', 'GET', 'shop/list', 401],
  [signToken({}, 'another secret of at least 32 bytes'), 'GET', 'shop/list', 401],
  ['', 'OPTIONS', 'shop/list', 401],

  // entries for every user
  [BOB, 'GET', 'shop/list', PASSED],
  [BOB, 'HEAD', 'shop/list', PASSED],
  [BOB, 'OPTIONS', 'shop/list', PASSED],
  [BOB, 'POST', 'shop/list', DENIED],
  [BOB, 'PUT', 'shop/list', DENIED],
  [BOB, 'PATCH', 'shop/list', DENIED],
  [BOB, 'DELETE', 'shop/list', DENIED],
  [BOB, 'DELETE', 'shop/all', PASSED],
  [BOB, 'PATCH', 'shop/all', PASSED],
  [NAMELESS, 'GET', 'shop/list', PASSED],
  [NAMELESS, 'POST', 'shop/order', DENIED],

  // a user's own entries
  [ANN, 'GET', 'shop/list', PASSED],
  [ANN, 'POST', 'shop/order', PASSED],
  [ANN, 'GET', 'shop/order', DENIED],
  [ANN, 'OPTIONS', 'shop/order', PASSED],
  [ANN, 'GET', 'shop/all', DENIED],
  [ANN, 'OPTIONS', 'shop/all', DENIED],
  [ANN, 'GET', 'main/shop/all', DENIED],
  [ANN, 'DELETE', 'second/shop/all', PASSED],
  [ANN, 'GET', 'second/shop/all', DENIED],
  [ANN, 'DELETE', 'second/any/thing', PASSED],
  [BOB, 'POST', 'shop/order', DENIED],
  [userToken('Ann'), 'POST', 'shop/order', DENIED],
  [userToken('ann '), 'POST', 'shop/order', DENIED],
  [userToken('ann\0'), 'POST', 'shop/order', DENIED],

  // callers who may not run a script learn neither whether it exists, nor whether its database does
  [BOB, 'GET', 'shop/nope', DENIED],
  [BOB, 'GET', 'nope/nope', DENIED],
  [BOB, 'GET', 'other/nope/nope', DENIED],
  [BOB, 'GET', 'other/shop/list', 400],

  // ways around: case, encoding, slashes, dots
  [BOB, 'GET', 'Shop/list', DENIED],
  [BOB, 'GET', 'shop/LIST', DENIED],
  [BOB, 'GET', 'sh%6Fp/l%69st', PASSED],
  [BOB, 'POST', 'sh%6Fp/l%69st', DENIED],
  [BOB, 'GET', 'shop%2Flist', 404],
  [BOB, 'GET', 'shop//list', 301],
  [BOB, 'GET', 'shop/./list', 400],
  [BOB, 'GET', 'nope/../shop/list', 400],
  [BOB, 'GET', 'shop/list%00', 400],
  [BOB, 'GET', 'shop/list.read', 400],
  [BOB, 'GET', 'shop/list%ef%bc%8e', 400],
  [BOB, 'get', 'shop/list', PASSED],
  [BOB, 'PROPFIND', 'shop/nope', DENIED],
];

const scopedToken = (scope: unknown): string => signToken({ sub: 'bob', scope });

const SCOPED: readonly [scope: unknown, method: string, challenge: string | undefined][] = [
  ['orders:read', 'GET', undefined],
  ['x orders:read', 'HEAD', undefined],
  [['orders:read'], 'GET', undefined],
  ['shop orders:write', 'POST', undefined],
  ['orders:read', 'OPTIONS', undefined],
  [undefined, 'GET', 'orders:read'],
  ['Orders:read', 'GET', 'orders:read'],
  ['orders:reader', 'GET', 'orders:read'],
  ['orders:write shop', 'GET', 'orders:read'],
  ['orders:write', 'PUT', 'orders:write shop'],
  ['orders:read\torders:write', 'GET', 'orders:read'],
];

for (const [scope, method, challenge] of SCOPED)
  t.test(`${method} with the scope ${JSON.stringify(scope)}`, async (t) => {
    const headers = [`Authorization: Bearer ${scopedToken(scope)}`];
    const bytes = requestBytes(method, '/_QUERIES/orders/list', headers);
    const answer = await sendRaw(port, bytes);
    t.equal(answer.status, challenge === undefined ? PASSED : DENIED);
    const expected = challenge && `Bearer error="insufficient_scope", scope="${challenge}"`;
    t.equal(answer.headers.get('www-authenticate'), expected);
    if (challenge !== undefined)
      t.strictSame(JSON.parse(answer.body), {
        error: `the token lacks the scope ${challenge}`,
        code: 'permission_denied',
      });
  });

t.test('nobody deletes, with whatever scope', async (t) => {
  const headers = [`Authorization: Bearer ${scopedToken('orders:read orders:write shop')}`];
  const answer = await sendRaw(port, requestBytes('DELETE', '/_QUERIES/orders/list', headers));
  t.equal(answer.status, DENIED);
  t.equal(answer.headers.get('www-authenticate'), undefined);
});

const answers = await Promise.all(
  CASES.map(([token, method, path]) => {
    const headers = token === '' ? [] : [`Authorization: Bearer ${token}`];
    return sendRaw(port, requestBytes(method, `/_QUERIES/${path}`, headers));
  }),
);

for (const [i, [, method, path, status]] of CASES.entries())
  t.test(`${method} ${path}`, (t) => {
    const answer = answers[i]!;
    t.equal(answer.status, status);
    if (status === DENIED)
      t.strictSame(JSON.parse(answer.body), {
        error: 'permission denied',
        code: 'permission_denied',
      });
    t.end();
  });
