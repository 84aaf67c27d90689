/**
 * The request that exports spans, and the response to it: the messages ExportTraceServiceRequest and
 * ExportTraceServiceResponse of OTLP (opentelemetry/proto/collector/trace/v1/trace_service.proto).
 */
import { MessageReader } from '../protobuf-reader.js';
import { MessageWriter } from '../protobuf-writer.js';
import { writeAttributes, type Attributes } from './span.js';

export interface ProcessSpans {
  readonly pid: number;
  /** Members of a ScopeSpans, see writeSpan. */
  readonly spans: readonly Buffer[];
}

/** Name of the program, as the scope of its spans and as what has made them. */
const PROGRAM = 'sql-rest-service';

/** The service in all of its processes. */
export interface ServiceIdentity {
  readonly name: string;
  readonly version: string;
  /** Tells it from other instances. */
  readonly instance: string;
}

export function exportRequest(service: ServiceIdentity, processes: Iterable<ProcessSpans>): Buffer {
  const request = new MessageWriter();
  for (const { pid, spans } of processes) {
    const resource = new MessageWriter();
    writeAttributes(resource, 1, resourceOf(service, pid));
    const scope = new MessageWriter();
    scope.text(1, PROGRAM);
    scope.text(2, service.version);
    const scopeSpans = new MessageWriter();
    scopeSpans.message(1, scope);
    for (const one of spans) scopeSpans.raw(one);
    const resourceSpans = new MessageWriter();
    resourceSpans.message(1, resource);
    resourceSpans.message(2, scopeSpans);
    request.message(1, resourceSpans);
  }
  return request.bytes();
}

function resourceOf({ name, version, instance }: ServiceIdentity, pid: number): Attributes {
  return {
    'service.name': name,
    'service.version': version,
    'service.instance.id': instance,
    'process.pid': pid,
    'telemetry.sdk.name': PROGRAM,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
  };
}

/** What a collector has not taken of a request. */
export interface Rejected {
  readonly spans: number;
  /** Its reason; empty for none. */
  readonly message: string;
}

/** rejectedOf reads the response to a request that was taken; a body that is not one rejects nothing. */
export function rejectedOf(body: Buffer): Rejected {
  try {
    const [partial] = new MessageReader(body).messages(1);
    if (partial !== undefined) return { spans: partial.integer(1), message: partial.text(2) };
  } catch {
    // The status says that it was taken.
  }
  return { spans: 0, message: '' };
}
