/**
 * The default number of HTTP processes and query threads. PostgreSQL and clients often share the machine, and one HTTP
 * process with one query thread already keeps a core busy, so a small machine gets one of each.
 */
import type { DatabaseEntry } from './database-entries.js';
import type { Values } from './key.js';

/** Number of HTTP processes, and of query threads in each. */
export interface Parallelism {
  readonly processes: number;
  readonly threads: number;
}

/** Each query worker should have a connection for fast statements and one for slow ones. */
const CONNECTIONS_PER_WORKER = 2;

/** Connections that the proof of the scripts uses beside the workers. */
const CONNECTIONS_OF_PROOF = 1;

/**
 * defaultParallelism chooses processes and threads for a number of cores, so that `maxopenconn` is enough for every
 * worker; a number in `given` is kept.
 */
export function defaultParallelism(
  cores: number,
  maxopenconn: number,
  given: Partial<Parallelism> = {},
): Parallelism {
  const free = maxopenconn - CONNECTIONS_OF_PROOF;
  const workers = Math.max(1, Math.floor(free / CONNECTIONS_PER_WORKER));
  const threadsWanted = given.threads ?? (cores <= 4 ? 1 : 2);
  const processes =
    given.processes ?? clamp(Math.floor(cores / 4), Math.floor(workers / (given.threads ?? 1)));
  const threads = given.threads ?? clamp(threadsWanted, Math.floor(workers / processes));
  return { processes, threads };
}

/** leastConnections is the smallest limit of connections of all databases. */
export function leastConnections(values: Values): number {
  const common = values['pg.maxopenconn'] as number;
  const entries = (values['databases'] ?? []) as readonly DatabaseEntry[];
  const own = entries.map((entry) => entry['pg.maxopenconn'] ?? common);
  const replaced = entries.some(({ alias }) => alias === values['pg.database']);
  return Math.min(...own, ...(replaced ? [] : [common]));
}

function clamp(n: number, limit: number): number {
  return Math.max(1, Math.min(n, limit));
}
