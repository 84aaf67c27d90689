/** Abandoned statements: they end, in PostgreSQL too, and no other statement is cancelled. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import { Gate, GATES } from '../support/gate.js';
import { startPostgres } from '../support/postgres.js';
import { describe, fastCost, TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

const server = await startPostgres(t, { setup: GATES });
const HOUR = 3_600_000;

/** A statement that does not end in the time of a test, and that no other test runs. */
class Long {
  static #count = 0;
  readonly sql: string;

  constructor() {
    this.sql = `SELECT pg_sleep(${3600 + Long.#count++})::text`;
  }

  async running(): Promise<number> {
    const rows = await server.sql(
      `SELECT FROM pg_stat_activity WHERE strpos(query, '${this.sql}') > 0 AND state = 'active' AND pid <> pg_backend_pid()`,
    );
    return rows.length;
  }

  /** started waits until that many run. */
  async started(n: number): Promise<void> {
    await until(async () => (await this.running()) === n);
  }
}

// One of them waits for seconds.
t.jobs = 2;

for (const connections of [1, 2, 3])
  t.test(`${connections} connections, all of them taken`, { buffered: true }, async (t) => {
    const long = new Long();
    const db = new TestDatabase(t, server, { statementTimeout: HOUR, connections });
    const slow = Array.from({ length: Math.max(1, connections - 1) }, () =>
      db.run(long.sql, 'value', { cost: new ScriptCost() }),
    );
    await long.started(slow.length);
    if (connections > 1) slow.push(db.run(long.sql, 'value'));
    await long.started(connections);
    for (const { job } of slow) job.abandoned = true;
    for (const { outcome } of slow) t.equal(describe(await outcome), '57014');
    t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
    t.equal(await long.running(), 0);
  });

t.test('what waits for a connection ends as well', { buffered: true }, async (t) => {
  const db = new TestDatabase(t, server, { statementTimeout: HOUR, connections: 1 });
  const gate = new Gate(server, 'first');
  const first = db.run(gate.sql, 'value', { cost: new ScriptCost() });
  await gate.reached(1);
  const waiting = [new ScriptCost(), fastCost()].map((cost) =>
    db.run(`SELECT 'never'`, 'value', { cost }),
  );
  for (const { job } of waiting) job.abandoned = true;
  for (const { outcome } of waiting) t.equal(describe(await outcome), 'timeout');
  await gate.open();
  t.equal(describe(await first.outcome), '', 'one that is not abandoned runs on');
});

t.test('in a shared pipeline, once nobody waits for any of it', { buffered: true }, async (t) => {
  const long = new Long();
  const db = new TestDatabase(t, server, { statementTimeout: HOUR, connections: 1 });
  await db.read('SELECT 1');
  const [head, behind, last] = [long.sql, `SELECT 'behind'`, long.sql].map((sql) =>
    db.run(sql, 'value'),
  );
  await long.started(1);
  head!.job.abandoned = true;
  last!.job.abandoned = true;
  await sleep(600); // two checks for abandoned statements
  t.equal(await long.running(), 1, 'not while another statement could be hit');
  behind!.job.abandoned = true;
  t.equal(describe(await head!.outcome), '57014');
  t.match(describe(await behind!.outcome), /^(behind|57014)$/);
  t.equal(describe(await last!.outcome), '57014');
  t.equal(describe(await db.read(`SELECT 'next'`)), 'next');
});

t.test('a neighbour that ends clears the way', { buffered: true }, async (t) => {
  const long = new Long();
  const db = new TestDatabase(t, server, { statementTimeout: HOUR, connections: 1 });
  await db.read('SELECT 1');
  const gate = new Gate(server, 'before');
  const before = db.run(gate.sql, 'value');
  const after = db.run(long.sql, 'value');
  await gate.reached(1);
  after.job.abandoned = true;
  await gate.open();
  t.equal(describe(await before.outcome), '');
  t.equal(describe(await after.outcome), '57014');
});

t.test('no other statement is hit', { buffered: true }, async (t) => {
  const db = new TestDatabase(t, server, { statementTimeout: HOUR, connections: 4 });
  for (let round = 0; round < 20; round++) {
    const left = Array.from({ length: 3 }, () =>
      db.run(`SELECT pg_sleep(${round / 1000})::text`, 'value', { cost: new ScriptCost() }),
    );
    const kept = Array.from({ length: 6 }, (_, i) =>
      db.read(`SELECT 'kept' FROM pg_sleep(0.002)`, i < 3 ? {} : { cost: new ScriptCost() }),
    );
    await sleep(round / 2);
    for (const { job } of left) job.abandoned = true;
    t.strictSame(new Set((await Promise.all(kept)).map(describe)), new Set(['kept']));
    for (const { outcome } of left) t.match(describe(await outcome), /^(|57014|timeout)$/);
  }
});

t.test('behind it is nothing but what we send ourselves', { buffered: true }, async (t) => {
  const long = new Long();
  const db = new TestDatabase(t, server, { statementTimeout: HOUR, connections: 1 });
  // As many as a connection keeps prepared, so that one more pushes another out.
  for (let i = 0; i < 200; i++) await db.read({ sql: `SELECT 'text ${i}'`, recurs: true });
  const statement = { sql: long.sql, recurs: true };
  const jobs = Array.from({ length: 16 }, () => db.run(statement, 'value'));
  await long.started(1);
  for (const { job } of jobs) job.abandoned = true;
  for (const { outcome } of jobs) t.match(describe(await outcome), /^(57014|timeout)$/);
  t.equal(await long.running(), 0);
});
