/** Which routes need a token, and the responses without a valid one. There is no script: callers who pass get 404. */
import t from 'tap';
import { startHttpProcess } from '../../support/http-process.js';
import { requestBytes, sendRaw, type RawAnswer } from '../../support/raw-http.js';
import { authSettings, seconds, SECRET, signToken, userToken } from '../../support/tokens.js';

const { port } = await startHttpProcess(t, {
  auth: authSettings({ whitelist: ['^/auth$', '^/_QUERIES/open/.*$'] }),
});

const GOOD = `Authorization: Bearer ${userToken('ann')}`;
const BAD = 'failed JWT token parser';
const CLAIMS = 'failed JWT claims validated';
const EMPTY = 'authorization token is empty';

interface Case {
  readonly what: string;
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly string[];
  readonly status: number;
  readonly error?: string;
}

const bearer = (token: string): readonly string[] => [`Authorization: Bearer ${token}`];
const [head, body, signature] = userToken('ann').split('.') as [string, string, string];

const CASES: readonly Case[] = [
  // not identified
  { what: 'no token', status: 401, error: EMPTY },
  { what: 'no token, POST', method: 'POST', status: 401, error: EMPTY },
  { what: 'no token, OPTIONS', method: 'OPTIONS', status: 401, error: EMPTY },
  { what: 'an empty header', headers: ['Authorization: '], status: 401, error: EMPTY },
  { what: 'no token, no such route', target: '/nope', status: 401, error: EMPTY },
  { what: 'no token, unknown alias', target: '/_QUERIES/other/a/b', status: 401, error: EMPTY },
  { what: 'a token in the query string', target: `/_QUERIES/a/b?token=${userToken('ann')}`, status: 401, error: EMPTY }, // prettier-ignore
  { what: 'a token in a cookie', headers: [`Cookie: token=${userToken('ann')}`], status: 401, error: EMPTY }, // prettier-ignore

  // headers that hold no token
  { what: 'a bare token', headers: [`Authorization: ${userToken('ann')}`], status: 401, error: BAD }, // prettier-ignore
  { what: 'another scheme', headers: ['Authorization: Basic YTpi'], status: 401, error: BAD },
  { what: 'two tokens in one', headers: [`${GOOD} ${userToken('ann')}`], status: 401, error: BAD },
  { what: 'two headers', headers: [GOOD, GOOD], status: 401, error: BAD },
  { what: 'two headers, one of them empty', headers: ['Authorization: ', GOOD], status: 401, error: BAD }, // prettier-ignore
  { what: 'no token', headers: bearer('abc'), status: 401, error: BAD },
  { what: 'an oversize token', headers: bearer(signToken({ pad: 'x'.repeat(9_000) })), status: 401, error: BAD }, // prettier-ignore

  // tokens that are none
  { what: 'alg none', headers: bearer(signToken({}, SECRET, { alg: 'none' })), status: 401, error: BAD }, // prettier-ignore
  { what: 'alg none without signature', headers: bearer(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`), status: 401, error: BAD }, // prettier-ignore
  { what: 'another algorithm', headers: bearer(signToken({}, SECRET, { alg: 'HS512' })), status: 401, error: BAD }, // prettier-ignore
  { what: 'another key', headers: bearer(signToken({}, 'x'.repeat(40))), status: 401, error: CLAIMS }, // prettier-ignore
  { what: 'an empty key', headers: bearer(signToken({}, '')), status: 401, error: CLAIMS },
  { what: 'another payload', headers: bearer(`${head}.${Buffer.from('{"exp":9999999999}').toString('base64url')}.${signature}`), status: 401, error: CLAIMS }, // prettier-ignore
  { what: 'expired', headers: bearer(signToken({ exp: seconds(-60) })), status: 401, error: CLAIMS }, // prettier-ignore
  { what: 'not yet valid', headers: bearer(signToken({ nbf: seconds(600) })), status: 401, error: CLAIMS }, // prettier-ignore
  { what: 'without expiry', headers: bearer(signToken({ exp: undefined })), status: 401, error: CLAIMS }, // prettier-ignore

  // the path comes first
  { what: 'no token, bad path', target: '/_QUERIES/a/../b', status: 400, error: 'invalid path' },
  { what: 'no token, bad name', target: '/_QUERIES/a/b.c', status: 400, error: 'invalid identifier in path' }, // prettier-ignore
  { what: 'no token, doubled slash', target: '/_QUERIES//a/b', status: 301 },

  // open paths
  { what: '/_health', target: '/_health', status: 503 },
  { what: '/_ready', target: '/_ready', status: 503 },
  { what: 'an open path', target: '/_QUERIES/open/b', status: 404, error: 'script not found: open/b' }, // prettier-ignore
  { what: 'an open path, encoded', target: '/_QUERIES/%6Fpen/b', status: 404, error: 'script not found: open/b' }, // prettier-ignore
  { what: 'an open path, bad token', target: '/_QUERIES/open/b', headers: bearer('abc'), status: 404 }, // prettier-ignore
  { what: 'an open path, token of another key', target: '/_QUERIES/open/b', headers: bearer(signToken({}, 'x'.repeat(40))), status: 404 }, // prettier-ignore
  { what: 'an open path, unknown alias', target: '/_QUERIES/other/open/b', status: 401, error: EMPTY }, // prettier-ignore
  { what: '/auth where nobody can log in', method: 'POST', target: '/auth', status: 404 },

  // paths that hold an open one, or look like it
  { what: 'open in the middle', target: '/_QUERIES/x/open', status: 401 },
  { what: 'open at the beginning', target: '/_QUERIES/opened/b', status: 401 },
  { what: 'open in another case', target: '/_QUERIES/OPEN/b', status: 401 },
  { what: 'open in the query string', target: '/_QUERIES/a/b?/_QUERIES/open/b', status: 401 },
  { what: 'an encoded slash', target: '/_QUERIES/open%2Fb', status: 401 },
  { what: 'an encoded slash and a name', target: '/_QUERIES/open%2Fx/b', status: 400 },
  { what: 'a way out of it', target: '/_QUERIES/open/../a/b', status: 400 },
  { what: 'an encoded way out of it', target: '/_QUERIES/open/%2e%2e/a', status: 400 },
  { what: 'a path that ends like /auth', target: '/x/auth', status: 401 },
  { what: 'a path that begins like /auth', target: '/auth/x', status: 401 },
  { what: '/auth with a line break', target: '/auth%0A', status: 401 },
  { what: 'health in front', target: '/_health/_QUERIES/a/b', status: 401 },

  // identified
  { what: 'a token', headers: [GOOD], status: 404, error: 'script not found: a/b' },
  { what: 'a token, lower case', headers: [GOOD.replace('Bearer', 'bearer')], status: 404 },
  { what: 'a token of sub', headers: bearer(signToken({ sub: 'ann' })), status: 404 },
  { what: 'a token without a name', headers: bearer(signToken({})), status: 404 },
  { what: 'a token, no such route', target: '/nope', headers: [GOOD], status: 404, error: '404 page not found' }, // prettier-ignore
  { what: 'a token, unknown alias', target: '/_QUERIES/other/a/b', headers: [GOOD], status: 400 },
];

const ask = ({
  method = 'GET',
  target = '/_QUERIES/a/b',
  headers = [],
}: Case): Promise<RawAnswer> => sendRaw(port, requestBytes(method, target, headers));

// Twice: the second time a valid token was verified before.
const first = await Promise.all(CASES.map(ask));
const second = await Promise.all(CASES.map(ask));
for (const [time, answers] of Object.entries({ first, second }))
  for (const [i, { what, headers = [], status, error }] of CASES.entries())
    t.test(`${what}, ${time} time`, (t) => {
      const answer = answers[i]!;
      t.equal(answer.status, status);
      if (error !== undefined) t.equal((JSON.parse(answer.body) as { error: string }).error, error);
      t.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Bearer' : undefined);
      const sent = headers.some((header) => /^Authorization: ./.test(header));
      const keeps = sent && status !== 301 && status !== 400;
      if (keeps) t.equal(answer.headers.get('cache-control'), 'no-store');
      t.end();
    });

t.test('auth.invalid_token = "reject"', async (t) => {
  const strict = await startHttpProcess(t, {
    auth: authSettings({ whitelist: ['^/_QUERIES/open/.*$'], refusesInvalid: true }),
  });
  const status = async (...headers: string[]): Promise<string> => {
    const { status, body } = await sendRaw(
      strict.port,
      requestBytes('GET', '/_QUERIES/open/b', headers),
    );
    return `${status} ${(JSON.parse(body) as { code: string }).code}`;
  };
  for (const time of ['first', 'second']) {
    t.equal(await status(), '404 script_not_found', `without a token, ${time}`);
    t.equal(await status('Authorization: '), '404 script_not_found');
    t.equal(await status('Authorization: Bearer '), '404 script_not_found');
    t.equal(await status(GOOD), '404 script_not_found');
    t.equal(await status(...bearer('abc')), '401 invalid_token');
    t.equal(await status('Authorization: Basic YTpi'), '401 invalid_token');
    t.equal(await status(...bearer(signToken({ exp: seconds(-60) }))), '401 invalid_claims');
    t.equal(await status(...bearer(signToken({}, 'x'.repeat(40)))), '401 invalid_claims');
  }
  const health = await sendRaw(strict.port, requestBytes('GET', '/_health', bearer('abc')));
  t.equal(health.status, 503, 'tokens are ignored there: the database is away');
});

t.test('a body is read before the token is asked for', async (t) => {
  const request = requestBytes('POST', '/_QUERIES/a/b', ['Content-Length: 5'], 'hello');
  const answer = await sendRaw(port, request);
  t.equal(answer.status, 401);
  t.equal(answer.closed, false);
});
