/**
 * From an empty database to a script run with a token: the table made at start, users added with the command, logins at
 * two HTTP processes, and guesses that are counted over both of them, the death of one and a reload.
 */
import t from 'tap';
import { start } from '../commands/program.js';
import { startPostgres } from '../support/postgres.js';
import { ended } from '../support/process-group.js';
import { startService, type Configuration } from '../support/service.js';
import { SECRET, seconds, signToken } from '../support/tokens.js';
import { until } from '../support/until.js';

const PASSWORD = 'correct horse battery';

const postgres = await startPostgres(t);
const { host, port, password } = postgres;
const database = `postgres://postgres:${password}@${host}:${port}/postgres`;
const config: Configuration = {
  'auth.enabled': true,
  'auth.max_failures': 3,
  'http.host': '127.0.0.1',
  'http.processes': 2,
  'jwt.key': SECRET,
  'log.level': 'trace',
  'log.access': true,
  'pool.threads': 1,
  'queries.restrict': true,
  'queries.scripts': [{ location: 's', name: 'one', permissions: ['read'] }],
  'queries.users': [
    { name: 'ann', scripts: [{ location: 's', name: 'hers', permissions: ['read'] }] },
  ],
};
const service = await startService(t, {
  database,
  config,
  scripts: { 's/one.read.sql': 'SELECT 1 AS one', 's/hers.read.sql': 'SELECT 2 AS two' },
});
await service.line('users table');

function command(args: readonly string[], input = ''): Promise<{ code: number | null }> {
  return start(service.folder, [...args, '--config', 'service.toml'], {}, input).finished;
}

interface LoggedIn {
  readonly status: number;
  readonly token: string;
  readonly info: unknown;
  readonly headers: Headers;
}

/** Each on a connection of its own, so that both HTTP processes get some. */
async function logIn(username: string, password: string): Promise<LoggedIn> {
  const { status, json, headers } = await service.ask('/auth', {
    method: 'POST',
    headers: { connection: 'close' },
    body: JSON.stringify({ username, password }),
  });
  const { token = '', user_info: info } = (json ?? {}) as { token?: string; user_info?: unknown };
  return { status, token, info, headers };
}

const bearer = (token: string): { readonly headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${token}` },
});

t.test('a user is added, logs in and runs what she may', async (t) => {
  t.equal((await command(['user', 'add', 'Ann', '--name', 'Ann A.'], `${PASSWORD}\n`)).code, 0);
  t.equal((await command(['user', 'add', 'bob'], `${PASSWORD}\n`)).code, 0);
  const { status, token, info, headers } = await logIn('ANN', PASSWORD);
  t.equal(status, 200);
  t.strictSame(info, { id: 1, name: 'Ann A.', username: 'ann', metadata: null });
  t.equal(headers.get('cache-control'), 'no-store');

  const [head = '', payload = ''] = token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  t.equal(head, '{"alg":"HS256","typ":"JWT"}');
  const { UserInfo, nbf, exp, ...rest } = JSON.parse(payload) as Record<string, number>;
  t.strictSame(UserInfo, info);
  t.equal(exp! - nbf!, 6 * 3600);
  t.ok(Math.abs(nbf! - seconds(0)) < 60);
  t.strictSame(rest, {}, 'as tokens of pREST');

  t.strictSame(await service.rows('s/one', bearer(token)), [{ one: 1 }]);
  t.strictSame(await service.rows('s/hers', bearer(token)), [{ two: 2 }]);
  const bob = (await logIn('bob', PASSWORD)).token;
  t.strictSame(await service.rows('s/one', bearer(bob)), [{ one: 1 }]);
  t.equal(await service.error('s/hers', bearer(bob)), '403 permission_denied');
  t.equal(await service.error('s/nope', bearer(bob)), '403 permission_denied');
});

t.test('a token of pREST with the same key is as good', async (t) => {
  const UserInfo = { id: 7, metadata: null, name: '', username: 'ann' };
  const token = signToken({ UserInfo, exp: seconds(21_600), nbf: seconds(0) });
  t.strictSame(await service.rows('s/hers', bearer(token)), [{ two: 2 }]);
});

t.test('what /auth answers besides', async (t) => {
  const get = await service.ask('/auth');
  t.equal(get.status, 405);
  t.equal(get.headers.get('allow'), 'POST, OPTIONS');
  t.equal((await service.ask('/auth', { method: 'OPTIONS' })).status, 204);
  const bodies = [undefined, '', '{', '[]', '"a"', 'null', '{"username":"ann"}', `username=ann&password=${PASSWORD}`, `{"username":["ann"],"password":"${PASSWORD}"}`]; // prettier-ignore
  for (const body of bodies) {
    const answer = await service.ask('/auth', {
      method: 'POST',
      ...(body === undefined ? {} : { body }),
    });
    t.equal(answer.text, '{"error":"user not found","code":"login_failed"}', body ?? 'no body');
    t.equal(answer.status, 401);
  }
  for (const length of [16_385, 2 << 20]) {
    const large = await service.ask('/auth', { method: 'POST', body: 'x'.repeat(length) });
    t.equal(large.status, 413, `${length} bytes`);
  }
  for (const name of ["' OR '1'='1", "ann'--", 'ann\0', 'ann ', '*', '%', 'a'.repeat(10_000)])
    t.equal((await logIn(name, PASSWORD)).status, 401, name.slice(0, 20));
});

t.test('guesses are counted over all HTTP processes', async (t) => {
  const guesses = await Promise.all(Array.from({ length: 12 }, () => logIn('bob', 'wrong')));
  const statuses = guesses.map(({ status }) => status).sort();
  t.strictSame(statuses, [...Array<number>(3).fill(401), ...Array<number>(9).fill(429)]);
  const late = guesses.find(({ status }) => status === 429)!;
  t.ok(Number(late.headers.get('retry-after')) > 0);
  t.equal((await logIn('bob', PASSWORD)).status, 429, 'the right password comes too late');
  t.equal((await logIn('BOB', PASSWORD)).status, 429);
  t.equal((await logIn('ann', PASSWORD)).status, 200, 'others are not concerned');
});

t.test('the death of an HTTP process forgets nothing', async (t) => {
  const [first = 0] = service.httpProcesses();
  process.kill(first, 'SIGKILL');
  await until(() => {
    const now = service.httpProcesses();
    return now.length === 2 && !now.includes(first);
  });
  const statuses = new Set<number>();
  for (let i = 0; i < 10; i++)
    statuses.add(await logIn('bob', PASSWORD).then(({ status }) => status, () => 0)); // prettier-ignore
  statuses.delete(0); // the one that was dying
  t.strictSame([...statuses], [429]);
});

t.test('a reload goes by the new limits', async (t) => {
  const old = service.httpProcesses();
  service.configure({ ...config, 'auth.max_failures': 1_000 });
  service.signal('SIGHUP');
  await service.line('reloaded');
  await ended(old); // until then one of them may answer
  t.equal((await logIn('bob', PASSWORD)).status, 200);
});

t.test('a changed password and a removed user', async (t) => {
  t.equal((await command(['user', 'passwd', 'bob'], 'another horse battery\n')).code, 0);
  t.equal((await logIn('bob', PASSWORD)).status, 401);
  t.equal((await logIn('bob', 'another horse battery')).status, 200);
  t.equal((await command(['user', 'remove', 'bob'])).code, 0);
  t.equal((await logIn('bob', 'another horse battery')).status, 401);
});

t.test('the log has no password, no hash and no token', (t) => {
  t.notMatch(service.output, /horse|\$2[aby]\$|eyJ|'1'='1/);
  t.end();
});
