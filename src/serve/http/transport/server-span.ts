/** A request that has ended and whose spans are kept, and how these are encoded. */
import { randomBytes } from 'node:crypto';
import type { MessageWriter } from '../../../observe/protobuf-writer.js';
import { monotonic, type WallClock } from '../../../observe/trace/clock.js';
import {
  INTERNAL,
  SERVER,
  writeSpan,
  type Attributes,
  type Span,
} from '../../../observe/trace/span.js';
import type { WorkSpan } from '../../../observe/trace/work.js';
import type { TraceIds } from '../../../observe/trace/trace-context.js';
import type { RequestTrace } from './request-trace.js';

/** Times are monotonic, ms. */
export interface ServerSpan {
  readonly trace: RequestTrace;
  readonly start: number;
  readonly end: number;
  /** When its body had arrived; undefined when it has none. */
  readonly received: number | undefined;
  /** When its response was begun; undefined when it has none. */
  readonly answered: number | undefined;
  readonly name: string;
  readonly failed: boolean;
  readonly attributes: Attributes;
  readonly error: string | undefined;
  /** Whether its own span is sent: then only what its query worker has reported is to be. */
  isSent: boolean;
}

/** writeSpans encodes the spans of a request that were not sent yet. Returns their number. */
export function writeSpans(to: MessageWriter, ended: ServerSpan, clock: WallClock): number {
  const { ids, work, submitted } = ended.trace;
  let count = 0;
  const write = (span: WorkSpan): void => {
    writeSpan(to, workSpan(ids, span, clock));
    count++;
  };
  if (!ended.isSent) {
    writeSpan(to, serverSpan(ended, clock));
    ended.isSent = true;
    count++;
    const { start, end, received, answered } = ended;
    if (received !== undefined) write({ name: 'receive', kind: INTERNAL, start, end: received });
    if (answered !== undefined) write({ name: 'answer', kind: INTERNAL, start: answered, end });
  }
  if (work === undefined) return count;
  if (submitted !== undefined && work.taken !== undefined)
    write({ name: 'queue', kind: INTERNAL, start: monotonic(submitted), end: work.taken });
  work.spans.forEach(write);
  return count;
}

function serverSpan(ended: ServerSpan, clock: WallClock): Span {
  const { trace, start, end, name, failed, attributes, error } = ended;
  const { ids, work } = trace;
  return {
    ...ids,
    remoteParent: ids.parentId !== undefined,
    name,
    kind: SERVER,
    start: clock.nanoseconds(start),
    end: clock.nanoseconds(end),
    failed,
    attributes: { ...attributes, ...work?.attributes, 'error.type': error ?? work?.error },
  };
}

function workSpan({ traceId, spanId }: TraceIds, span: WorkSpan, clock: WallClock): Span {
  const { name, kind, start, end, error, attributes } = span;
  return {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    parentId: spanId,
    remoteParent: false,
    name,
    kind,
    start: clock.nanoseconds(start),
    end: clock.nanoseconds(Math.max(start, end)),
    failed: error !== undefined,
    attributes: { ...attributes, 'error.type': error },
  };
}
