/**
 * One instance of the service: HTTP processes with query workers, whose connections lead to backends of PostgreSQL. Each is
 * a thread; docs/architecture.md describes the real ones.
 */
import type { Clock } from './clock.js';
import type { Cores } from './cores.js';
import type { Costs, ThreadCost } from './costs.js';
import { Lanes, type Connection } from './lanes.js';
import type { Random } from '../random.js';
import type { Request } from './request.js';
import type { Part } from './sample.js';
import { Thread, type Tally } from './thread.js';

/** As in src/serve/pool/query-pool.ts: after so many requests of a turn the next worker is chosen. */
const SHARE = 16;

export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly costs: Costs;
  readonly tallies: Readonly<Record<Part, Tally>>;
  /** The machine of the service. */
  readonly cores: Cores;
  /** The machine of PostgreSQL, and the time to it and back, µs. */
  readonly databaseCores: Cores;
  readonly databaseDelay: number;
  /** Time for which a slow statement waits in PostgreSQL, µs. */
  readonly slowTime: number;
}

export interface Size {
  readonly processes: number;
  readonly threads: number;
  /** Connections to PostgreSQL of all workers together. */
  readonly pool: number;
}

/** startInstance returns the functions that send a request to each HTTP process. */
export function startInstance(
  surroundings: Surroundings,
  { processes, threads, pool }: Size,
): ((request: Request) => void)[] {
  const quota = Math.floor(pool / (processes * threads));
  return Array.from({ length: processes }, () => startProcess(surroundings, threads, quota));
}

function startProcess(
  surroundings: Surroundings,
  threads: number,
  quota: number,
): (request: Request) => void {
  const { cores, tallies, costs } = surroundings;
  const workers: Worker[] = [];
  const http = new Thread<Request>(
    cores,
    {
      ...oneWay(costs.http),
      done: (items) => {
        const requests = items.filter((item) => !item.hasResult);
        for (let from = 0; from < requests.length; from += SHARE) {
          leastBusy(workers).take(requests.slice(from, from + SHARE));
        }
        for (const item of items) if (item.hasResult) item.client.answered(item);
      },
    },
    tallies.http,
  );
  const respond = (request: Request): void => http.put(request);
  for (let n = 0; n < threads; n += 1) workers.push(startWorker(surroundings, quota, respond));
  return respond;
}

interface Worker {
  take(requests: readonly Request[]): void;
  /** Number of requests that it has. */
  busy: number;
}

function startWorker(
  surroundings: Surroundings,
  quota: number,
  respond: (request: Request) => void,
): Worker {
  const { clock, cores, tallies, costs } = surroundings;
  const thread = new Thread<Request>(
    cores,
    {
      ...oneWay(costs.worker),
      done: (items) => {
        for (const item of items) {
          if (!item.hasResult) lanes.run(item);
          else {
            lanes.ended(item);
            worker.busy -= 1;
            respond(item);
          }
        }
      },
    },
    tallies.worker,
  );
  const result = (request: Request): void => {
    request.hasResult = true;
    thread.put(request);
  };
  const connections = Array.from({ length: quota }, () => connect(surroundings, result));
  const lanes = new Lanes(clock, connections);
  const worker: Worker = {
    busy: 0,
    take(requests) {
      worker.busy += requests.length;
      for (const request of requests) thread.put(request);
    },
  };
  return worker;
}

function connect(surroundings: Surroundings, result: (request: Request) => void): Connection {
  const { clock, databaseCores, databaseDelay, slowTime, tallies, random, costs } = surroundings;
  const later = (delay: number, happen: () => void): void => {
    if (delay > 0) clock.after(delay, happen);
    else happen();
  };
  const backend = new Thread<Request>(
    databaseCores,
    {
      batch: 1,
      wake: costs.backend.wake,
      cost: () => random.lognormal(costs.backend.item, costs.variation),
      done: ([request]) => {
        later(databaseDelay / 2 + (request!.slow ? slowTime : 0), () => result(request!));
      },
    },
    tallies.backend,
  );
  return {
    ...{ inFlight: 0, exclusive: false, headSince: 0 },
    send: (request) => later(databaseDelay / 2, () => backend.put(request)),
  };
}

/** A request passes HTTP process and worker twice, on its way there and on its way back; each is half of the cost. */
function oneWay({ wake, item }: ThreadCost) {
  return { batch: Infinity, wake, cost: () => item / 2 };
}

function leastBusy(workers: readonly Worker[]): Worker {
  return workers.reduce((best, worker) => (worker.busy < best.busy ? worker : best));
}
