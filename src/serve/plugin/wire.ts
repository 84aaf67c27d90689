/**
 * The wire format between an HTTP process and the pool that runs plugin calls, in a host process or in the same one
 * (native/plugin_wire.h, native/plugin_host.cc): calls one way, records the other. Numbers are little-endian.
 */
import type { ErrorCode } from '../../base/errors.js';
import { packRequest } from '../../messages/batch.js';

export interface PluginCall {
  /** Id of the request in the HTTP process. */
  readonly id: number;
  /** As sent, upper case, a method registered with IANA. */
  readonly method: string;
  /** The route variables. */
  readonly file: string;
  readonly func: string;
  /** As sent; the query string without its question mark. */
  readonly path: string;
  readonly query: string;
  /** As WorkerRequest.headers. */
  readonly headers: string;
  readonly requestId: string;
  /** The caller's name; empty for an anonymous request. */
  readonly user: string;
  /** The caller's claims, a JSON object; empty for an anonymous request. */
  readonly claims: string;
  readonly body: Uint8Array | undefined;
}

/** packCall packs a call without its body, in the batch format (batch.ts). `id` is its id on the transport. */
export function packCall(id: number, call: PluginCall): string {
  const { method, file, func, path, query, headers, requestId, user, claims } = call;
  return packRequest(id, method, file, func, path, query, headers, requestId, user, claims);
}

/** Kinds of messages to a host process: a head of three 32-bit numbers, then a text in UTF-16, then bytes. */
export const MessageKind = {
  /** Text: packed calls. Bytes: the body of a single call. */
  calls: 0,
  /** Text: the name of a library. Bytes: its file. */
  library: 1,
  /** Text: packed ids (packId) of abandoned calls. Each that has not begun comes back as `returned`. */
  abandon: 2,
  /** Return calls that have not begun: a `returned` record for each, then one `retired`. */
  retire: 3,
} as const;

/** Bytes of the head of a message. */
export const MESSAGE_HEAD = 12;

/** writeMessageHead writes the kind, the length of the text in characters and the number of bytes. */
export function writeMessageHead(
  to: Buffer,
  kind: (typeof MessageKind)[keyof typeof MessageKind],
  text: number,
  bytes: number,
): void {
  to.writeUInt32LE(kind, 0);
  to.writeUInt32LE(text, 4);
  to.writeUInt32LE(bytes, 8);
}

export const RecordKind = {
  /** A response: JSON, or with a Content-Type among its header lines. `status` is its HTTP status. */
  json: 0,
  typed: 1,
  /** A failure: `status` is a number of FAILURES, `head` a detail for the log, `body` the message for the caller. */
  failed: 2,
  /** The call has not begun, and will not. */
  returned: 3,
  /** All calls that had not begun have been returned. */
  retired: 4,
  /** `body` names a library that was loaded. */
  loaded: 5,
  /** `body` names a library that could not be loaded; its calls fail with the reason. */
  unloadable: 6,
  /** A timed-out call does not end, or too many have not ended. */
  stuck: 7,
  /** Resident memory is above the limit (`status` 1) or above twice the limit (2). */
  overMemory: 8,
  /**
   * The call `id` (0: none) ends the process; `status` is the signal, 0 for exit(). `body` has two 32-bit numbers: the id of
   * the call that began last (0: none), after all calls sent before it; and 1 when the crashing call was loading its library.
   */
  crashed: 9,
  /** Sent twice a second while calls run. */
  alive: 10,
} as const;

/** Bytes of a record before its `head` and `body`: id, kind, status and both lengths. */
export const RECORD_HEAD = 16;

/** A record. `head` and `body` may share memory with neighbouring records. */
export interface PluginRecord {
  readonly id: number;
  readonly kind: number;
  readonly status: number;
  readonly head: Buffer;
  readonly body: Buffer;
}

/** FAILURES are the codes of PluginFailure (native/plugin_call.h), by number. */
export const FAILURES: Readonly<Record<number, ErrorCode>> = {
  1: 'handler_not_found',
  2: 'plugin_load_failed',
  3: 'plugin_timeout',
  4: 'plugin_response_invalid',
  5: 'plugin_response_too_large',
  6: 'invalid_query_string',
  7: 'plugin_crashed',
};
