/** The number of shared pipelines, on models of a database whose throughput depends on it in different ways. */
import t from 'tap';
import { LaneCount } from '#app/pg/lane-count.js';

const CONNECTIONS = 10;

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
function run(load: Load, until: number, lanes = new LaneCount(), from = 0): Map<number, number> {
  const { clients, throughput, expected = 5, connections = CONNECTIONS } = load;
  const ended = new Map<number, number>();
  const queue = Array.from({ length: clients }, () => from);
  for (let now = from; now < until;) {
    const used = lanes.choose(expected, connections, now);
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
  const lanes = new LaneCount();
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
    const lanes = new LaneCount();
    const changed = 300_000;
    run({ clients: 64, throughput: before, expected: 8 }, changed, lanes);
    t.equal(lanes.choose(10, CONNECTIONS, changed), 2);
    run({ clients: 64, throughput: after, expected: 10 }, changed + within, lanes, changed);
    const used = lanes.choose(10, CONNECTIONS, changed + within);
    t.ok(used >= 6, `${used} pipelines`);
    t.end();
  });

t.test('a stall ends the tuning', (t) => {
  const lanes = new LaneCount();
  run({ clients: 256, throughput: crowded, expected: 10 }, 3_000, lanes);
  t.not(lanes.choose(10, CONNECTIONS, 3_001), 10);
  t.equal(lanes.choose(10, CONNECTIONS, 4_500), 10, 'nothing ended for a second');
  t.end();
});

t.test('connections that a reload takes away', (t) => {
  const lanes = new LaneCount();
  run({ clients: 256, throughput: remote, expected: 4 }, 5_000, lanes);
  t.equal(lanes.choose(4, 3, 5_001), 3);
  t.end();
});

t.test('a limit that was lower than the number of shared pipelines leaves no trace', (t) => {
  for (const connections of [0, 1]) {
    const lanes = new LaneCount();
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
