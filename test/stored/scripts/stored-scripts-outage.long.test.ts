/** Stored scripts whose table cannot be read: before the first time, later, and half-way. */
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { STORED_SCRIPT_READS } from '#app/observe/metrics/catalogue.js';
import { counts } from '#app/observe/metrics/thread.js';
import { Gate, GATES } from '../../support/gate.js';
import { startOwnPostgres, startPostgres, type Postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { CREATE, insert, TABLE, TestScripts } from '../registry/tables.js';

const SETUP = [`${CREATE};`, insert('a/v', '1'), insert('a/w', 'w')].join('\n');

const LOCKS = `SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted
  AND relation = 'service_queries'::regclass`;

const WAITING = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'service_queries'::regclass`;

const reasons = ({ logged }: TestScripts): string[] =>
  logged.map(({ level, msg }) => `${level} ${msg}`);

t.jobs = 3;

t.test(
  'before anything was read, requests wait once and are then refused',
  { buffered: true },
  async (t) => {
    const postgres = await startOwnPostgres(t, { setup: SETUP });
    await postgres.kill();
    const scripts = new TestScripts(t, postgres);
    const waiting = await Promise.all([scripts.ask('a/v'), scripts.ask('b/none')]);
    t.strictSame(waiting, ['busy', 'busy']);
    t.equal(await scripts.ask('a/v'), 'busy');
    t.ok(counts[STORED_SCRIPT_READS.failed]! > 0);
    const reads = counts[STORED_SCRIPT_READS.succeeded]!;
    await postgres.restart();
    await scripts.live('a/v', '1');
    t.ok(counts[STORED_SCRIPT_READS.succeeded]! > reads);
    t.match(reasons(scripts)[0], /^error the stored scripts cannot be read: connection.* failed/);
    t.equal(reasons(scripts).at(-1), 'info the stored scripts are read again');
  },
);

t.test('without a table', { buffered: true }, async (t) => {
  const postgres = await startPostgres(t);
  const scripts = new TestScripts(t, postgres);
  const elsewhere = new TestScripts(t, postgres, { table: { ...TABLE, schema: 'nowhere' } });
  t.equal(await scripts.ask('a/v'), 'busy');
  t.equal(await elsewhere.ask('a/v'), 'busy');
  await sleep(1_000);
  t.strictSame(reasons(scripts), [
    'error the stored scripts cannot be read: there is no table "public"."service_queries", run "sql-rest-service migrate up queries"',
  ]);
  t.match(reasons(elsewhere)[0], /no table "nowhere"/);
  await postgres.sql(SETUP);
  await scripts.live('a/v', '1');
});

t.test('a table of another kind', { buffered: true }, async (t) => {
  const postgres = await startPostgres(t, { setup: 'CREATE TABLE service_queries (id int)' });
  const scripts = new TestScripts(t, postgres);
  t.equal(await scripts.ask('a/v'), 'busy');
  t.match(reasons(scripts)[0], /column .* does not exist \(42703/);
});

t.test(
  'what was read is served on, and changes are seen when the database is back',
  { buffered: true },
  async (t) => {
    const postgres = await startOwnPostgres(t, { setup: SETUP });
    const scripts = new TestScripts(t, postgres);
    t.equal(await scripts.ask('a/v'), '1');
    await postgres.kill();
    scripts.scripts.refresh();
    for (let i = 0; i < 20; i++) {
      t.equal(await scripts.ask('a/v'), '1');
      t.equal(await scripts.ask('a/none'), 'script_not_found');
      await sleep(50);
    }
    await until(() => reasons(scripts).length > 0);
    await postgres.restart();
    await postgres.sql(`UPDATE service_queries SET read_sql = '2' WHERE name = 'v'`);
    await scripts.live('a/v', '2');
    t.match(reasons(scripts)[0], /cannot be read, what was read last is served: /);
    t.equal(reasons(scripts).at(-1), 'info the stored scripts are read again');
  },
);

t.test('a table that is locked, or has another name for a while', { buffered: true }, async (t) => {
  const postgres = await startPostgres(t, { setup: `${SETUP} ${GATES}` });
  const gate = new Gate(postgres, 'locked');
  const scripts = new TestScripts(t, postgres);
  t.equal(await scripts.ask('a/v'), '1');
  const locked = postgres.sql(
    `BEGIN; LOCK TABLE service_queries; UPDATE service_queries SET read_sql = '2' WHERE name = 'v';
     ${gate.sql}; COMMIT`,
  );
  await until(async () => (await postgres.sql(LOCKS)).length > 0);
  void scripts.scripts.refresh();
  await until(async () => (await postgres.sql(WAITING)).length > 0);
  t.equal(await scripts.ask('a/v'), '1');
  await gate.open();
  await locked;
  await scripts.live('a/v', '2');
  await postgres.sql('ALTER TABLE service_queries RENAME TO away');
  await until(() => scripts.logged.some(({ msg }) => msg.includes('no table')));
  t.equal(await scripts.ask('a/v'), 'busy', 'nobody knows whose scripts they are');
  await postgres.sql(
    `UPDATE away SET read_sql = '3' WHERE name = 'v'; ALTER TABLE away RENAME TO service_queries`,
  );
  await scripts.live('a/v', '3');
});

t.test('a loading that fails half-way changes nothing', { buffered: true }, async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const proxy = await startProxy(t, postgres);
  const scripts = new TestScripts(t, { ...postgres, port: proxy.port });
  t.equal(await scripts.ask('a/v'), '1');
  // Of three pieces two arrive.
  proxy.cutAfter(2_500_000);
  await postgres.sql(`UPDATE service_queries SET read_sql = '2' WHERE name = 'v';
    INSERT INTO service_queries (location, name, read_sql)
    SELECT 'b', 'n' || n, repeat('x', 900000) FROM generate_series(1, 3) n`);
  scripts.scripts.refresh();
  await proxy.wasCut;
  t.equal(await scripts.ask('a/v'), '1');
  t.equal(await scripts.ask('b/n1'), 'script_not_found');
  proxy.cutAfter(Infinity);
  await scripts.live('a/v', '2');
  t.equal((await scripts.ask('b/n3')).length, 900_000, 'all at once');
});

t.test('a table that is dropped, and made anew', { buffered: true }, async (t) => {
  const postgres = await startPostgres(t, { setup: SETUP });
  const scripts = new TestScripts(t, postgres);
  t.equal(await scripts.ask('a/v'), '1');
  await postgres.sql('DROP TABLE service_queries');
  await scripts.live('a/v', 'busy'); // its scripts are gone with it
  await postgres.sql(`${CREATE}; ${insert('a/v', '2')}`);
  await scripts.live('a/v', '2');
});

interface Proxy {
  readonly port: number;
  /** cutAfter ends all connections, for ever anew, once so many more bytes have come from the server. */
  cutAfter(bytes: number): void;
  readonly wasCut: Promise<void>;
}

/** startProxy stands between a service and its database. */
async function startProxy(t: Test, { host, port }: Postgres): Promise<Proxy> {
  let left = Infinity;
  let cut!: () => void;
  const wasCut = new Promise<void>((resolve) => (cut = resolve));
  const sockets = new Set<Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(port, host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [client, upstream].forEach((other) => other.destroy()));
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      left -= chunk.length;
      if (left > 0) client.write(chunk);
      else {
        for (const socket of sockets) socket.destroy();
        cut();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (bytes) => (left = bytes),
    wasCut,
  };
}
