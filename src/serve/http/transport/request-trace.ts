/** The trace of a request before its end. */
import type { Work } from '../../../observe/trace/work.js';
import type { TraceIds } from '../../../observe/trace/trace-context.js';
import type { HttpRequest } from './http-request.js';

/** Times are on this thread's clock, ms. */
export interface RequestTrace {
  readonly ids: TraceIds;
  /** Whether its spans are kept however it ends. */
  readonly sampled: boolean;
  /** When it was given to a query worker; undefined when it was not, or that was not measured. */
  submitted?: number;
  work?: Work;
}

/** isTraced tells whether the spans of a request are kept, as it is given to a query worker: this moment is one of them. */
export function isTraced({ trace }: HttpRequest): boolean {
  if (trace === undefined) return false;
  trace.submitted = performance.now();
  return true;
}
