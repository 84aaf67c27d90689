/**
 * Drives a server for a while and says how it went: with wrk where it is installed, because it takes the least of the
 * CPU that the server needs too, otherwise with autocannon.
 */
import { writeFileSync } from 'node:fs';
import { autocannonLoad } from './autocannon.js';
import { onPath } from './program.js';
import { wrkLoad } from './wrk.js';

/** One request. */
export interface LoadRequest {
  readonly path: string;
  /** JSON without a tab; undefined when there is none. */
  readonly body: string | undefined;
}

export interface Load {
  readonly port: number;
  /** Sent with each request. */
  readonly authorization: string | undefined;
  readonly method: 'GET' | 'POST';
  /** Sent in this order, over and over. */
  readonly requests: readonly LoadRequest[];
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
  writeFileSync(load.scratch, lines(load.requests));
  return wrkLoad(load);
}

/** A line for each request: its path, and after a tab its body. */
function lines(requests: readonly LoadRequest[]): string {
  return requests
    .map(({ path, body }) => (body === undefined ? `${path}\n` : `${path}\t${body}\n`))
    .join('');
}
