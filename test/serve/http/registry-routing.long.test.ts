/** Who may use the registry, with which paths and methods, and the order of these checks. */
import t from 'tap';
import { databaseSettings, startHttpProcess } from '../../support/http-process.js';
import { requestBytes, sendRaw, type RawAnswer } from '../../support/raw-http.js';
import { authSettings, signToken, userToken } from '../../support/tokens.js';
import { ADMIN, OTHER, serveRegistry } from './served-registry.js';

const { port } = await serveRegistry(t, {
  registry: { admins: ['ann', ''] },
  auth: authSettings({
    whitelist: ['^.*$'],
    scripts: { scripts: [], users: [{ name: 'bob', scripts: [{ database: undefined, location: undefined, name: undefined, permissions: ['read', 'write', 'delete'] }] }] }, // prettier-ignore
    role: { claim: 'role', allowed: ['nobody'], anonymous: undefined },
  }),
});

const bearer = (token: string): string => `Authorization: Bearer ${token}`;
const NAMELESS = bearer(signToken({ UserInfo: { username: '' }, sub: 'ann' }));
const BODY = '{"location":"shop","name":"list","read_sql":"SELECT 1"}';

const EMPTY = '401 token_missing';
const DENIED = '403 registration_denied';
const ALL = 'GET, HEAD, POST, OPTIONS';
const ONE = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

interface Case {
  readonly target: string;
  readonly header?: string;
  readonly body?: string;
  /** Status, and code when there is one. */
  readonly wanted: string;
  readonly allow?: string;
}

const CASES: readonly Case[] = [
  // not identified, whatever the whitelist opens
  { target: 'GET /registry', header: '', wanted: EMPTY },
  { target: 'GET /registry/shop/list', header: '', wanted: EMPTY },
  { target: 'OPTIONS /registry', header: '', wanted: EMPTY },
  { target: 'PATCH /registry', header: '', wanted: EMPTY },
  { target: 'POST /registry', header: '', body: BODY, wanted: EMPTY },
  { target: 'POST /registry', header: '', body: '{', wanted: EMPTY },
  { target: 'PUT /registry/nodb/a/b', header: '', body: BODY, wanted: EMPTY },
  { target: 'GET /registry', header: bearer('abc'), wanted: '401 invalid_token' },
  { target: 'POST /registry', header: bearer('abc'), body: BODY, wanted: '401 invalid_token' },
  { target: 'POST /registry', header: bearer(signToken({}, 'x'.repeat(40))), body: BODY, wanted: '401 invalid_claims' }, // prettier-ignore

  // others, whatever they may do with scripts
  { target: 'GET /registry', header: OTHER, wanted: DENIED },
  { target: 'GET /registry/nodb', header: OTHER, wanted: DENIED },
  { target: 'HEAD /registry', header: OTHER, wanted: '403' },
  { target: 'OPTIONS /registry', header: OTHER, wanted: DENIED },
  { target: 'TRACE /registry', header: OTHER, wanted: DENIED },
  { target: 'GET /registry?nope=%zz', header: OTHER, wanted: DENIED },
  { target: 'POST /registry', header: OTHER, body: '{', wanted: DENIED },
  { target: 'DELETE /registry/a/b', header: OTHER, wanted: DENIED },
  { target: 'GET /registry', header: NAMELESS, wanted: DENIED },
  { target: 'GET /registry', header: bearer(signToken({})), wanted: DENIED },
  ...['Ann', 'ann ', ' ann', 'ANN', 'ann\0', 'аnn'].map((name) => ({
    target: 'GET /registry',
    header: bearer(userToken(name)),
    wanted: DENIED,
  })),
  { target: 'GET /registry', header: bearer(signToken({ sub: 'ann' })), wanted: '200' },

  // the path comes first
  { target: 'GET /registry/a.b/c', header: '', wanted: '400 invalid_identifier' },
  { target: 'GET /registry/a/../b', header: '', wanted: '400 invalid_path' },
  { target: 'GET /registry/', header: '', wanted: '301' },
  { target: 'GET /registry//a/b', wanted: '301' },

  // then the database, the method, the rest
  { target: 'GET /registry/nodb', wanted: '400 unknown_database' },
  { target: 'PATCH /registry/nodb/a/b', wanted: '400 unknown_database' },
  { target: 'PUT /registry/nodb/a/b', body: '{', wanted: '400 unknown_database' },
  { target: 'PATCH /registry/a/b', body: BODY, wanted: '405 method_not_allowed', allow: ONE },
  { target: 'DELETE /registry', wanted: '405 method_not_allowed', allow: ALL },
  { target: 'PUT /registry', body: BODY, wanted: '405 method_not_allowed', allow: ALL },
  { target: 'PUT /registry/main', body: BODY, wanted: '405 method_not_allowed', allow: ALL },
  { target: 'POST /registry/a/b', body: BODY, wanted: '405 method_not_allowed', allow: 'GET, HEAD, PUT, DELETE, OPTIONS' }, // prettier-ignore
  { target: 'OPTIONS /registry', wanted: '204', allow: ALL },
  { target: 'OPTIONS /registry/main', wanted: '204', allow: ALL },
  { target: 'OPTIONS /registry/a/b', wanted: '204', allow: ONE },
  { target: 'OPTIONS /registry/main/a/b', wanted: '204', allow: ONE },
  { target: 'POST /registry', wanted: '400 invalid_record' },
  { target: 'POST /registry', body: '{', wanted: '400 invalid_record' },
  { target: 'GET /registry?nope=1', wanted: '400 invalid_query_string' },
  { target: 'GET /registry/a/b', wanted: '404 query_not_found' },

  // a folder that is none
  { target: 'GET /main/registry/b', header: OTHER, wanted: '404 not_found' },
  { target: 'GET /main/registry/b', wanted: '404 not_found' },
  { target: 'GET /registry/x/a/b/c', wanted: '404 not_found' },
  { target: 'GET /shop/registry', wanted: '403 permission_denied' },
];

const ask = (
  to: number,
  { target, header = ADMIN, body = '' }: Pick<Case, 'target' | 'header' | 'body'>,
): Promise<RawAnswer> => {
  const [method = '', path = ''] = target.split(' ');
  const headers = header === '' ? [] : [header];
  if (body !== '') headers.push(`Content-Length: ${body.length}`);
  return sendRaw(to, requestBytes(method, `/_QUERIES${path}`, headers, body));
};

const codeOf = ({ status, body }: RawAnswer): string => {
  const { code } = body.startsWith('{') ? (JSON.parse(body) as { code?: string }) : {};
  return code === undefined ? String(status) : `${status} ${code}`;
};

const answers = await Promise.all(CASES.map((one) => ask(port, one)));

for (const [i, { target, header = ADMIN, body = '', wanted, allow }] of CASES.entries())
  t.test(`${target} ${body} ${header.slice(0, 30)}`, (t) => {
    const answer = answers[i]!;
    t.equal(codeOf(answer), wanted);
    if (allow !== undefined) t.equal(answer.headers.get('allow'), allow);
    if (wanted === DENIED) t.match(answer.body, /"error":"registration not permitted"/);
    const looked = header !== '' && !/^(?:301|400 invalid_(?:path|identifier))/.test(wanted);
    if (looked) t.equal(answer.headers.get('cache-control'), 'no-store');
    t.end();
  });

t.test('where it is off', async (t) => {
  const off = await startHttpProcess(t, {
    auth: authSettings(),
    worker: { databases: [databaseSettings('main'), databaseSettings('registry')] },
  });
  const cases: [target: string, wanted: string][] = [
    ['GET /registry', '404 not_found'],
    ['POST /registry', '404 not_found'],
    ['GET /registry/b', '404 script_not_found'],
    ['GET /main/registry/b', '404 script_not_found'],
    ['GET /registry/a/b', '404 script_not_found'],
    ['GET /registry/main/a/b', '404 not_found'],
  ];
  for (const [target, wanted] of cases)
    t.equal(codeOf(await ask(off.port, { target, body: '' })), wanted, target);
});

t.test('without authentication the registry is closed', async (t) => {
  const open = await startHttpProcess(t, { registry: { admins: ['ann', ''] } });
  for (const target of ['GET /registry', 'POST /registry', 'DELETE /registry/a/b'])
    t.equal(codeOf(await ask(open.port, { target, body: 'x' })), EMPTY);
});
