/** Two that share the connections to one database: the guest gets some while it has a use for them, never the last. */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { ConnectionShare, type GuestShare } from '#app/pg/connection-share.js';
import { Database } from '#app/pg/database.js';
import { InternalJob } from '#app/pg/internal-job.js';
import { ResultBudget } from '#app/pg/result-budget.js';
import { databaseSettings } from '../support/front-end.js';
import { startPostgres } from '../support/postgres.js';

const server = await startPostgres(t);
// Waiting keeps no loop alive; a worker has other reasons to live on.
const alive = setInterval(() => undefined, 1_000);
t.teardown(() => clearInterval(alive));

/** A host and its guest over one database. */
class Pair {
  readonly shared: Int32Array;
  readonly host: Database;
  readonly guest: Database;
  readonly part: GuestShare;

  constructor(t: Pick<Test, 'teardown'>, total: number, most: number, idleTime = 60_000) {
    this.shared = new Int32Array([total, 0]);
    const share = new ConnectionShare(this.shared, 0);
    const budget = new ResultBudget(1 << 20, 1 << 24);
    const settings = { ...databaseSettings('main', server), connectTimeout: 5_000 };
    this.host = new Database(settings, budget, share);
    this.part = share.guest(most, {
      wanted: () => this.host.adjust(),
      freed: () => this.guest.adjust(),
      needed: () => this.guest.giveUpIdle(),
    });
    this.guest = new Database({ ...settings, idleConnections: 0, idleTime }, budget, this.part);
    t.teardown(() => {
      this.host.close();
      this.guest.close();
    });
  }

  get held(): number {
    return this.shared[1]!;
  }
}

/** Statements that take a connection each. */
const slow = (database: Database, n: number, seconds: number) =>
  Array.from({ length: n }, () => database.askAlone(`SELECT pg_sleep(${seconds})`));
const failures = async (all: Promise<{ failure?: unknown }>[]) =>
  (await Promise.all(all)).filter(({ failure }) => failure !== undefined).length;

t.test('both together never hold more than there are', async (t) => {
  const pair = new Pair(t, 4, 2);
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, pair.held)), 1);
  const all = [...slow(pair.host, 12, 0.05), ...slow(pair.guest, 12, 0.05)];
  await sleep(150);
  all.push(...slow(pair.guest, 12, 0.05), ...slow(pair.host, 12, 0.05));
  t.equal(await failures(all), 0);
  clearInterval(watch);
  t.ok(most > 2 && most <= 4, `${most} at one time`);
});

t.test('the host has all of them while the guest has no use for any', async (t) => {
  const pair = new Pair(t, 3, 2, 100);
  t.equal(await failures(slow(pair.guest, 3, 0.02)), 0);
  t.ok(pair.held >= 1);
  await sleep(1_000);
  t.equal(pair.held, 0, 'idle ones are given back');
  t.equal(pair.part.claimed, 0);
});

t.test('a host that keeps all of them idle gives one up at once', async (t) => {
  const pair = new Pair(t, 3, 1);
  t.equal(await failures(slow(pair.host, 6, 0.05)), 0);
  t.ok(pair.held >= 2);
  const began = performance.now();
  t.equal(await failures(slow(pair.guest, 1, 0)), 0);
  t.ok(performance.now() - began < 2_000);
  t.ok(pair.held <= 3);
});

t.test('a host that is busy gives one up when its statement is done', async (t) => {
  const pair = new Pair(t, 2, 1);
  const busy = slow(pair.host, 8, 0.1);
  await sleep(50);
  t.equal(await failures([...slow(pair.guest, 4, 0.01), ...busy]), 0);
});

t.test(
  'the last connection is never the guest’s, and what it holds goes when there are fewer',
  async (t) => {
    const pair = new Pair(t, 1, 4);
    t.equal(pair.part.limit, 0);
    pair.shared[0] = 3;
    t.equal(pair.part.limit, 2);
    const running = slow(pair.guest, 2, 0.3);
    await sleep(150);
    pair.shared[0] = 1;
    pair.guest.adjust();
    pair.guest.pass(pair.host); // as a worker does
    const own = slow(pair.host, 2, 0.01);
    t.equal(await failures([...running, ...own]), 0);
    t.ok(pair.held <= 1);
  },
);

t.test('what a guest could not open is not counted', async (t) => {
  const shared = new Int32Array([2, 0]);
  const share = new ConnectionShare(shared, 0);
  const part = share.guest(1, {
    wanted: () => undefined,
    freed: () => undefined,
    needed: () => false,
  });
  const away = new Database(databaseSettings('away'), new ResultBudget(1 << 20, 1 << 24), part);
  t.teardown(() => away.close());
  const outcome = await new Promise<{ failure?: unknown }>((resolve) => {
    away.run(new InternalJob('SELECT 1', [], resolve), performance.now());
  });
  t.ok(outcome.failure);
  t.equal(shared[1], 0);
  t.equal(part.claimed, 0);
});

t.test('where slow statements have all that is left, an idle one is given back', async (t) => {
  const pair = new Pair(t, 2, 1);
  t.equal(await failures(slow(pair.guest, 1, 0)), 0);
  t.equal(pair.part.claimed, 1);
  const busy = slow(pair.host, 2, 1.5);
  await sleep(200);
  const began = performance.now();
  const { failure } = await pair.host.ask('SELECT 1');
  t.equal(failure, undefined);
  t.ok(performance.now() - began < 1_000, 'a fast one does not wait for them');
  t.equal(pair.part.claimed, 0);
  t.equal(await failures([...busy, ...slow(pair.guest, 1, 0)]), 0, 'and the guest gets one again');
  t.ok(pair.held <= 2);
});
