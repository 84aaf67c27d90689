/**
 * Spans, and how they are encoded: as messages Span of OTLP (opentelemetry/proto/trace/v1/trace.proto), which are members of
 * a message ScopeSpans, so that encoded ones can be put together without reading them.
 */
import { MessageWriter } from '../protobuf-writer.js';

/** Span.SpanKind. */
export const INTERNAL = 1;
export const SERVER = 2;
export const CLIENT = 3;

export type SpanKind = typeof INTERNAL | typeof SERVER | typeof CLIENT;

/** Undefined values are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly remoteParent: boolean;
  readonly name: string;
  readonly kind: SpanKind;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly failed: boolean;
  readonly attributes: Attributes;
}

/** The member of ScopeSpans that has spans. */
const SPANS = 2;

/** Status.StatusCode. */
const ERROR = 2;

/** Flags of a span: the caller's sampled flag, and two bits that say where its parent is. */
const SAMPLED = 0x1;
const HAS_REMOTE = 0x100;
const REMOTE = 0x200;

/** writeSpan adds a span to the members of a ScopeSpans. */
export function writeSpan(to: MessageWriter, span: Span): void {
  const message = new MessageWriter();
  message.binary(1, Buffer.from(span.traceId, 'hex'));
  message.binary(2, Buffer.from(span.spanId, 'hex'));
  if (span.parentId !== undefined) message.binary(4, Buffer.from(span.parentId, 'hex'));
  message.text(5, span.name);
  message.integer(6, span.kind);
  message.fixed64(7, span.start);
  message.fixed64(8, span.end);
  writeAttributes(message, 9, span.attributes);
  if (span.failed) {
    const status = new MessageWriter();
    status.integer(3, ERROR);
    message.message(15, status);
  }
  message.fixed32(16, SAMPLED | HAS_REMOTE | (span.remoteParent ? REMOTE : 0));
  to.message(SPANS, message);
}

/** writeAttributes adds a list of KeyValue: texts, and whole numbers from 0 on. */
export function writeAttributes(to: MessageWriter, member: number, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    const any = new MessageWriter();
    if (typeof value === 'string') any.text(1, value);
    else any.integer(3, value);
    const pair = new MessageWriter();
    pair.text(1, key);
    pair.message(2, any);
    to.message(member, pair);
  }
}
