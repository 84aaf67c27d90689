import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import net from 'node:net';
import t from 'tap';
import { identityOf, type Identity } from '#app/pg/identity.js';
import { startPostgres } from '../support/postgres.js';
import { describe, TestDatabase } from '../support/database.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE items (id int)' });
/** The first byte of PostgreSQL's message of an error. */
const ERROR = 'E'.charCodeAt(0);
const KILL_ALL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'`;

t.test('reads that had not begun move to another connection, writes do not', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  await db.read('SELECT 1');
  // All in one turn: behind a statement that already takes its time nothing would be put.
  const running = db.read('SELECT pg_sleep(20)::text');
  const behind = [
    db.read(`SELECT 'moved'`),
    db.write('INSERT INTO items VALUES (1)'),
    db.write('INSERT INTO items VALUES (2) RETURNING id'),
    db.read('SELECT count(*) FROM items'),
  ];
  await sleep(100);
  await server.sql(KILL_ALL);
  t.equal(describe(await running), '57P01', 'what was running fails with what the server said');
  t.strictSame((await Promise.all(behind)).map(describe), ['moved', '57P01', '57P01', '0']);
  t.strictSame(await server.sql('SELECT * FROM items'), [], 'no write ran');
});

t.test('a read is run again once only', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  await db.read('SELECT 1');
  const killer = `SELECT pg_terminate_backend(pg_backend_pid())::text`;
  const outcomes = await Promise.all([
    db.read(killer),
    db.read(killer),
    db.read(killer),
    db.read(`SELECT 'last'`),
  ]);
  t.strictSame(outcomes.map(describe), ['57P01', '57P01', '57P01', '57P01']);
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
});

t.test('an idle connection that was ended is replaced before anybody notices', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2 });
  await Promise.all([db.read('SELECT 1'), db.read('SELECT 1')]);
  await server.sql(KILL_ALL);
  await sleep(50);
  t.equal(describe(await db.write('INSERT INTO items VALUES (3)')), 'affected 1');
});

t.test('a database that is away is said to be at once, and found again', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2 });
  await db.read('SELECT 1');
  await server.kill();
  await sleep(50);
  t.match(describe(await db.read('SELECT 1')), /^08/);
  const start = performance.now();
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => db.read('SELECT 1')));
  t.ok(outcomes.every((o) => describe(o).startsWith('08')));
  t.ok(performance.now() - start < 1000, 'nobody waits for it');
  t.match(await db.database.probe(), /^connection to server/);
  await server.restart();
  for (let i = 0; i < 100 && (await db.database.probe()) !== ''; i++) await sleep(50);
  t.equal(describe(await db.read(`SELECT 'back'`)), 'back');
});

t.test('a server that accepts and says nothing holds up nothing but its own callers', async (t) => {
  const silent = net.createServer();
  silent.listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const sockets: net.Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  const { port } = silent.address() as net.AddressInfo;
  const dead = new TestDatabase(t, { host: '127.0.0.1', port, password: 'x' });
  const alive = new TestDatabase(t, server);
  const waiting = dead.read('SELECT 1');
  let slowest = 0;
  for (let i = 0; i < 100; i++) {
    const start = performance.now();
    t.equal(describe(await alive.read(`SELECT 'a'`)), 'a');
    slowest = Math.max(slowest, performance.now() - start);
    await sleep(5);
  }
  t.ok(slowest < 1000, `the thread was never blocked (${Math.round(slowest)} ms)`);
  t.match(describe(await waiting), /^08/);
  sockets.forEach((socket) => socket.destroy());
  silent.close();
});

t.test('a connection that is reset while its socket is full', async (t) => {
  const relay = net.createServer((socket) => {
    const upstream = net.connect(server.port, server.host);
    socket.pipe(upstream).pipe(socket);
    socket.on('error', () => upstream.destroy());
    relay.once('stop', () => socket.unpipe(upstream).pause());
    relay.once('reset', () => socket.resetAndDestroy());
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  t.teardown(() => relay.close());
  const { port } = relay.address() as net.AddressInfo;
  const reached = { host: server.host, port, password: server.password };
  const db = new TestDatabase(t, reached, { connections: 1 });
  await db.read('SELECT 1');
  relay.emit('stop');
  const values = ['x'.repeat(32 << 20)];
  const running = db.read('SELECT $1::text', { values });
  await sleep(100);
  relay.emit('reset');
  t.equal(describe(await running), '08006');
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
});

t.test(
  'a connection that is lost behind a failure tells it to whom it concerns alone',
  async (t) => {
    // Once told to, cuts what the server says behind an error and before the end of its segment.
    const relay = net.createServer((socket) => {
      const upstream = net.connect(server.port, server.host);
      let cutting = false;
      relay.once('cut', () => (cutting = true));
      socket.on('data', (data) => upstream.write(data)).on('close', () => upstream.destroy());
      upstream.on('data', (data: Buffer) => {
        let at = 0;
        while (cutting && at < data.length && data[at] !== ERROR)
          at += 1 + data.readInt32BE(at + 1);
        if (!cutting || at >= data.length) {
          socket.write(data);
          return;
        }
        socket.end(data.subarray(0, at + 1 + data.readInt32BE(at + 1)));
        upstream.removeAllListeners('data');
      });
    });
    relay.listen(0, '127.0.0.1');
    await once(relay, 'listening');
    t.teardown(() => relay.close());
    const { port } = relay.address() as net.AddressInfo;
    const reached = { host: server.host, port, password: server.password };
    const cases: [sql: string, identity: Identity | undefined, outcome: string][] = [
      [`DO $$ BEGIN RAISE 'for one alone'; END $$`, undefined, 'P0001'],
      ['SELECT 1', identityOf('nobody', undefined), 'permission_denied'],
    ];
    for (const [sql, identity, outcome] of cases) {
      const db = new TestDatabase(t, reached, { connections: 1 });
      await db.read('SELECT 1');
      relay.emit('cut');
      const [failed, write, read] = await Promise.all([
        db.write(sql, { identity }),
        db.write('INSERT INTO items VALUES (5)'),
        db.read(`SELECT 'moved'`),
      ]);
      t.equal(describe(failed), outcome);
      t.match(write, { state: '08006', message: 'the connection to the database was lost' });
      t.equal(describe(read), 'moved');
    }
  },
);

t.test('wrong credentials are a connection failure without the password in it', async (t) => {
  const db = new TestDatabase(t, {
    ...server,
    host: server.host,
    port: server.port,
    password: 'wrong-secret',
  });
  const outcome = await db.read('SELECT 1');
  t.match(describe(outcome), /^08/);
  t.notMatch(JSON.stringify(outcome), 'wrong-secret');
});
