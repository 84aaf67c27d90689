/** What a listener hears, and that it catches up whenever it could not listen. */
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Listener } from '#app/pg/listener.js';
import type { DatabaseSettings } from '#app/protocol.js';
import { databaseSettings } from '../support/front-end.js';
import { startPostgres, type Postgres } from '../support/postgres.js';
import { soon } from '../support/process-group.js';

const CHANNEL = 'a "channel"';
const PAYLOAD = '"public"."it\'s a table"';
const PIDS = `SELECT pid FROM pg_stat_activity WHERE application_name = 'listens'`;

class Heard {
  times = 0;
  readonly said: string[] = [];
  readonly listener: Listener;

  constructor(t: Test, settings: DatabaseSettings) {
    this.listener = new Listener(settings, {
      channel: CHANNEL,
      payload: PAYLOAD,
      heard: () => this.times++,
      lost: (reason) => this.said.push(reason),
      back: () => this.said.push('back'),
    });
    t.teardown(() => this.listener.close());
  }

  /** times waits until it was heard more than so often. */
  async more(than: number): Promise<void> {
    await soon(`more than ${than}`, () => this.times > than || undefined);
  }
}

function settingsOf(server: Pick<Postgres, 'host' | 'port' | 'password'>): DatabaseSettings {
  const usual = databaseSettings('main', server);
  return { ...usual, conninfo: `${usual.conninfo} application_name=listens` };
}

const notify = (postgres: Postgres, channel: string, payload: string): Promise<unknown> =>
  postgres.sql('SELECT pg_notify($1, $2)', [channel, payload]);

t.jobs = 3;

t.test('what is meant for it, and nothing else', { buffered: true }, async (t) => {
  const postgres = await startPostgres(t);
  const heard = new Heard(t, settingsOf(postgres));
  await heard.more(0);
  t.equal(heard.times, 1, 'what came before it listened');
  await notify(postgres, 'another', PAYLOAD);
  await notify(postgres, CHANNEL, 'another');
  await notify(postgres, CHANNEL, '');
  await sleep(100);
  t.equal(heard.times, 1);
  await notify(postgres, CHANNEL, PAYLOAD);
  await heard.more(1);
  await postgres.sql(
    `SELECT pg_notify('${CHANNEL}', '${PAYLOAD.replaceAll("'", "''")}'), pg_sleep(0.01) FROM generate_series(1, 3)`,
  );
  await heard.more(2);
  await sleep(50);
  t.equal(heard.times, 3, 'told once by one transaction');
  heard.listener.close();
  heard.listener.close();
  await notify(postgres, CHANNEL, PAYLOAD);
  await soon('the end of its connection', () => true);
  for (let i = 0; i < 100 && (await postgres.sql(PIDS)).length > 0; i++) await sleep(20);
  t.strictSame(await postgres.sql(PIDS), []);
  t.equal(heard.times, 3);
  t.strictSame(heard.said, []);
});

t.test(
  'a connection that was ended is made anew, and counts as heard',
  { buffered: true },
  async (t) => {
    const postgres = await startPostgres(t);
    const heard = new Heard(t, settingsOf(postgres));
    for (let i = 0; i < 3; i++) {
      await heard.more(i);
      await postgres.sql(`SELECT pg_terminate_backend(pid) FROM (${PIDS}) s`);
      await heard.more(i + 1);
    }
    t.equal((await postgres.sql(PIDS)).length, 1);
    const before = heard.times;
    await notify(postgres, CHANNEL, PAYLOAD);
    await heard.more(before);
    t.strictSame(heard.said, [], 'a short loss is no matter');
  },
);

t.test('a server that is away for long', { buffered: true }, async (t) => {
  const postgres = await startPostgres(t);
  const heard = new Heard(t, settingsOf(postgres));
  await heard.more(0);
  await postgres.kill();
  await soon('word of it', () => heard.said[0]);
  t.match(heard.said[0], /refused|closed/);
  await sleep(300);
  t.equal(heard.said.length, 1);
  const before = heard.times;
  await postgres.restart();
  await heard.more(before);
  t.strictSame(heard.said.slice(1), ['back']);
});

t.test(
  'a server that is not there from the beginning, or says nothing',
  { buffered: true },
  async (t) => {
    const mute = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => mute.once('listening', resolve));
    t.teardown(() => mute.close());
    const { port } = mute.address() as AddressInfo;
    const silent = new Heard(t, settingsOf({ host: '127.0.0.1', port, password: '' }));
    const absent = new Heard(t, settingsOf({ host: '127.0.0.1', port: 1, password: '' }));
    await soon('word of it', () => absent.said[0] && silent.said[0]);
    t.equal(absent.times + silent.times, 0);
  },
);

t.test('a server that does not let it listen', { buffered: true }, async (t) => {
  const postgres = await startPostgres(t, {
    setup: `CREATE ROLE shut LOGIN PASSWORD 'x' CONNECTION LIMIT 0`,
  });
  const { host, port } = postgres;
  const conninfo = `host=${host} port=${port} user=shut password=x dbname=postgres`;
  const heard = new Heard(t, { ...settingsOf(postgres), conninfo });
  await soon('word of it', () => heard.said[0]);
  t.match(heard.said[0], /too many connections for role/);
  await postgres.sql('ALTER ROLE shut CONNECTION LIMIT 1');
  await heard.more(0);
  t.equal(heard.said.at(-1), 'back');
});
