/** Databases that take connections and never answer, or whose packets are dropped: no other's requests wait for them. */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startDeaf, startMute } from '../support/black-hole.js';
import { startPostgres } from '../support/postgres.js';
import { startService, type Service } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t);
const mute = await startMute(t);
const deaf = await startDeaf(t);

const scripts = { 'hit/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n' };
const url = (port: number, parameters = ''): string =>
  `postgres://u:p@127.0.0.1:${port}/d?sslmode=disable${parameters}`;
const MUTE = { alias: 'mute', url: url(mute.port) };
const DEAF = { alias: 'deaf', url: url(deaf.port) };
const config = {
  databases: [MUTE, DEAF],
  'health.ready': ['postgres'],
  'http.processes': 1,
  'pool.threads': 1,
  // No request and no attempt to connect ends while the others are asked.
  'http.timeout': '1h',
  'pg.conntimeout': '1h',
};

/** healthy asks the database that is there, one request after the other, and gives how many were not answered well. */
async function healthy(service: Service, requests: number): Promise<number> {
  let wrong = 0;
  for (let n = 0; n < requests; n++) if ((await service.error(`hit/one?n=${n}`)) !== '200') wrong++;
  return wrong;
}

/** asking sends requests, to the aliases in turns, and keeps what they are told; they end with the test. */
function asking(
  t: Pick<Test, 'teardown'>,
  service: Service,
  aliases: readonly string[],
  requests: number,
): { readonly told: readonly string[] } {
  const told: string[] = [];
  const end = new AbortController();
  t.teardown(() => end.abort());
  for (let i = 0; i < requests; i++)
    service.error(`${aliases[i % aliases.length]}/hit/one?n=1`, { signal: end.signal }).then(
      (one) => told.push(one),
      () => undefined,
    );
  return { told };
}

// They wait rather than work.
t.jobs = 4;

t.test('the other is served while theirs wait', { buffered: true }, async (t) => {
  const service = await startService(t, { database: postgres.url, scripts, config });
  await service.rows('hit/one?n=1');
  const waiting = asking(t, service, ['mute', 'deaf'], 100);
  t.equal(await healthy(service, 200), 0);
  t.same(waiting.told, [], 'all of them still wait, for as long as connecting may take');
});

t.test('they are probed by themselves, one question at a time', { buffered: true }, async (t) => {
  const alone = await startMute(t);
  const service = await startService(t, {
    database: postgres.url,
    scripts,
    config: { ...config, databases: [{ ...MUTE, url: url(alone.port) }, DEAF] },
  });
  const down = [1, 2].map((n) => service.line('the database does not answer', n));
  t.same((await Promise.all(down)).map(({ alias }) => alias).sort(), ['deaf', 'mute']);
  for (let i = 0; i < 8; i++) {
    t.equal((await service.ask('/_ready')).status, 200);
    t.match((await service.ask('/_health')).json, {
      databases: { postgres: 'up', mute: 'down', deaf: 'down' },
    });
    await sleep(250);
  }
  t.equal(service.lines.filter(({ msg }) => msg === 'the database answers again').length, 0);
  t.ok(alone.taken <= 3, 'an attempt to connect is not begun while another one lasts');
});

t.test('their requests never take all places', { buffered: true }, async (t) => {
  const few = { ...config, 'pool.queue': 12 };
  const service = await startService(t, { database: postgres.url, scripts, config: few });
  await service.rows('hit/one?n=1');
  const { told } = asking(t, service, ['mute', 'deaf'], 40);
  await until(() => told.length >= 25); // what has no place is refused
  t.same([...new Set(told)], ['503 busy']);
  t.equal(await healthy(service, 100), 0);
  t.ok(told.length < 40, 'some still wait');
});

t.test('each has its own time to connect', { buffered: true }, async (t) => {
  const quick = { alias: 'quick', url: url(mute.port, '&connect_timeout=2') };
  const service = await startService(t, {
    database: postgres.url,
    scripts,
    config: { ...config, databases: [quick, MUTE] },
  });
  const { told } = asking(t, service, ['mute'], 1);
  t.match(await service.error('quick/hit/one?n=1'), /^503 (08|busy)/);
  t.same(told, []);
});
