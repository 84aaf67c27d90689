/**
 * Tokens while their issuer is away or slow: what HTTP processes have loaded serves those that come after them, and the
 * requests that come before the first key set wait for it.
 */
import t, { type Test } from 'tap';
import { gives, KeyServer, type Answer } from '../access/key-server.js';
import { keySet, secretKey } from '../access/tokens.js';
import { startService, type Configuration, type Service } from '../support/service.js';
import { SECRET, signToken } from '../support/tokens.js';
import { until } from '../support/until.js';

// They wait rather than work.
t.jobs = 3;

const KEYS = keySet({ k: secretKey('HS256', SECRET) });
const gone: Answer = (res) => res.destroy();

/** With a token, nothing to be found is as good an answer as any; it needs no database. */
const PASSED = '404';

/** start starts a service without a database, two HTTP processes over the key set of an issuer. */
async function start(
  t: Pick<Test, 'teardown'>,
  place: Configuration,
): Promise<{ readonly service: Service; readonly config: Configuration }> {
  const config = {
    'auth.enabled': true,
    'auth.login': false,
    'auth.migrate_on_startup': false,
    'http.processes': 2,
    'pool.threads': 1,
    'log.level': 'trace',
    ...place,
  };
  const database = 'postgres://nobody:none@127.0.0.1:1/none';
  return { service: await startService(t, { database, config }), config };
}

let tokens = 0;

/** Statuses of requests that come at once, each with a token of its own and a connection of its own. */
async function statuses(service: Service, count: number): Promise<string[]> {
  const asked = Array.from({ length: count }, async () => {
    const token = signToken({ sub: `u${++tokens}` }, SECRET, { alg: 'HS256', kid: 'k' });
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    return String((await service.ask('/nope', { headers })).status);
  });
  return [...new Set(await Promise.all(asked))];
}

/** reload waits for the n-th reload and the end of the HTTP processes before it. */
async function reload(service: Service, n: number): Promise<void> {
  const old = service.httpProcesses();
  service.signal('SIGHUP');
  await service.line('reloaded', n);
  await until(() => {
    const now = service.httpProcesses();
    return now.length === 2 && !now.some((pid) => old.includes(pid));
  });
}

/** killOne kills an HTTP process and waits until there is another. */
async function killOne(service: Service): Promise<void> {
  const [dying = 0] = service.httpProcesses();
  process.kill(dying, 'SIGKILL');
  await service.line('an HTTP process died');
  await until(() => {
    const pids = service.httpProcesses();
    return pids.length === 2 && !pids.includes(dying);
  });
}

/** keysIn waits until that many HTTP processes have had keys: their own, or those that another one has loaded. */
async function keysIn(service: Service, count: number): Promise<void> {
  await service.line(({ msg }) => /^the (last key set is used|key set is loaded)/.test(msg), count);
}

for (const setting of ['jwt.jwks', 'jwt.wellknownurl'])
  t.test(`${setting}: an outage outlives HTTP processes`, { buffered: true }, async (t) => {
    const server = await KeyServer.start(t);
    const well: Answer = (res, req) => {
      const named = JSON.stringify({ jwks_uri: server.url('/set') });
      gives(setting === 'jwt.wellknownurl' && req.url !== '/set' ? named : KEYS)(res, req);
    };
    server.answer = well;
    const place = server.url('/place?hush=hush');
    const { service, config } = await start(t, { [setting]: place });
    t.same(await statuses(service, 20), [PASSED]);
    await keysIn(service, 2);

    server.answer = gone;
    for (const n of [1, 2]) {
      await reload(service, n);
      t.same(await statuses(service, 20), [PASSED], `reload ${n}`);
    }
    await killOne(service);
    await keysIn(service, 7);
    t.same(await statuses(service, 40), [PASSED], 'after a death');

    service.configure({ ...config, [setting]: server.url('/other') });
    await reload(service, 3);
    t.same(await statuses(service, 20), ['503'], 'another place has none of these keys');

    service.configure(config);
    await reload(service, 4);
    t.same(await statuses(service, 20), [PASSED], 'back at the first');
    t.notMatch(service.output, 'hush');
    t.notOk(service.output.includes(Buffer.from(SECRET).toString('base64url')));
    t.notOk(service.output.includes(SECRET));
  });

t.test('a slow issuer delays, and refuses nobody', { buffered: true }, async (t) => {
  const server = await KeyServer.start(t);
  server.answer = (res, req) => setTimeout(() => gives(KEYS)(res, req), 400);
  const { service, config } = await start(t, { 'jwt.jwks': server.url('/keys') });
  t.same(await statuses(service, 300), [PASSED], 'at the start');
  service.configure({ ...config, 'jwt.jwks': server.url('/others') });
  await reload(service, 1);
  t.same(await statuses(service, 300), [PASSED], 'after a reload that changes the place');
});
