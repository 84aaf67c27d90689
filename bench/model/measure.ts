/**
 * Measures the service in one layout under one load: rate and latency as the load generator sees them, and the CPU time and
 * sleeps per request of each part.
 */
import path from 'node:path';
import { ids, type Case } from '../cases.js';
import { placeFor, withLayout, type Layout } from '../contestants.js';
import type { Database } from '../database.js';
import { runLoad } from '../load/load.js';
import { checkAnswers } from '../measure/answers.js';
import { treeOf } from '../measure/process-tree.js';
import { otherLoad, usage } from '../measure/usage.js';
import { startServer, type Server } from '../server.js';
import { PARTS, type Sample } from './sample.js';
import { commandOf, NONE, since, sum, threadsOf, type Work } from './threads.js';

/** Seconds of a discarded first load, for the JIT compiler and the lanes of the scripts. */
const WARM_UP = 2;
/** Few, so that reading them hardly counts as work of the load generator. */
const PATHS = 2_000;
/** Milliseconds from one look at the load generator to the next: the last one before its threads end counts. */
const LOOK = 50;
const CHECKS = 16;

/** A running service. */
export interface Service {
  readonly layout: Layout;
  readonly server: Server;
  readonly user: string;
}

/** startService starts the service in a layout, with `connections` to PostgreSQL; `folder` is for its files. */
export async function startService(
  database: Database,
  layout: Layout,
  connections: number,
  folder: string,
): Promise<Service> {
  const contestant = withLayout(layout);
  const login = await database.loginFor(contestant.name);
  const place = placeFor(contestant, { database: login, connections, plugins: undefined, folder });
  const launch = contestant.launch(place);
  const server = await startServer(launch, '/_health', path.join(place.folder, 'log'));
  return { layout, server, user: login.user };
}

/** A load on the service. */
export interface Setting {
  readonly subject: Case;
  readonly connections: number;
  readonly seconds: number;
  readonly seed: number;
  /** File for the requests. */
  readonly scratch: string;
}

/** warmUp checks some responses and loads a service for a moment. Rejects when a response is wrong. */
export async function warmUp(service: Service, setting: Setting): Promise<void> {
  await checkAnswers(service.server, setting.subject, ids(setting.subject, 1, CHECKS));
  await runLoad(loadOf(service, { ...setting, seconds: WARM_UP }));
}

/** takeSample loads a service. Rejects when a request fails, or the kernel does not count CPU times of threads. */
export async function takeSample(
  service: Service,
  database: Database,
  setting: Setting,
): Promise<Sample> {
  let generator = { work: NONE, seconds: 0 };
  const began = performance.now();
  const look = setInterval(() => {
    const work = workOfGenerator();
    if (work.cpu > generator.work.cpu)
      generator = { work, seconds: (performance.now() - began) / 1000 };
  }, LOOK);
  const [from, before] = [usage(service.server.pid, database.pid), await workOf(service, database)];
  const result = await runLoad(loadOf(service, setting)).finally(() => clearInterval(look));
  const [until, after] = [usage(service.server.pid, database.pid), await workOf(service, database)];
  const { requests, seconds, errors, p50, p99 } = result;
  if (errors > 0) throw new Error(`${errors} of ${requests} requests failed`);
  const each = (work: Work, answered: number): Work => ({
    cpu: (work.cpu / answered) * 1e6,
    sleeps: work.sleeps / answered,
  });
  const part = (name: 'http' | 'worker' | 'backend'): Work =>
    each(since(before[name], after[name]), requests);
  const parts = {
    generator: each(generator.work, requests * Math.min(1, generator.seconds / seconds)),
    http: part('http'),
    worker: part('worker'),
    backend: part('backend'),
  };
  const unread = PARTS.find((name) => !(parts[name].cpu > 0));
  if (unread !== undefined) throw new Error(`/proc has no CPU time of the threads of ${unread}`);
  const { layout } = service;
  return {
    case: setting.subject.name,
    layout,
    connections: setting.connections,
    ...{ rate: requests / seconds, p50, p99, otherLoad: otherLoad(from, until) },
    parts,
  };
}

function loadOf({ server }: Service, setting: Setting): Parameters<typeof runLoad>[0] {
  const { subject, connections, seconds, seed, scratch } = setting;
  return {
    port: server.port,
    authorization: undefined,
    requests: ids(subject, seed, Math.min(PATHS, subject.range)).map((id) => ({
      method: subject.method,
      path: subject.path(id),
      body: undefined,
    })),
    ...{ connections, seconds, scratch },
  };
}

/** workOf is the work until now of the threads of the service and its backends. Those of V8 and libuv count as workers. */
async function workOf({ server, user }: Service, database: Database) {
  const [http, worker, backend] = [
    new Map<number, Work>(),
    new Map<number, Work>(),
    new Map<number, Work>(),
  ];
  for (const pid of treeOf(server.pid).slice(1)) {
    for (const [id, work] of threadsOf(pid)) (id === pid ? http : worker).set(id, work);
  }
  for (const pid of await database.sessionsOf(user)) {
    for (const [id, work] of threadsOf(pid)) backend.set(id, work);
  }
  return { http, worker, backend };
}

function workOfGenerator(): Work {
  const pids = treeOf(process.pid).filter((pid) => commandOf(pid) === 'wrk');
  return sum(pids.flatMap((pid) => [...threadsOf(pid).values()]));
}
