/**
 * CPU times at one moment, and the load by other programs between two moments.
 */
import { cpuSeconds, machineSeconds } from './process-tree.js';

export interface Usage {
  /** Milliseconds. */
  readonly at: number;
  /** CPU seconds of the server, of PostgreSQL, of the benchmark with all its child processes, of the machine. */
  readonly server: number;
  readonly database: number;
  readonly own: number;
  readonly machine: number;
}

/** usage reads all CPU times; without a process id, the server's is 0. */
export function usage(server: number | undefined, database: number): Usage {
  return {
    at: performance.now(),
    server: server === undefined ? 0 : cpuSeconds(server),
    database: cpuSeconds(database),
    own: cpuSeconds(process.pid),
    machine: machineSeconds(),
  };
}

/** otherLoad is the number of CPUs that other programs kept busy. */
export function otherLoad(before: Usage, after: Usage): number {
  const seconds = after.machine - before.machine - (after.own - before.own);
  return Math.max(0, seconds / ((after.at - before.at) / 1000));
}
