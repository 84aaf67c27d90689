/**
 * What passes between a front end and the pool that runs plugin calls (native/plugin_frames.h, native/plugin_host.cc),
 * whether that is in a process of its own or in this one: calls on the way there, records on the way back. Numbers are
 * little-endian.
 */
import type { ErrorCode } from '../errors.js';
import { packRequest } from '../protocol.js';

/** A request to a plugin. */
export interface PluginCall {
  /** The front end's number for it. */
  readonly id: number;
  /** As sent, upper case, one that is registered. */
  readonly method: string;
  /** The route variables. */
  readonly file: string;
  readonly func: string;
  /** As sent; the query string without its question mark. */
  readonly path: string;
  readonly query: string;
  /** As QueryRequest.headers. */
  readonly headers: string;
  readonly requestId: string;
  /** The caller's name; empty when nobody is known. */
  readonly user: string;
  /** The caller's claims, a JSON object; empty when nobody is known. */
  readonly claims: string;
  /** Undefined when it has none. */
  readonly body: Uint8Array | undefined;
}

/** packCall packs a call without its body, under a number, as a request to a query worker is packed (protocol.ts). */
export function packCall(id: number, call: PluginCall): string {
  const { method, file, func, path, query, headers, requestId, user, claims } = call;
  return packRequest(id, method, file, func, path, query, headers, requestId, user, claims);
}

/** Kinds of messages to a host process: a head of three numbers of 32 bits, then a text in UTF-16, then bytes. */
export const Message = {
  /** Text: packed calls. Bytes: the body, when it is one call. */
  calls: 0,
  /** Text: the name of a library. Bytes: what its file held. */
  library: 1,
  /** Text: packed ids (packId) of calls that nobody waits for any more: a `returned` record for each that was not begun. */
  abandon: 2,
  /** Give back what was not begun: a `returned` record for each, then one `retired`. */
  retire: 3,
} as const;

/** Bytes of the head of a message. */
export const MESSAGE_HEAD = 12;

/** writeMessageHead writes it: its kind, the text's length (characters) and the number of the bytes after it. */
export function writeMessageHead(
  to: Buffer,
  kind: (typeof Message)[keyof typeof Message],
  text: number,
  bytes: number,
): void {
  to.writeUInt32LE(kind, 0);
  to.writeUInt32LE(text, 4);
  to.writeUInt32LE(bytes, 8);
}

/** Kinds of records that come back. */
export const RecordKind = {
  /** An answer with JSON, or with a Content-Type among its header lines. `status` is that of the answer. */
  json: 0,
  typed: 1,
  /** No answer: `status` is the number of a failure, `head` for the log, `body` the message for the caller. */
  failed: 2,
  /** The call was not begun, and will not be. */
  returned: 3,
  /** All that was not begun has been returned. */
  retired: 4,
  /** `body` names a library that was loaded. */
  loaded: 5,
  /** `body` names a library that could not be loaded; why, the calls for it say. */
  unloadable: 6,
  /** A call that was answered as timed out does not end, or there are too many such calls. */
  stuck: 7,
  /** More memory is resident than may be: `status` is 1, and 2 when it is more than twice as much. */
  swollen: 8,
  /**
   * The process ends of the call `id` (0: of none); `status` is the signal, 0 for exit(). `body` has two numbers of 32 bits:
   * the id of the call that was begun last (0: none), for all that were given before it were begun too, answered or not;
   * and 1 when the call loads its library.
   */
  crashed: 9,
  /** Calls run: told twice a second while any do. */
  alive: 10,
} as const;

/** Bytes of a record before its head and body: id, kind, status, and the lengths of both. */
export const RECORD_HEAD = 16;

/** One record. What `head` and `body` show is valid for as long as they are held. */
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
