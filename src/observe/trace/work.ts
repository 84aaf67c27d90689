/** What a query worker reports of a request whose spans may be kept: as JSON in a message to its HTTP process. */
import type { Attributes, SpanKind } from './span.js';

/** A part of the work. Times are read from the monotonic clock, ms (clock.ts). */
export interface WorkSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly start: number;
  readonly end: number;
  /** Code of the error, or SQLSTATE; undefined when it did not fail. */
  readonly error?: string | undefined;
  readonly attributes?: Attributes;
}

export interface Work {
  /** The HTTP process's number of the request. */
  readonly id: number;
  /** When the worker took it from its batch; undefined where that was not measured. */
  readonly taken?: number | undefined;
  /** Code of the error in the response; undefined without an error. */
  readonly error?: string | undefined;
  /** For the span of the whole request. */
  readonly attributes?: Attributes | undefined;
  readonly spans: readonly WorkSpan[];
}
