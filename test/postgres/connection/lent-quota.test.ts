/** A query worker lends a connection to the prover: together they never have more than is allowed. */
import t, { type Test } from 'tap';
import { ConnectionQuota } from '#app/postgres/connection/connection-quota.js';
import { Database } from '#app/postgres/lanes/database.js';
import { LentQuota } from '#app/postgres/connection/lent-quota.js';
import { ResultBudget } from '#app/postgres/connection/result-budget.js';
import { ConnectionWatch } from '../../support/connection-watch.js';
import { patient } from '../../support/database.js';
import { Gate, GATES } from '../../support/gate.js';
import { databaseSettings } from '../../support/http-process.js';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

const server = await startPostgres(t, { setup: GATES });
const alive = setInterval(() => undefined, 1_000);
t.teardown(() => clearInterval(alive));

/** A worker's database and the prover's, which share their numbers. */
class Pair {
  readonly shared: Int32Array;
  readonly worker: Database;
  readonly prover: Database;
  /** How often the worker was told that it has one less, or one more. */
  changes = 0;

  constructor(t: Pick<Test, 'teardown'>, allowed: number, idleTime = 3_600_000) {
    this.shared = new Int32Array(new SharedArrayBuffer(12));
    this.shared[0] = allowed;
    const usual = databaseSettings('main', server);
    const conninfo = `${patient(usual.conninfo)} application_name=pair`;
    const settings = { ...usual, conninfo, connectTimeout: 250_000 };
    const budget = new ResultBudget(1 << 20, 1 << 24);
    this.worker = new Database(settings, budget, new ConnectionQuota(this.shared, 0));
    const lent = new LentQuota(this.shared, 0, () => {
      this.changes++;
      this.worker.applyQuota();
    });
    const idle = { idleConnections: 0, idleTime };
    this.prover = new Database({ ...settings, ...idle }, budget, lent);
    t.teardown(() => {
      this.worker.close();
      this.prover.close();
    });
  }

  get open(): number {
    return this.shared[1]!;
  }

  get lent(): number {
    return this.shared[2]!;
  }

  allow(connections: number): void {
    this.shared[0] = connections;
    this.worker.applyQuota();
    this.prover.applyQuota();
  }
}

const run = (database: Database, sql: string): Promise<string | undefined> =>
  database.query(sql, [], { alone: true, asScript: true }).then(({ failure }) => failure?.message);

const many = (database: Database, n: number, sql: string): Promise<(string | undefined)[]> =>
  Promise.all(Array.from({ length: n }, () => run(database, sql)));

t.test('both together never have more than is allowed', async (t) => {
  const pair = new Pair(t, 3, 0);
  const watch = new ConnectionWatch(t, server, 'pair');
  for (let round = 0; round < 5 || watch.most <= 1; round++) {
    const all = [
      many(pair.worker, 12, 'SELECT pg_sleep(0.02)'),
      many(pair.prover, 2, 'SELECT pg_sleep(0.02)'),
    ];
    t.same(new Set((await Promise.all(all)).flat()), new Set([undefined]));
  }
  t.ok(watch.most <= 3, `${watch.most} connections`);
});

t.test('it waits for a connection that is busy, and has it once that is idle', async (t) => {
  const pair = new Pair(t, 2);
  pair.shared[1]!++; // one more is busy
  const gate = new Gate(server, 'busy');
  const busy = run(pair.worker, gate.sql);
  await gate.reached(1);
  const proof = run(pair.prover, 'SELECT 1');
  await until(() => pair.lent === 1);
  t.equal(pair.open, 2, 'none is cut off');
  await gate.open();
  t.equal(await busy, undefined);
  pair.shared[1]!--;
  t.equal(await proof, undefined);
  t.same([pair.open, pair.lent], [1, 1]);
  t.equal(await run(pair.worker, 'SELECT 1'), undefined, 'the worker has one left');
});

t.test('an idle one is given back', async (t) => {
  const pair = new Pair(t, 2, 0);
  t.equal(await run(pair.prover, 'SELECT 1'), undefined);
  await until(() => pair.lent === 0);
  t.equal(pair.changes, 2);
});

t.test('the last one is not lent', async (t) => {
  const pair = new Pair(t, 1);
  const proof = run(pair.prover, 'SELECT 1');
  t.equal(await run(pair.worker, 'SELECT 1'), undefined);
  t.equal(pair.lent, 0);
  pair.allow(2);
  t.equal(await proof, undefined);
  pair.allow(1);
  await until(() => pair.lent === 0);
  t.equal(await run(pair.worker, 'SELECT 1'), undefined);
  pair.allow(0);
  await until(() => pair.open === 0);
});

t.test('one that is not needed any more is not kept for it', async (t) => {
  const pair = new Pair(t, 2);
  pair.shared[1]! += 2; // all are busy
  const proof = await pair.prover.queryWithin(1, 'SELECT 1');
  t.ok(proof.failure);
  t.ok(pair.changes > 0, 'it was wanted');
  await until(() => pair.lent === 0);
});

t.test('none is lent while fewer are allowed than before', async (t) => {
  const pair = new Pair(t, 4);
  t.equal(await run(pair.prover, 'SELECT 1'), undefined);
  t.equal(pair.lent, 1);
  pair.allow(2);
  await until(() => pair.lent === 0);
  const proof = run(pair.prover, 'SELECT 1');
  t.same(await many(pair.worker, 2, 'SELECT 1'), [undefined, undefined]);
  t.equal(pair.lent, 0);
  pair.allow(4);
  t.equal(await proof, undefined, 'as many as before');
});
