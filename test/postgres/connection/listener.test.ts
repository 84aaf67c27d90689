/** The notifications that a listener receives, and that it catches up after each outage. */
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Listener } from '#app/postgres/connection/listener.js';
import type { DatabaseSettings } from '#app/messages/database-settings.js';
import { freeze } from '../../support/black-hole.js';
import { databaseSettings } from '../../support/http-process.js';
import { startOtherEngine, YUGABYTEDB } from '../../support/other-engine.js';
import { startOwnPostgres, startPostgres, type Postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

const CHANNEL = 'a "channel"';
const PAYLOAD = '"public"."it\'s a table"';
/** Interval of checks of the connection, ms. */
const CHECK = 10_000;
const pids = (name: string): string =>
  `SELECT pid FROM pg_stat_activity WHERE application_name = '${name}'`;

class Recorder {
  notified = 0;
  /** Reasons of outages, and `restored` after each. */
  readonly outages: string[] = [];
  readonly listener: Listener;

  constructor(t: Test, settings: DatabaseSettings, channel = CHANNEL) {
    this.listener = new Listener(settings, {
      channel,
      payload: PAYLOAD,
      notified: () => this.notified++,
      lost: (reason) => this.outages.push(reason),
      restored: () => this.outages.push('restored'),
      unavailable: (reason) => this.outages.push(`unavailable: ${reason}`),
    });
    t.teardown(() => this.listener.close());
  }

  /** more waits for more than that many notifications. */
  async more(than: number): Promise<void> {
    await until(() => this.notified > than);
  }
}

function settingsOf(
  server: Pick<Postgres, 'host' | 'port' | 'password'>,
  name = 'listens',
): DatabaseSettings {
  const usual = databaseSettings('main', server);
  return { ...usual, conninfo: `${usual.conninfo} application_name=${name}` };
}

const notify = (postgres: Postgres, channel: string, payload: string): Promise<unknown> =>
  postgres.sql('SELECT pg_notify($1, $2)', [channel, payload]);

t.jobs = 5;

const shared = await startPostgres(t);

t.test('its own channel and payload only', { buffered: true }, async (t) => {
  const postgres = shared;
  const recorder = new Recorder(t, settingsOf(postgres, 'one_channel'));
  await recorder.more(0);
  t.equal(recorder.notified, 1, 'it may have missed some before it listened');
  await notify(postgres, 'another', PAYLOAD);
  await notify(postgres, CHANNEL, 'another');
  await notify(postgres, CHANNEL, '');
  await notify(postgres, CHANNEL, PAYLOAD);
  await recorder.more(1);
  t.equal(recorder.notified, 2, 'notifications arrive in order');
  await postgres.sql(
    `SELECT pg_notify('${CHANNEL}', '${PAYLOAD.replaceAll("'", "''")}'), pg_sleep(0.01) FROM generate_series(1, 3)`,
  );
  await recorder.more(2);
  await sleep(50);
  t.equal(recorder.notified, 3, 'once for a transaction');
  recorder.listener.close();
  recorder.listener.close();
  await notify(postgres, CHANNEL, PAYLOAD);
  await until(async () => (await postgres.sql(pids('one_channel'))).length === 0); // its connection ends
  t.equal(recorder.notified, 3);
  t.strictSame(recorder.outages, []);
});

t.test(
  'a connection that was terminated is replaced, which counts as a notification',
  { buffered: true },
  async (t) => {
    const postgres = shared;
    const recorder = new Recorder(t, settingsOf(postgres, 'terminated'), 'terminated');
    for (let i = 0; i < 3; i++) {
      await recorder.more(i);
      await postgres.sql(`SELECT pg_terminate_backend(pid) FROM (${pids('terminated')}) s`);
      await recorder.more(i + 1);
    }
    await until(async () => (await postgres.sql(pids('terminated'))).length === 1); // the old one may still be listed
    const before = recorder.notified;
    await notify(postgres, 'terminated', PAYLOAD);
    await recorder.more(before);
    t.strictSame(recorder.outages, [], 'a short outage is not reported');
  },
);

t.test('a long outage', { buffered: true }, async (t) => {
  const postgres = await startOwnPostgres(t);
  const recorder = new Recorder(t, settingsOf(postgres));
  await recorder.more(0);
  await postgres.kill();
  await until(() => recorder.outages.length > 0);
  t.match(recorder.outages[0], /refused|closed/);
  await sleep(300);
  t.equal(recorder.outages.length, 1);
  const before = recorder.notified;
  await postgres.restart();
  await recorder.more(before);
  t.strictSame(recorder.outages.slice(1), ['restored']);
});

t.test(
  'a server that is unreachable from the start, or never answers',
  { buffered: true },
  async (t) => {
    const mute = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => mute.once('listening', resolve));
    t.teardown(() => mute.close());
    const { port } = mute.address() as AddressInfo;
    const usual = settingsOf({ host: '127.0.0.1', port, password: '' });
    const conninfo = usual.conninfo.replace(/connect_timeout=\d+/, 'connect_timeout=2');
    const silent = new Recorder(t, { ...usual, conninfo });
    const absent = new Recorder(t, settingsOf({ host: '127.0.0.1', port: 1, password: '' }));
    await until(() => absent.outages.length > 0 && silent.outages.length > 0);
    t.equal(absent.notified + silent.notified, 0);
  },
);

t.test('a server that rejects the connection', { buffered: true }, async (t) => {
  const postgres = shared;
  await postgres.sql(`CREATE ROLE shut LOGIN PASSWORD 'x' CONNECTION LIMIT 0`);
  const { host, port } = postgres;
  const conninfo = `host=${host} port=${port} user=shut password=x dbname=postgres`;
  const recorder = new Recorder(t, { ...settingsOf(postgres), conninfo });
  await until(() => recorder.outages.length > 0);
  t.match(recorder.outages[0], /too many connections for role/);
  await postgres.sql('ALTER ROLE shut CONNECTION LIMIT 1');
  await recorder.more(0);
  t.equal(recorder.outages.at(-1), 'restored');
});

t.test('a server that knows no LISTEN is not asked again', { buffered: true }, async (t) => {
  const engine = await startOtherEngine(t, shared, YUGABYTEDB);
  const recorder = new Recorder(t, settingsOf(engine, 'refused'));
  await until(() => recorder.outages.length > 0);
  t.match(recorder.outages, [/^unavailable: ERROR: +FOR UPDATE is not allowed/]);
  await until(async () => (await shared.sql(pids('refused'))).length === 0); // its connection ends
  await sleep(300); // the first pause is 100 ms
  t.equal(engine.connections, 1);
  t.equal(recorder.outages.length, 1);
  t.equal(recorder.notified, 0);
});

// It changes `setInterval`, so nothing else may run meanwhile.
t.test('a server that acknowledges packets and no longer answers', async (t) => {
  const postgres = await startOwnPostgres(t);
  const checks: (() => void)[] = [];
  const { setInterval } = globalThis;
  const captured = ((check: () => void, time: number) => {
    if (time !== CHECK) return setInterval(check, time);
    checks.push(check);
    return setInterval(() => undefined, time);
  }) as typeof setInterval;
  t.intercept(globalThis, 'setInterval', { value: captured });
  const recorder = new Recorder(t, settingsOf(postgres));
  await recorder.more(0);
  const check = checks.at(-1)!; // of the connection that is open, if there was one before
  check();
  const checked = `SELECT FROM pg_stat_activity WHERE application_name = 'listens' AND state = 'idle' AND query = 'SELECT'`;
  await until(async () => (await postgres.sql(checked)).length === 1);
  await notify(postgres, CHANNEL, PAYLOAD);
  await recorder.more(1); // which follows the answer
  await freeze(t, postgres, 'listens');
  check();
  t.equal(recorder.notified, 2);
  check();
  await recorder.more(2); // it listens again
  await notify(postgres, CHANNEL, PAYLOAD);
  await recorder.more(3);
});
