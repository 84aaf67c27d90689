/**
 * Loads a server with wrk, if it is installed, because it needs the least CPU, which the server shares; otherwise with
 * autocannon.
 */
import { writeFileSync } from 'node:fs';
import { autocannonLoad } from './autocannon.js';
import { onPath } from './program.js';
import { wrkLoad } from './wrk.js';
import type { Method } from '../cases.js';

export interface LoadRequest {
  readonly method: Method;
  readonly path: string;
  /** JSON without a tab. */
  readonly body: string | undefined;
}

export interface Load {
  readonly port: number;
  /** Sent with each request. */
  readonly authorization: string | undefined;
  /** Sent repeatedly in this order. */
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** File for the requests. */
  readonly scratch: string;
}

export interface LoadResult {
  /** Number of responses, including errors. */
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Number of responses other than 2xx and 3xx, lost connections, and timeouts. */
  readonly errors: number;
}

/** The program that generates the load. */
export const generator: 'wrk' | 'autocannon' = onPath('wrk') ? 'wrk' : 'autocannon';

/** runLoad rejects when the generator fails. */
export async function runLoad(load: Load): Promise<LoadResult> {
  if (generator === 'autocannon') return autocannonLoad(load);
  writeFileSync(load.scratch, lines(load.requests));
  return wrkLoad(load);
}

/** A line for each request: the method, and after tabs the path and the body. */
function lines(requests: readonly LoadRequest[]): string {
  return requests
    .map(
      ({ method, path, body }) =>
        `${[method, path, ...(body === undefined ? [] : [body])].join('\t')}\n`,
    )
    .join('');
}
