/** Descriptions among other statements: many in one pipeline, locks, time limits, cancellation, lost connections. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import pg from 'pg';
import t, { type Test } from 'tap';
import { ServiceError } from '#app/base/errors.js';
import type { Description } from '#app/native/pipeline.js';
import { openSession } from '#app/postgres/lanes/database.js';
import type { SqlFailure } from '#app/postgres/statement/sql-failure.js';
import { describe, TestDatabase } from '../support/database.js';
import { databaseSettings } from '../support/http-process.js';
import { Gate, GATES } from '../support/gate.js';
import { startPgbouncer } from '../support/pgbouncer.js';
import { startOwnPostgres } from '../support/postgres.js';
import { without } from '../support/programs.js';
import { until } from '../support/until.js';

const server = await startOwnPostgres(t, {
  setup: `CREATE TABLE item (id int, name text); CREATE TABLE other (id int); ${GATES}`,
});

const HOUR = 3_600_000;

/** What matters of an outcome: the names of the columns, or the SQLSTATE or code. */
function textOf(outcome: Description | SqlFailure | ServiceError): string {
  if (outcome instanceof ServiceError) return outcome.code;
  if ('state' in outcome) return outcome.state;
  return outcome.columns.map(({ name }) => name).join();
}

/** An ACCESS EXCLUSIVE lock, as DDL takes it, until it is released. */
async function lock(t: Pick<Test, 'teardown'>, table: string): Promise<() => Promise<unknown>> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query(`BEGIN; LOCK TABLE ${table}`);
  return () => client.query('COMMIT');
}

/** waiting waits until that many of the tested sessions wait for a lock. */
async function waiting(count = 1): Promise<void> {
  await until(async () => {
    const rows = await server.sql(
      `SELECT FROM pg_stat_activity WHERE application_name = 'tested' AND wait_event_type = 'Lock'`,
    );
    return rows.length === count;
  });
}

async function terminate(): Promise<void> {
  await server.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tested'`,
  );
}

/** Every third is an error; those between them are not affected. */
const MIXED = Array.from({ length: 300 }, (_, i) =>
  i % 3 === 1 ? `SELECT c${i} FROM item` : `SELECT id AS c${i} FROM item WHERE name = $1`,
);
const MIXED_TEXTS = MIXED.map((_, i) => (i % 3 === 1 ? '42703' : `c${i}`));

t.test('those of one turn, on one connection', async (t) => {
  const session = openSession(databaseSettings('test', server));
  t.teardown(() => session.close());
  const outcomes = await Promise.all(MIXED.map((sql) => session.describe(sql)));
  t.strictSame(outcomes.map(textOf), MIXED_TEXTS);
});

/** A proxy before the server, and what clients have sent through it; `change` may change what it passes on, and Close has no answer. */
async function startProxy(
  t: Pick<Test, 'teardown'>,
  change = (bytes: string): string => bytes,
): Promise<{ port: number; sent: () => string }> {
  let sent = '';
  const proxy = createServer((client) => {
    const upstream = connect(server.port, server.host);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.setEncoding('latin1').on('data', (bytes: string) => {
      sent += bytes;
      upstream.write(change(bytes), 'latin1');
    });
    client.on('close', () => upstream.destroy());
    upstream.setEncoding('latin1').on('data', (bytes: string) => {
      client.write(bytes.replaceAll('3\0\0\0\x04', ''), 'latin1');
    });
    upstream.on('close', () => client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => proxy.close());
  return { port: (proxy.address() as AddressInfo).port, sent: () => sent };
}

t.test('sixteen are sent before the first has a result', async (t) => {
  const { port, sent } = await startProxy(t);
  const { host, password } = server;
  const session = openSession(databaseSettings('test', { host, port, password }));
  t.teardown(() => session.close());
  const release = await lock(t, 'item');
  const texts = Array.from({ length: 16 }, (_, i) => `SELECT id AS c${i}_ FROM item`);
  const outcomes = texts.map((sql) => session.describe(sql));
  await until(() => texts.every((sql) => sent().includes(sql)));
  await release();
  t.strictSame(
    (await Promise.all(outcomes)).map(textOf),
    texts.map((_, i) => `c${i}_`),
  );
});

t.test('a pooler that loses what was parsed', async (t) => {
  let lost = 0;
  // A Close before the Describe, whose answer the client does not see.
  const { port } = await startProxy(t, (bytes) =>
    bytes.replace(
      /(SELECT id AS ([ab]) FROM item\0\0\0)(D\0\0\0\x06S\0)/,
      (all, parse, name, describe) => {
        if (name === 'a' && lost > 0) return all;
        lost++;
        return `${parse}C\0\0\0\x06S\0${describe}`;
      },
    ),
  );
  const { host, password } = server;
  const session = openSession(databaseSettings('test', { host, port, password }));
  t.teardown(() => session.close());
  const asked = async (name: string): Promise<string> =>
    textOf(await session.describe(`SELECT id AS ${name} FROM item`));
  t.equal(await asked('a'), 'a', 'it is sent again');
  t.equal(lost, 1);
  t.equal(await asked('b'), '26000');
  t.equal(lost, 3, 'once');
  t.equal(await asked('a'), 'a');
});

t.test('among statements that run', async (t) => {
  const db = new TestDatabase(t, server, { connections: 2 });
  const outcomes = await Promise.all(
    MIXED.map(async (sql, i) => {
      if (i % 2 === 0) return textOf(await db.database.describe(sql, { alone: i % 5 === 0 }));
      const fails = { readOnly: true };
      if (i % 15 === 1) return describe(await db.read('SELECT 1 / 0', fails));
      return describe(await db.read({ sql: `SELECT '${i % 20}'`, recurs: true }));
    }),
  );
  const wanted = MIXED_TEXTS.map((text, i) => {
    if (i % 2 === 0) return text;
    return i % 15 === 1 ? '22012' : String(i % 20);
  });
  t.strictSame(outcomes, wanted);
});

t.test('behind PgBouncer', { skip: without('pgbouncer') }, async (t) => {
  const user = { name: 'postgres', password: server.password };
  const pooler = await startPgbouncer(t, server, user, ['default_pool_size = 2']);
  const databases = [1, 2, 3].map(() => openSession(databaseSettings('test', pooler)));
  t.teardown(() => databases.forEach((session) => session.close()));
  const all = databases.map((session) => MIXED.map((sql) => session.describe(sql)));
  for (const outcomes of all) t.strictSame((await Promise.all(outcomes)).map(textOf), MIXED_TEXTS);
});

t.test('one that waits for a lock delays no other statement when it is alone', async (t) => {
  const db = new TestDatabase(t, server, { connections: 3 });
  const release = await lock(t, 'item');
  const waits = db.database.describe('SELECT id FROM item', { alone: true });
  await waiting();
  for (let i = 0; i < 20; i++) t.equal(describe(await db.read('SELECT 1')), '1');
  await release();
  t.equal(textOf(await waits), 'id');
});

t.test('one that waits for a lock ends at the statement timeout', async (t) => {
  const settings = databaseSettings('test', server);
  const conninfo = `${settings.conninfo} options='-c statement_timeout=300'`;
  const session = openSession({ ...settings, conninfo });
  t.teardown(() => session.close());
  await lock(t, 'item');
  t.equal(textOf(await session.describe('TABLE item')), '57014');
});

t.test(
  'one that waits for a lock ends at the limit that it is given, and is cancelled',
  async (t) => {
    const db = new TestDatabase(t, server, { connections: 2, statementTimeout: HOUR });
    await lock(t, 'item');
    for (const alone of [true, false]) {
      t.equal(textOf(await db.database.describe('TABLE item', { alone, limit: 200 })), 'timeout');
      await waiting(0);
    }
    t.equal(textOf(await db.database.describe('TABLE other', { limit: HOUR })), 'id');
  },
);

t.test('one that waits for a lock ends when the database is closed', async (t) => {
  const session = openSession(databaseSettings('test', server));
  await lock(t, 'item');
  const waits = session.describe('TABLE item');
  await until(
    async () => (await server.sql('SELECT FROM pg_locks WHERE NOT granted')).length === 1,
  );
  session.close();
  t.equal(textOf(await waits), '08006');
});

t.test('no lock is held between two of them', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  t.equal(textOf(await db.database.describe('TABLE other')), 'id');
  // DDL does not wait for the session that is open.
  await server.sql('ALTER TABLE other ADD COLUMN more int');
  t.equal(textOf(await db.database.describe('TABLE other')), 'id,more');
  await server.sql('ALTER TABLE other DROP COLUMN more');
});

t.test('an unreachable database', async (t) => {
  const db = new TestDatabase(t, { ...databaseSettings('x'), password: 'x' });
  t.equal(textOf(await db.database.describe('SELECT 1')), '08001');
});

t.test('a lost connection: the head fails, those behind it are described on another', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const release = await lock(t, 'item');
  const outcomes = ['TABLE item', 'TABLE other', 'SELEC', 'SELECT 1 AS a'].map((sql) =>
    db.database.describe(sql),
  );
  await waiting();
  await terminate();
  t.strictSame((await Promise.all(outcomes)).map(textOf), ['57P01', 'id', '42601', 'a']);
  await release();
  t.equal(textOf(await db.database.describe('TABLE item')), 'id,name', 'the next one succeeds');
});

// libpq before version 17 gives its connection up.
t.test('more parameters than an older libpq takes', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const list = Array.from({ length: 7499 }, (_, i) => `$${i + 1}`);
  const texts = ['SELECT 1 AS a', `SELECT 1 IN (${list.join()})`, 'SELECT 2 AS b', 'SELECT 3 AS c'];
  const outcomes = await Promise.all(texts.map((sql) => db.database.describe(sql)));
  const [a, many, b, c] = outcomes.map(textOf);
  t.ok(many === '08006' || many === '?column?', String(many));
  t.strictSame([a, b, c], ['a', 'b', 'c'], 'it is the only one that may fail');
});

t.test('a long text is not kept', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const long = `SELECT ${'1 + '.repeat(5000)}1 AS a`;
  t.equal(textOf(await db.database.describe(long)), 'a');
  const last = `SELECT FROM pg_stat_activity WHERE application_name = 'tested' AND query = 'SELECT 1'`;
  await until(async () => (await server.sql(last)).length === 1);
  t.pass('a short one has followed');
});

t.test('a statement at a gate is not cancelled for one behind it', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1, statementTimeout: HOUR });
  const gate = new Gate(server, 'first');
  const first = db.read(gate.sql);
  await gate.reached(1);
  t.equal(textOf(await db.database.describe('TABLE item', { limit: 1 })), 'timeout');
  await gate.open();
  t.equal(describe(await first), '');
  t.equal(textOf(await db.database.describe('TABLE item')), 'id,name');
});
