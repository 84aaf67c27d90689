/** The simulated service: what follows from its costs, and that nothing else has an influence. */
import t from 'tap';
import type { Costs } from '../../../bench/model/costs.js';
import { simulate, type Scenario } from '../../../bench/model/simulate.js';

const COSTS: Costs = {
  generator: { wake: 0, item: 5 },
  http: { wake: 10, item: 10 },
  worker: { wake: 10, item: 8 },
  backend: { wake: 10, item: 20 },
  ...{ wakeUp: 0, variation: 0, pause: 1000 },
};

const SCENARIO: Scenario = {
  costs: COSTS,
  ...{ instances: 1, cores: 8, processes: 1, threads: 1, pool: 24, database: undefined },
  load: { connections: 1, threads: 0, slowConnections: 0 },
  ...{ network: 0, slowTime: 0, disturbance: 0, seconds: 0.2, warmUp: 0.2, seed: 1 },
};

t.test('the same seed has the same result, another one nearly the same', (t) => {
  const random = {
    ...SCENARIO,
    costs: { ...COSTS, variation: 1 },
    load: closed(64),
    disturbance: 0.1,
  };
  const first = simulate(random);
  t.strictSame(simulate(random), first);
  const other = simulate({ ...random, seed: 2 });
  t.not(other.rate, first.rate);
  t.ok(Math.abs(other.rate / first.rate - 1) < 0.05);
  t.end();
});

t.test('a single request takes the time of its parts, and of the network', (t) => {
  // HTTP process and worker wake up twice, the backend once: half of that is before the work.
  const own = 5 + 5 + 5 + 4 + 5 + 20 + 5 + 4 + 5 + 5;
  t.equal(simulate({ ...SCENARIO, network: 50 }).p50, (own + 50) / 1000);
  const costs = { ...COSTS, wakeUp: 7 };
  t.equal(simulate({ ...SCENARIO, network: 50, costs }).p50, (own + 50 + 5 * 7) / 1000);
  const database = { servers: 1, cores: 1 };
  t.equal(simulate({ ...SCENARIO, network: 100, database }).p50, (own + 200) / 1000);
  t.end();
});

const LIMITS: { name: string; scenario: Partial<Scenario>; least: number; most: number }[] = [
  { name: 'the HTTP process: 10 µs', scenario: {}, least: 97_000, most: 101_000 },
  {
    name: 'two of them and their workers',
    scenario: { processes: 2 },
    least: 150_000,
    most: 200_000,
  },
  { name: 'one core: 38 µs', scenario: { cores: 1 }, least: 25_000, most: 26_500 },
  {
    name: 'PostgreSQL with one core: 20 µs',
    scenario: { database: { servers: 1, cores: 1 } },
    ...{ least: 48_000, most: 50_500 },
  },
  {
    name: 'two instances with a server each',
    scenario: { instances: 2, database: { servers: 2, cores: 1 } },
    ...{ least: 96_000, most: 101_000 },
  },
];

for (const { name, scenario, least, most } of LIMITS) {
  t.test(`the highest rate: ${name}`, (t) => {
    const { rate } = simulate({ ...SCENARIO, load: closed(512), ...scenario });
    t.ok(rate >= least && rate <= most, `${rate}/s`);
    t.end();
  });
}

t.test('requests under load share wake-ups', (t) => {
  const single = simulate({ ...SCENARIO, network: 50 });
  t.equal(Math.round(single.sleeps.http), 2);
  t.equal(Math.round(single.sleeps.backend), 1);
  const many = simulate({ ...SCENARIO, load: closed(256), cores: 2 });
  t.ok(many.sleeps.http < 0.2 && many.sleeps.backend < 0.5);
  t.end();
});

t.test('an open load: as many responses as requests, until the rate is too high', (t) => {
  const open = (rate: number) =>
    simulate({ ...SCENARIO, load: { rate, threads: 0, slowConnections: 0 }, warmUp: 0.05 });
  const light = open(20_000);
  t.ok(Math.abs(light.rate / 20_000 - 1) < 0.05);
  const heavy = open(80_000);
  t.ok(heavy.p99 > light.p99);
  const overloaded = open(200_000);
  t.ok(overloaded.rate < 101_000);
  t.ok(overloaded.unanswered > 10_000);
  t.end();
});

t.test('fast statements do not wait for slow ones while connections remain for them', (t) => {
  const load = { ...closed(32), slowConnections: 40 };
  const slow = { ...SCENARIO, slowTime: 50, load, warmUp: 0.5 };
  const alone = simulate({ ...SCENARIO, load: closed(32), warmUp: 0.5 });
  const beside = simulate(slow);
  t.ok(beside.p99 < 2 * alone.p99, `${beside.p99} beside, ${alone.p99} alone`);
  t.end();
});

t.test('what other programs take is missing', (t) => {
  const busy = { ...SCENARIO, load: closed(256), cores: 2, seconds: 0.5 };
  const calm = simulate(busy);
  const disturbed = simulate({ ...busy, disturbance: 0.25 });
  t.ok(disturbed.rate < 0.85 * calm.rate && disturbed.rate > 0.55 * calm.rate);
  t.ok(disturbed.p99 > calm.p99);
  t.end();
});

function closed(connections: number): Scenario['load'] {
  return { connections, threads: 0, slowConnections: 0 };
}
