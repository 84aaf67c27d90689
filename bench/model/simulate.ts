/** Simulates a service under load. The same scenario always has the same result. */
import { Clock } from './clock.js';
import { Cores, sliceOf } from './cores.js';
import type { Costs } from './costs.js';
import { startLoad, type Load } from './clients.js';
import { Random } from '../random.js';
import { PARTS, type Part } from './sample.js';
import { startInstance, type Size } from './service.js';
import { noTally, type Tally } from './thread.js';

export interface Scenario extends Size {
  readonly costs: Costs;
  /** Number of instances of the service, each on a machine of its own, and cores of each. */
  readonly instances: number;
  readonly cores: number;
  /** Servers of PostgreSQL on machines of their own, between which the instances are divided; else it runs beside each. */
  readonly database: { readonly servers: number; readonly cores: number } | undefined;
  readonly load: Load;
  /** Time from one machine to another and back, µs. */
  readonly network: number;
  /** Time for which a slow statement waits in PostgreSQL, ms. */
  readonly slowTime: number;
  /** Part of the time for which other programs and the hypervisor take each core away. */
  readonly disturbance: number;
  /** Simulated seconds that are measured, and those before them. */
  readonly seconds: number;
  readonly warmUp: number;
  readonly seed: number;
}

export interface Prediction {
  /** Responses per second, without those to slow requests. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Cores that are busy, by part, over all machines. */
  readonly busy: Readonly<Record<Part, number>>;
  /** Sleeps per request, by part. */
  readonly sleeps: Readonly<Record<Part, number>>;
  /** Requests waiting for an answer at the end. */
  readonly unanswered: number;
}

export function simulate(scenario: Scenario): Prediction {
  const { costs, instances, cores, database, load, network } = scenario;
  const clock = new Clock();
  const random = new Random(scenario.seed);
  const machine = (count: number): Cores => {
    const own = new Cores(clock, { cores: count, slice: sliceOf(count), wakeUp: costs.wakeUp });
    if (scenario.disturbance > 0 && costs.pause > 0) {
      for (let core = 0; core < count; core += 1) disturb(own, core);
    }
    return own;
  };
  /** Takes a core away, again and again. */
  const disturb = (own: Cores, core: number): void => {
    const gap = (costs.pause * (1 - scenario.disturbance)) / scenario.disturbance;
    const pause = (): void => {
      const time = random.exponential(costs.pause);
      own.steal(core, time);
      clock.after(time + random.exponential(gap), pause);
    };
    clock.after(random.exponential(gap), pause);
  };
  const tallies = record(noTally);
  const machines = Array.from({ length: instances }, () => machine(cores));
  const servers = Array.from({ length: database?.servers ?? 0 }, () => machine(database!.cores));
  const targets = machines.flatMap((own, index) =>
    startInstance(
      {
        ...{ clock, random, costs, tallies, cores: own },
        databaseCores: servers[index % servers.length] ?? own,
        databaseDelay: database ? network : 0,
        slowTime: scenario.slowTime * 1000,
      },
      scenario,
    ),
  );
  const clients = startLoad(
    { clock, random, costs, tally: tallies.generator, cores: machines[0]!, network },
    load,
    targets,
  );
  clock.runUntil(scenario.warmUp * 1e6);
  const before = record((part) => ({ ...tallies[part] }));
  clients.latencies.length = 0;
  clock.runUntil((scenario.warmUp + scenario.seconds) * 1e6);
  const sorted = Float64Array.from(clients.latencies).sort();
  const spent = (part: Part, of: keyof Tally): number => tallies[part][of] - before[part][of];
  return {
    rate: sorted.length / scenario.seconds,
    p50: percentile(sorted, 0.5) / 1000,
    p99: percentile(sorted, 0.99) / 1000,
    busy: record((part) => spent(part, 'cpu') / (scenario.seconds * 1e6)),
    sleeps: record((part) => spent(part, 'sleeps') / Math.max(1, sorted.length)),
    unanswered: clients.waiting(),
  };
}

/** percentile of sorted numbers; 0 of none. */
function percentile(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function record<Value>(value: (part: Part) => Value): Record<Part, Value> {
  return Object.fromEntries(PARTS.map((part) => [part, value(part)])) as Record<Part, Value>;
}
