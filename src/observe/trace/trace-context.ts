/**
 * The trace of a request: its caller's, from `traceparent` of W3C Trace Context, or one of its own. A header that is
 * not valid is ignored, as the specification asks for: nothing of it reaches a log or a span.
 */
import { fieldValue } from '../../base/headers.js';

/** Version, trace id, id of the caller's span, flags. Later versions may have more, behind another hyphen. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The flag of a caller that keeps its own spans. */
const SAMPLED = 1;

/** What a caller says of its trace. */
export interface CallerTrace {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the caller keeps its spans. */
  readonly sampled: boolean;
}

/** callerTrace reads the value of `traceparent`; undefined when it is not valid. */
export function callerTrace(traceparent: string): CallerTrace | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined))
    return undefined;
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return undefined;
  const sampled = (Number.parseInt(flags!, 16) & SAMPLED) !== 0;
  return { traceId: traceId!, spanId: spanId!, sampled };
}

/** callerTraceIn gives the caller's trace among the packed headers of a request. */
export function callerTraceIn(headers: string): CallerTrace | undefined {
  return callerTrace(fieldValue(headers, 'traceparent'));
}

/** The ids of a request whose spans are kept, in hexadecimal digits. */
export interface TraceIds {
  readonly traceId: string;
  /** Id of the span of the whole request. */
  readonly spanId: string;
  /** Id of its caller's span; undefined when the trace begins here. */
  readonly parentId: string | undefined;
}

/** What a line of the log about a request has. */
export interface RequestIds {
  readonly requestId: string;
  readonly traceId: string | undefined;
}

/** requestIds gives the ids of a request, for the log; `trace` is set if its spans are kept. */
export function requestIds(
  { requestId, headers }: { readonly requestId: string; readonly headers: string },
  trace: TraceIds | undefined,
): RequestIds {
  return { requestId, traceId: trace?.traceId ?? callerTraceIn(headers)?.traceId };
}
