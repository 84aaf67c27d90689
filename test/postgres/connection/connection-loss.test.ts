import { once } from 'node:events';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import net from 'node:net';
import t from 'tap';
import { identityOf, type Identity } from '#app/postgres/statement/identity.js';
import { startOwnPostgres } from '../../support/postgres.js';
import { describe, TestDatabase } from '../../support/database.js';
import { isPending, until } from '../../support/until.js';

const server = await startOwnPostgres(t, { setup: 'CREATE TABLE items (id int)' });
/** The first byte of PostgreSQL's message of an error. */
const ERROR = 'E'.charCodeAt(0);
const KILL_ALL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'`;
const SLEEPING = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'tested' AND wait_event = 'PgSleep'`;

t.test('statements that had certainly not begun run on another connection', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  await db.read('SELECT 1');
  // All in one turn: a statement that already runs for long gets none behind it.
  const running = db.read('SELECT pg_sleep(3600)::text');
  const behind = [
    db.read(`SELECT 'moved'`),
    db.write('INSERT INTO items VALUES (1)'),
    db.write('INSERT INTO items VALUES (2) RETURNING id'),
    db.read('SELECT count(*) FROM items'),
  ];
  await until(async () => (await server.sql(SLEEPING)).length === 1);
  await server.sql(KILL_ALL);
  t.equal(
    describe(await running),
    '57P01',
    'the one that was running fails with the server’s error',
  );
  t.strictSame((await Promise.all(behind)).map(describe), ['moved', 'affected 1', '[["2"]]', '2']);
  t.strictSame(await server.sql('SELECT * FROM items'), [{ id: 1 }, { id: 2 }], 'once');
});

t.test('no statement is run again more than once', async (t) => {
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
  await until(async () => {
    await server.sql(KILL_ALL); // again: a connection may have been opened behind it
    return db.open === 0;
  });
  t.equal(describe(await db.write('INSERT INTO items VALUES (3)')), 'affected 1');
});

t.test('a database that is away is reported, and found again', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2 });
  await db.read('SELECT 1');
  await server.kill();
  await until(() => db.open === 0);
  t.match(describe(await db.read('SELECT 1')), /^08/);
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => db.read('SELECT 1')));
  t.ok(outcomes.every((o) => describe(o).startsWith('08')));
  t.match(await db.database.probe(), /^connection to server/);
  await server.restart();
  await until(async () => (await db.database.probe()) === '');
  t.equal(describe(await db.read(`SELECT 'back'`)), 'back');
});

t.test('a server that accepts and says nothing holds up nothing but its own callers', async (t) => {
  const silent = net.createServer();
  silent.listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const sockets: net.Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  const { port } = silent.address() as net.AddressInfo;
  const dead = new TestDatabase(
    t,
    { host: '127.0.0.1', port, password: 'x' },
    {
      conninfo: `host=127.0.0.1 port=${port} user=postgres connect_timeout=3600`,
      connectTimeout: 3_600_000,
    },
  );
  const alive = new TestDatabase(t, server);
  const waiting = dead.read('SELECT 1');
  for (let i = 0; i < 100; i++) {
    t.equal(describe(await alive.read(`SELECT 'a'`)), 'a');
    await sleep(5);
  }
  t.ok(await isPending(waiting));
  sockets.forEach((socket) => socket.destroy());
  silent.on('connection', (socket) => socket.destroy());
  t.match(describe(await waiting), /^08/);
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
  await turn(); // it has filled the socket
  relay.emit('reset');
  t.equal(describe(await running), '08007');
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
});

t.test('only the failed statement reports the failure before a connection is lost', async (t) => {
  // On `cut`, closes the connection behind the server's next error and before the end of its segment.
  const relay = net.createServer((socket) => {
    const upstream = net.connect(server.port, server.host);
    let cutting = false;
    relay.once('cut', () => (cutting = true));
    socket.on('data', (data) => upstream.write(data)).on('close', () => upstream.destroy());
    upstream.on('data', (data: Buffer) => {
      let at = 0;
      while (cutting && at < data.length && data[at] !== ERROR) at += 1 + data.readInt32BE(at + 1);
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
      db.read(`SELECT 'moved'`, { readOnly: true }),
    ]);
    t.equal(describe(failed), outcome);
    t.match(write, { state: '08007', message: /^the connection to the database was lost, and/ });
    t.equal(describe(read), 'moved');
  }
});

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
