/**
 * How many processes and threads serve requests when nobody says so. PostgreSQL and whoever sends the requests share
 * the machine, and one front end with one query thread already keeps a core busy, so a small machine gets one of each.
 */

import type { DatabaseEntry } from './database-entries.js';
import type { Values } from './key.js';

/** Parallelism is the number of front-end processes and of query threads in each of them. */
export interface Parallelism {
  readonly processes: number;
  readonly threads: number;
}

/** Each worker should hold two connections, one for quick statements and one for slow ones. */
const CONNECTIONS_EACH = 2;

/**
 * defaultParallelism picks processes and threads for a number of cores such that every worker has its share of
 * `maxopenconn` connections; a number that is given already is kept.
 */
export function defaultParallelism(
  cores: number,
  maxopenconn: number,
  given: Partial<Parallelism> = {},
): Parallelism {
  const workers = Math.max(1, Math.floor(maxopenconn / CONNECTIONS_EACH));
  const threadsWanted = given.threads ?? (cores <= 4 ? 1 : 2);
  const processes =
    given.processes ?? clamp(Math.floor(cores / 4), Math.floor(workers / (given.threads ?? 1)));
  const threads = given.threads ?? clamp(threadsWanted, Math.floor(workers / processes));
  return { processes, threads };
}

/** leastConnections is the lowest number of connections that any database may have. */
export function leastConnections(values: Values): number {
  const common = values['pg.maxopenconn'] as number;
  const entries = (values['databases'] ?? []) as readonly DatabaseEntry[];
  const own = entries.map((entry) => entry['pg.maxopenconn'] ?? common);
  const replaced = entries.some(({ alias }) => alias === values['pg.database']);
  return Math.min(...own, ...(replaced ? [] : [common]));
}

/** clamp keeps a number between 1 and a limit; 1 wins over a limit below it. */
function clamp(n: number, limit: number): number {
  return Math.max(1, Math.min(n, limit));
}
