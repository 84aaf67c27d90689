/** The number of shared pipelines, on models of a database whose throughput depends on it in different ways. */
import t from 'tap';
import { LaneCount } from '#app/postgres/lanes/lane-count.js';
import { DEPTH } from '#app/postgres/lanes/scheduler.js';

const CONNECTIONS = 10;

/** A number that is told how many jobs wait. */
class Tuned extends LaneCount {
  waiting = 0;

  constructor() {
    super(() => this.waiting);
  }
}

/** Jobs per millisecond with a number of pipelines in use. */
type Throughput = (lanes: number) => number;

interface Load {
  /** Requests in flight, each of which follows on the one before. */
  readonly clients: number;
  readonly throughput: Throughput;
  /** The number of pipelines that follows from expected times. */
  readonly expected?: number;
  readonly connections?: number;
}

/** Runs a load for some time, ms, and returns how many jobs ended with each number of pipelines. */
function run(load: Load, until: number, lanes = new Tuned(), from = 0): Map<number, number> {
  const { clients, throughput, expected = 5, connections = CONNECTIONS } = load;
  const ended = new Map<number, number>();
  const queue = Array.from({ length: clients }, () => from);
  for (let now = from; now < until;) {
    const used = lanes.choose(expected, connections, now);
    lanes.waiting = clients - used * DEPTH;
    // At most one job for each client can be in a pipeline.
    now += 1 / throughput(Math.min(used, clients));
    lanes.record(queue.shift()!, now);
    queue.push(now);
    ended.set(used, (ended.get(used) ?? 0) + 1);
  }
  return ended;
}

/** A throughput that other programs disturb: each 50 ms it is up to a fifth less. */
function disturbed(throughput: Throughput): Throughput {
  let seed = 1;
  let jobs = 0;
  let factor = 1;
  return (lanes) => {
    if (jobs-- <= 0) {
      seed = (seed * 48_271) % 0x7fff_ffff;
      factor = 1 - seed / 0x7fff_ffff / 5;
      jobs = 50 * throughput(lanes);
    }
    return factor * throughput(lanes);
  };
}

/** The part of the jobs that ended with such a number of pipelines. */
function part(ended: ReadonlyMap<number, number>, accepts: (lanes: number) => boolean): number {
  let accepted = 0;
  let all = 0;
  for (const [lanes, jobs] of ended) {
    all += jobs;
    if (accepts(lanes)) accepted += jobs;
  }
  return accepted / all;
}

/** As measured: pages of 100 rows on two processors, and inserts, which share their commits. */
const crowded: Throughput = (lanes) => 10 - 0.45 * (lanes - 2);
const commits: Throughput = (lanes) => 4 + 1.2 * lanes;
const flat: Throughput = () => 30;
/** A remote server with processors for all. */
const remote: Throughput = (lanes) => 3 * lanes;

const CASES: readonly [
  what: string,
  load: Load,
  accepts: (lanes: number) => boolean,
  least: number,
][] = [
  ['backends that only take turns', { clients: 256, throughput: crowded, expected: 10 }, (n) => n <= 3, 0.85],
  ['the same with few clients', { clients: 32, throughput: crowded, expected: 6 }, (n) => n <= 3, 0.85],
  ['commits in groups', { clients: 32, throughput: commits, expected: 5 }, (n) => n >= 8, 0.85],
  ['commits in groups, many clients', { clients: 1000, throughput: commits, expected: 2 }, (n) => n >= 8, 0.7],
  ['a server with many processors', { clients: 256, throughput: remote, expected: 2 }, (n) => n >= 8, 0.85],
  ['turns, on a busy machine', { clients: 256, throughput: disturbed(crowded), expected: 10 }, (n) => n <= 4, 0.7],
  ['commits, on a busy machine', { clients: 32, throughput: disturbed(commits), expected: 5 }, (n) => n >= 7, 0.7],
  ['no difference: few are enough', { clients: 256, throughput: flat, expected: 8 }, (n) => n <= 3, 0.85],
]; // prettier-ignore

for (const [what, load, accepts, least] of CASES)
  t.test(what, (t) => {
    const ended = run(load, 10_000);
    const good = part(ended, accepts);
    t.ok(good >= least, `${(100 * good).toFixed(0)} % of the jobs: ${JSON.stringify([...ended])}`);
    t.ok([...ended.keys()].every((lanes) => lanes >= 2 && lanes <= CONNECTIONS));
    t.end();
  });

for (const clients of [3, 12])
  t.test(`with few jobs in flight the expected number holds: ${clients}`, (t) => {
    const ended = run({ clients, throughput: commits, expected: 4 }, 5_000);
    t.strictSame([...ended.keys()], [4]);
    t.end();
  });

t.test('too few jobs to measure: the expected number holds', (t) => {
  const ended = run({ clients: 256, throughput: () => 0.1, expected: 7 }, 20_000);
  t.strictSame([...ended.keys()], [7]);
  t.end();
});

t.test('a number that was good for another load is given up', (t) => {
  const lanes = new Tuned();
  run({ clients: 256, throughput: crowded, expected: 10 }, 5_000, lanes);
  const after = run({ clients: 256, throughput: commits, expected: 5 }, 15_000, lanes, 5_000);
  t.ok(part(after, (n) => n >= 8) > 0.7, JSON.stringify([...after]));
  t.end();
});

const CHANGES: readonly [what: string, before: Throughput, after: Throughput, within: number][] = [
  ['jobs that take longer', () => 0.3, (n) => n / 10, 8_000],
  ['jobs that take much longer', () => 10, (n) => n / 10, 1_500],
];
for (const [what, before, after, within] of CHANGES)
  t.test(`so is one that was good for long: ${what}`, (t) => {
    const lanes = new Tuned();
    const changed = 300_000;
    run({ clients: 64, throughput: before, expected: 8 }, changed, lanes);
    t.equal(lanes.choose(10, CONNECTIONS, changed), 2);
    run({ clients: 64, throughput: after, expected: 10 }, changed + within, lanes, changed);
    const used = lanes.choose(10, CONNECTIONS, changed + within);
    t.ok(used >= 6, `${used} pipelines`);
    t.end();
  });

/** Requests that come at a rate, per millisecond, whatever is done with those before. */
interface Arrivals {
  readonly rate: (now: number) => number;
  readonly throughput: Throughput;
  readonly expected?: number;
}

/** Lets them come for some time, ms, and returns the longest queue and the most pipelines of the last five seconds. */
function arrive(
  { rate, throughput, expected = 2 }: Arrivals,
  until: number,
): { queue: number; most: number } {
  const queued: number[] = [];
  const lanes = new Tuned();
  let arrival = 0;
  const last = { queue: 0, most: 0 };
  for (let now = 0; now < until;) {
    if (queued.length === 0) now = Math.max(now, arrival);
    for (; arrival <= now; arrival += 1 / rate(arrival)) queued.push(arrival);
    const used = lanes.choose(expected, CONNECTIONS, now);
    lanes.waiting = queued.length - used * DEPTH;
    if (now > until - 5_000) {
      last.queue = Math.max(last.queue, queued.length);
      last.most = Math.max(last.most, used);
    }
    now += 1 / throughput(Math.min(used, queued.length));
    lanes.record(queued.shift()!, now);
  }
  return last;
}

/** A load for a part of each second, and another one for the rest. */
const waves =
  (length: number, high: number, low: number) =>
  (now: number): number =>
    now % 1_000 < length ? high : low;
const overload = (now: number): number => (now < 2_000 ? 40 : 25);
const eighth: Throughput = (lanes) => (lanes <= 2 ? 6 : 6.75);
const ARRIVALS: readonly [what: string, arrivals: Arrivals, until: number, queue: number, most: number][] = [
  ['a queue that grows by itself does not hide that more pipelines do more', { rate: () => 25, throughput: remote }, 9_000, 16, 10],
  ['nor does one that an overload has left', { rate: overload, throughput: remote }, 20_000, 16, 10],
  ['when it is gone, the number stays as long as as many jobs end', { rate: overload, throughput: remote }, 60_000, 16, 10],
  ['a gain of an eighth is enough for a queue', { rate: () => 6.5, throughput: eighth }, 20_000, 16, 10],
  ['a queue that grows slowly, and goes at once', { rate: () => 6.2, throughput: (n) => (n <= 2 ? 6 : 9) }, 20_000, 16, 10],
  ['load in waves: the number of the last one is remembered', { rate: waves(500, 25, 1), throughput: remote }, 20_000, 16, 10],
  ['waves with nothing between them', { rate: waves(500, 25, 0.01), throughput: remote }, 20_000, 16, 10],
  ['the end of a wave is not what a trial has done', { rate: waves(250, 20, 0.5), throughput: crowded }, 60_000, 3_000, 3],
  ['nor is that of a short one', { rate: waves(150, 20, 0.5), throughput: crowded }, 60_000, 2_000, 3],
  ['load that does not come back: it is forgotten', { rate: (now) => (now < 5_000 ? 25 : 1), throughput: remote }, 30_000, 16, 2],
  ['waves that begin with too many pipelines', { rate: waves(600, 12, 0.5), throughput: crowded, expected: 10 }, 60_000, 3_000, 10],
  ['more pipelines that do less are not kept, however the queue grows', { rate: () => 11, throughput: crowded }, 20_000, 25_000, 3],
]; // prettier-ignore
for (const [what, arrivals, until, queue, most] of ARRIVALS)
  t.test(what, (t) => {
    const last = arrive(arrivals, until);
    t.ok(last.queue <= queue, `${last.queue} jobs`);
    t.ok(last.most <= most, `${last.most} pipelines`);
    t.end();
  });

t.test('a number that no trial has confirmed is not remembered', (t) => {
  const lanes = new Tuned();
  run({ clients: 20, throughput: remote, expected: 10 }, 150, lanes);
  run({ clients: 10, throughput: remote, expected: 2 }, 1_000, lanes, 150);
  t.equal(lanes.choose(2, CONNECTIONS, 1_000), 2);
  t.end();
});

t.test('a stall ends the tuning', (t) => {
  const lanes = new Tuned();
  run({ clients: 256, throughput: crowded, expected: 10 }, 3_000, lanes);
  t.not(lanes.choose(10, CONNECTIONS, 3_001), 10);
  t.equal(lanes.choose(10, CONNECTIONS, 4_500), 10, 'nothing ended for a second');
  t.end();
});

t.test('connections that a reload takes away', (t) => {
  const lanes = new Tuned();
  run({ clients: 256, throughput: remote, expected: 4 }, 5_000, lanes);
  t.equal(lanes.choose(4, 3, 5_001), 3);
  t.end();
});

t.test('a limit that was lower than the number of shared pipelines leaves no trace', (t) => {
  for (const connections of [0, 1]) {
    const lanes = new Tuned();
    run({ clients: 64, throughput: () => 8, connections }, 5_000, lanes);
    t.equal(lanes.choose(8, connections, 5_001), 2, 'the scheduler asks for a connection');
    const after = run({ clients: 64, throughput: () => 8 }, 10_000, lanes, 5_000);
    t.ok(
      [...after.keys()].every((n) => n >= 2),
      JSON.stringify([...after]),
    );
  }
  t.end();
});
