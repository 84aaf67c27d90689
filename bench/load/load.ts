/**
 * Drives a server for a while and says how it went: with wrk where it is installed, because it takes the least of the
 * CPU that the server needs too, otherwise with autocannon.
 */
import { writeFileSync } from 'node:fs';
import { autocannonLoad } from './autocannon.js';
import { onPath } from './program.js';
import { wrkLoad } from './wrk.js';

export interface Load {
  readonly port: number;
  /** Sent with each request. */
  readonly authorization: string | undefined;
  readonly method: 'GET' | 'POST';
  /** Sent in this order, over and over. */
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** File that this load may write. */
  readonly scratch: string;
}

export interface LoadResult {
  /** Answers received, those that are errors included. */
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers that are not 2xx or 3xx, broken connections, time-outs. */
  readonly errors: number;
}

/** generator is the program that makes the load. */
export const generator: 'wrk' | 'autocannon' = onPath('wrk') ? 'wrk' : 'autocannon';

/** run drives a server. Rejects when the generator itself fails. */
export async function run(load: Load): Promise<LoadResult> {
  if (generator === 'autocannon') return autocannonLoad(load);
  writeFileSync(load.scratch, load.paths.join('\n') + '\n');
  return wrkLoad(load);
}
