/** Jobs of several statements: one transaction in one segment, whatever happens to it and to those beside it. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import t from 'tap';
import { identityOf } from '#app/postgres/statement/identity.js';
import type { Statement } from '#app/postgres/statement/job.js';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import { describe, TestDatabase, type Outcome } from '../support/database.js';
import { startPgbouncer } from '../support/pgbouncer.js';
import { startOwnPostgres } from '../support/postgres.js';
import { without } from '../support/programs.js';
import { until } from '../support/until.js';

const server = await startOwnPostgres(t, {
  setup: `
    CREATE TABLE kept (n int PRIMARY KEY);
    CREATE TABLE shape (n int);
    CREATE SEQUENCE runs;
    CREATE ROLE ann;
    GRANT ALL ON kept, shape TO ann;
    GRANT USAGE ON SEQUENCE runs TO ann`,
});
const HOUR = 3_600_000;

const recurring = (sql: string): Statement => ({ sql, recurs: true });
const plain = (sql: string): Statement => ({ sql, recurs: false });
const KEEP = recurring('INSERT INTO kept VALUES ($1)');
const keep = (n: number) => ({ statement: KEEP, values: [String(n)] });
const run = (statement: Statement, ...values: string[]) => ({ statement, values });
const FORGET = 'TRUNCATE kept, shape';

/** Which statement failed, and how. */
const failure = (outcome: Outcome): string =>
  'part' in outcome ? `${describe(outcome)} in ${outcome.part}` : describe(outcome);

async function kept(): Promise<number[]> {
  const rows = await server.sql('SELECT n FROM kept ORDER BY n');
  return rows.map((row) => (row as { n: number }).n);
}

t.test('each of them failing, unprepared, parsed in the segment and prepared', async (t) => {
  await server.sql(FORGET);
  const bad = [
    ['nonsense', '42601'],
    ['SELECT nope', '42703'],
    ['SELECT 1 / 0', '22012'],
  ] as const;
  for (const identity of [undefined, identityOf('ann', '{}')])
    for (const prepared of [true, false]) {
      const db = new TestDatabase(t, server, { connections: 1, prepared });
      for (const [sql, state] of bad)
        for (const statement of [plain(sql), recurring(sql)])
          for (let at = 0; at < 3; at++)
            for (let i = 0; i < 3; i++) {
              const parts = [keep(1), keep(2), keep(3)];
              parts[at] = run(statement);
              const last = parts.pop()!;
              const outcome = await db.write(last.statement, {
                values: last.values,
                before: parts,
                identity,
              });
              t.equal(failure(outcome), `${state} in ${at}`);
            }
      t.strictSame(await kept(), []);
      t.equal(db.open, 1);
    }
});

t.test('each is prepared once, and shared by all', async (t) => {
  await server.sql(FORGET);
  const db = new TestDatabase(t, server, { connections: 1 });
  for (const n of [10, 20])
    t.equal(
      describe(await db.write(KEEP, { values: [`${n}`], before: [keep(n + 1), keep(n + 2)] })),
      'affected 1',
    );
  t.equal(describe(await db.write(KEEP, { values: ['30'] })), 'affected 1');
  const names = `SELECT count(*)::text FROM pg_prepared_statements`;
  t.equal(describe(await db.read(names)), '1');
  t.strictSame(await kept(), [10, 11, 12, 20, 21, 22, 30]);
});

t.test('more statements than are prepared on a connection', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const before = Array.from({ length: 500 }, (_, i) => run(recurring(`SELECT ${i}`)));
  for (let i = 0; i < 3; i++)
    t.equal(describe(await db.read(recurring('SELECT 500'), { before })), '500');
  t.ok(Number(describe(await db.read('SELECT count(*) FROM pg_prepared_statements'))) <= 200);
});

t.test('a stale plan of any of them: all run again, once', async (t) => {
  const select = recurring('SELECT * FROM shape');
  for (let at = 0; at < 3; at++) {
    await server.sql(FORGET);
    const db = new TestDatabase(t, server, { connections: 1 });
    const send = (n: number) => {
      const parts = [keep(n), keep(n + 1), keep(n + 2)];
      parts[at] = run(select);
      const last = parts.pop()!;
      return db.write(last.statement, { values: last.values, before: parts });
    };
    await send(10);
    await server.sql(`ALTER TABLE shape ADD COLUMN m${at} int`);
    t.notOk('state' in (await send(20)));
    t.equal((await kept()).length, 4);
    t.equal(db.open, 1);
  }
});

t.test('names that PostgreSQL has forgotten', async (t) => {
  await server.sql(FORGET);
  const db = new TestDatabase(t, server, { connections: 1 });
  const who = recurring('SELECT current_user::text');
  const send = (n: number) =>
    db.read(who, { before: [keep(n), keep(n + 1)], identity: identityOf('ann', '{}') });
  t.equal(describe(await send(1)), 'ann');
  await db.database.query('DEALLOCATE ALL');
  t.equal(describe(await send(3)), 'ann');
  t.strictSame(await kept(), [1, 2, 3, 4]);
});

t.test('behind a read-only failure in one pipeline', async (t) => {
  await server.sql(FORGET);
  const db = new TestDatabase(t, server, { connections: 1 });
  for (let n = 0; n < 30; n += 3) {
    const [, first, , second] = await Promise.all([
      db.read('SELECT 1 / 0', { readOnly: true }),
      db.write(KEEP, { values: [`${n}`], before: [run(recurring(`SELECT ${n}`)), keep(n + 1)] }),
      db.read('SELECT 1 / 0', { readOnly: true }),
      db.write(KEEP, { values: [`${n + 2}`], before: [run(recurring(`SELECT ${n}`))] }),
    ]);
    t.equal(describe(first), 'affected 1');
    t.equal(describe(second), 'affected 1');
  }
  t.equal((await kept()).length, 30);
});

t.test('cancelled, ended and lost in the middle', async (t) => {
  const wait = plain('SELECT pg_sleep(3600)');
  const parts = (n: number) => ({
    values: [`${n}`],
    before: [keep(n + 1), run(wait)],
    cost: new ScriptCost(),
  });
  const waiting = `SELECT pid FROM pg_stat_activity WHERE query = '${wait.sql}' AND state = 'active'`;
  const started = () => until(async () => (await server.sql(waiting)).length === 1);
  await server.sql(FORGET);
  const db = new TestDatabase(t, server, { statementTimeout: HOUR, connections: 1 });

  const cancelled = db.write(KEEP, parts(1));
  await started();
  await server.sql(`SELECT pg_cancel_backend(pid) FROM (${waiting}) x`);
  t.equal(failure(await cancelled), '57014 in 1');

  const abandoned = db.run(KEEP, 'rows', parts(1));
  await started();
  abandoned.job.abandoned = true;
  t.equal(failure(await abandoned.outcome), '57014 in 1');

  const ended = db.write(KEEP, parts(1));
  await started();
  await server.sql(`SELECT pg_terminate_backend(pid) FROM (${waiting}) x`);
  t.equal(failure(await ended), '57P01 in 1', 'PostgreSQL itself says that nothing stays');

  const limited = new TestDatabase(t, server, { statementTimeout: HOUR, connections: 1 });
  const limit = run(plain(`SELECT set_config('statement_timeout', '50', true)`));
  const over = await limited.write(KEEP, { values: ['1'], before: [keep(2), limit, run(wait)] });
  t.equal(failure(over), '57014 in 2');

  t.strictSame(await kept(), []);
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
});

t.test('COPY in any of them ends the connection', async (t) => {
  await server.sql(FORGET);
  const db = new TestDatabase(t, server, { connections: 1 });
  const outcome = await db.write(KEEP, {
    values: ['1'],
    before: [keep(2), run(plain('COPY kept TO STDOUT'))],
  });
  t.equal(describe(outcome), 'statement_not_allowed');
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
});

t.test('a command tag of any of them shows session state', async (t) => {
  await server.sql(FORGET);
  const db = new TestDatabase(t, server, { connections: 1 });
  const pid = async () => describe(await db.read('SELECT pg_backend_pid()::text'));
  for (const sql of [
    'SET application_name = left_behind',
    'LISTEN x',
    'DECLARE c CURSOR FOR SELECT 1',
  ]) {
    const first = await pid();
    const outcome = await db.write('SELECT 1', {
      before: [run(plain('SELECT 1')), run(plain(sql))],
    });
    t.match(outcome, {
      code: 'statement_not_allowed',
      message: /^(SET|LISTEN|DECLARE CURSOR) is not/,
    });
    t.not(await pid(), first, 'the connection is closed');
  }
  const first = await pid();
  await db.write('SELECT 1', {
    before: [run(plain('CREATE TABLE made (n int)')), run(plain('DROP TABLE made'))],
  });
  t.equal(await pid(), first);
});

/** A proxy that counts the Sync messages of its clients after the start of a connection. */
async function countingProxy(): Promise<{
  host: string;
  port: number;
  password: string;
  syncs: () => number;
}> {
  let syncs = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(server.port, server.host);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    let rest = Buffer.alloc(0);
    let typed = false; // the first messages of a connection, up to that with the version, have no type
    client.on('data', (bytes: Buffer) => {
      upstream.write(bytes);
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        const head = typed ? 1 : 0;
        if (rest.length < head + 4) return;
        const length = head + rest.readUInt32BE(head);
        if (rest.length < length) return;
        if (typed && rest.toString('latin1', 0, 1) === 'S') syncs++;
        typed ||= rest.readUInt32BE(4) >> 16 === 3;
        rest = rest.subarray(length);
      }
    });
    upstream.pipe(client);
    client.on('close', () => upstream.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = proxy.address() as AddressInfo;
  return { host: '127.0.0.1', port, password: server.password, syncs: () => syncs };
}

t.test('one sync for all of them, and one transaction', async (t) => {
  await server.sql(FORGET);
  const proxy = await countingProxy();
  const db = new TestDatabase(t, proxy, { connections: 1 });
  await db.read('SELECT 1');
  const before = proxy.syncs();
  for (let n = 0; n < 60; n += 6)
    await db.write(KEEP, { values: [`${n}`], before: [1, 2, 3, 4, 5].map((i) => keep(n + i)) });
  t.equal(proxy.syncs() - before, 10);
  const writers = await server.sql('SELECT DISTINCT xmin::text FROM kept');
  t.equal(writers.length, 10);
  t.equal((await kept()).length, 60);
});

t.test('behind PgBouncer', { skip: without('pgbouncer') }, async (t) => {
  await server.sql(FORGET);
  const user = { name: 'postgres', password: server.password };
  const pooler = await startPgbouncer(t, server, user, ['default_pool_size = 1']);
  const db = new TestDatabase(t, pooler, { connections: 2, prepared: false });
  for (let n = 0; n < 30; n += 3)
    t.equal(
      describe(await db.write(KEEP, { values: [`${n}`], before: [keep(n + 1), keep(n + 2)] })),
      'affected 1',
    );
  t.equal(failure(await db.write(KEEP, { values: ['0'], before: [keep(100)] })), '23505 in 1');
  t.equal((await kept()).length, 30);
});
