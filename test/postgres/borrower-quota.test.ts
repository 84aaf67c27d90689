/** A host and a borrower share one quota: the borrower gets connections while it needs them, and never the last one. */
import t, { type Test } from 'tap';
import { ConnectionQuota, type BorrowerQuota } from '#app/postgres/connection/connection-quota.js';
import { Database } from '#app/postgres/lanes/database.js';
import { InternalJob } from '#app/postgres/statement/internal-job.js';
import { ResultBudget } from '#app/postgres/connection/result-budget.js';
import { patient } from '../support/database.js';
import { databaseSettings } from '../support/http-process.js';
import { Gate, GATES } from '../support/gate.js';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const server = await startPostgres(t, { setup: GATES });
// Waiting keeps no loop alive; a worker has other reasons to live on.
const alive = setInterval(() => undefined, 1_000);
t.teardown(() => clearInterval(alive));

/** A host and its borrower over one database. */
class Pair {
  readonly shared: Int32Array;
  readonly host: Database;
  readonly borrower: Database;
  readonly lent: BorrowerQuota;

  constructor(t: Pick<Test, 'teardown'>, total: number, most: number, idleTime = 60_000) {
    this.shared = new Int32Array([total, 0, 0]);
    const quota = new ConnectionQuota(this.shared, 0);
    const budget = new ResultBudget(1 << 20, 1 << 24);
    const usual = databaseSettings('main', server);
    const conninfo = patient(usual.conninfo);
    const settings = { ...usual, conninfo, connectTimeout: 250_000 };
    this.host = new Database(settings, budget, quota);
    this.lent = quota.lend(most, {
      wanted: () => this.host.applyQuota(),
      freed: () => this.borrower.applyQuota(),
      needed: () => this.borrower.closeIdle(),
    });
    this.borrower = new Database({ ...settings, idleConnections: 0, idleTime }, budget, this.lent);
    t.teardown(() => {
      this.host.close();
      this.borrower.close();
    });
  }

  get open(): number {
    return this.shared[1]!;
  }
}

/** Statements on dedicated connections. */
const slow = (database: Database, n: number, seconds: number) =>
  Array.from({ length: n }, () =>
    database.query(`SELECT pg_sleep(${seconds})`, [], { alone: true }),
  );
const failures = async (all: Promise<{ failure?: unknown }>[]) =>
  (await Promise.all(all)).filter(({ failure }) => failure !== undefined).length;

t.test('both together never exceed the quota', async (t) => {
  const pair = new Pair(t, 4, 2);
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, pair.open)), 1);
  const both = [pair.host, pair.borrower];
  const all: ReturnType<typeof slow> = [];
  for (const first of [0, 1]) {
    const gate = new Gate(server, `both ${first}`);
    for (const database of [both[first]!, both[1 - first]!])
      for (let n = 0; n < 12; n++)
        all.push(database.query(n % 2 ? 'SELECT 1' : gate.sql, [], { alone: true }));
    await until(() => pair.open > 2);
    await gate.open();
  }
  t.equal(await failures(all), 0);
  clearInterval(watch);
  t.ok(most <= 4, `${most} at one time`);
});

t.test('the host has all connections while the borrower needs none', async (t) => {
  const pair = new Pair(t, 3, 2, 100);
  t.equal(await failures(slow(pair.borrower, 3, 0.02)), 0);
  t.ok(pair.open >= 1);
  await until(() => pair.open === 0); // idle ones are given back
  t.equal(pair.lent.claimed, 0);
});

t.test('a host that keeps all of them idle gives one up', async (t) => {
  const pair = new Pair(t, 3, 1);
  t.equal(await failures(slow(pair.host, 6, 0.05)), 0);
  t.ok(pair.open >= 2);
  t.equal(await failures(slow(pair.borrower, 1, 0)), 0);
  t.ok(pair.open <= 3);
});

t.test('a busy host closes one when its statement has ended', async (t) => {
  const pair = new Pair(t, 2, 1);
  const gate = new Gate(server, 'until it ends');
  const busy = Array.from({ length: 8 }, () => pair.host.query(gate.sql, [], { alone: true }));
  await gate.reached(1);
  const wanted = slow(pair.borrower, 4, 0.01);
  await gate.open();
  t.equal(await failures([...wanted, ...busy]), 0);
});

t.test(
  'the last connection is never lent, and those of the borrower are closed when the quota shrinks',
  async (t) => {
    const pair = new Pair(t, 1, 4);
    t.equal(pair.lent.limit, 0);
    pair.shared[0] = 3;
    t.equal(pair.lent.limit, 2);
    const gate = new Gate(server, 'shrinks');
    const running = Array.from({ length: 2 }, () =>
      pair.borrower.query(gate.sql, [], { alone: true }),
    );
    await gate.reached(1);
    pair.shared[0] = 1;
    pair.borrower.applyQuota();
    pair.borrower.moveWaiting(pair.host); // as a worker does
    const own = slow(pair.host, 2, 0.01);
    await gate.open();
    t.equal(await failures([...running, ...own]), 0);
    t.ok(pair.open <= 1);
  },
);

t.test('a connection that the borrower could not open is not counted', async (t) => {
  const shared = new Int32Array([2, 0, 0]);
  const quota = new ConnectionQuota(shared, 0);
  const lent = quota.lend(1, {
    wanted: () => undefined,
    freed: () => undefined,
    needed: () => false,
  });
  const unreachable = new Database(
    databaseSettings('unreachable'),
    new ResultBudget(1 << 20, 1 << 24),
    lent,
  );
  t.teardown(() => unreachable.close());
  const outcome = await new Promise<{ failure?: unknown }>((resolve) => {
    unreachable.run(new InternalJob('SELECT 1', [], resolve), performance.now());
  });
  t.ok(outcome.failure);
  t.equal(shared[1], 0);
  t.equal(lent.claimed, 0);
});

t.test('where slow statements have all that is left, an idle one is given back', async (t) => {
  const pair = new Pair(t, 2, 1);
  t.equal(await failures(slow(pair.borrower, 1, 0)), 0);
  t.equal(pair.lent.claimed, 1);
  const gate = new Gate(server, 'busy');
  const busy = Array.from({ length: 2 }, () => pair.host.query(gate.sql, [], { alone: true }));
  await gate.reached(1);
  const { failure } = await pair.host.query('SELECT 1');
  t.equal(failure, undefined);
  t.equal(await gate.waiting(), 1, 'a fast one does not wait for them');
  await gate.open();
  t.equal(pair.lent.claimed, 0);
  t.equal(
    await failures([...busy, ...slow(pair.borrower, 1, 0)]),
    0,
    'and the borrower gets one again',
  );
  t.ok(pair.open <= 2);
});
