/**
 * The ids of a request whose spans are kept. An HTTP process and its query workers derive the same ones, each by itself:
 * nothing is computed or sent for requests whose spans are not kept.
 */
import { createHash } from 'node:crypto';
import { callerTraceIn, type TraceIds } from './trace-context.js';

/** What tells a request from all others of its HTTP process. */
export interface NumberedRequest {
  readonly id: number;
  readonly requestId: string;
  /** As WorkerRequest.headers. */
  readonly headers: string;
}

/** traceIdsOf gives the ids of a request; `seed` is a random text of its HTTP process. */
export function traceIdsOf(seed: string, { id, requestId, headers }: NumberedRequest): TraceIds {
  const digest = createHash('sha256').update(`${seed}\n${id}\n${requestId}`).digest('hex');
  const caller = callerTraceIn(headers);
  return {
    traceId: caller?.traceId ?? digest.slice(0, 32),
    spanId: digest.slice(32, 48),
    parentId: caller?.spanId,
  };
}
