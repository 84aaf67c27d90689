/**
 * What an endpoint answered, checked before it is passed on: JSON-RPC 2.0, on one line. Its text is never written anew,
 * for that would change numbers beyond 2^53.
 */
import { isUtf8 } from 'node:buffer';
import { isObject } from './era-headers.js';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** Reply is a message, or a batch of them, as it came and as it reads. */
export interface Reply {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** readReply reads a body; undefined when it is not JSON-RPC. */
export function readReply(bytes: Buffer): Reply | undefined {
  if (!isUtf8(bytes)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
  const messages: unknown[] = Array.isArray(value) ? value : [value];
  return messages.length > 0 && messages.every(isMessage) ? { bytes, value } : undefined;
}

/** isResponse tells whether a reply answers something, rather than being a notification or a request of the endpoint. */
export function isResponse({ value }: Reply): boolean {
  const messages: unknown[] = Array.isArray(value) ? value : [value];
  return messages.some((message) => isObject(message) && !('method' in message));
}

/** onOneLine is a JSON text without line ends; in JSON they only ever stand between values. Changes the bytes in place. */
export function onOneLine(bytes: Buffer): Buffer {
  for (const lineEnd of [LF, CR])
    for (let at = bytes.indexOf(lineEnd); at !== -1; at = bytes.indexOf(lineEnd, at))
      bytes[at] = SPACE;
  return bytes;
}

/** withId is a reply as the answer to a request: an error that came without an id gets the request's. */
export function withId({ bytes, value }: Reply, id: string | undefined): Buffer | string {
  const nameless = isObject(value) && 'error' in value && (value['id'] ?? null) === null;
  if (!nameless || id === undefined) return onOneLine(bytes);
  return errorLine(id, value['error']);
}

/** errorLine is an error of JSON-RPC; without an id where it is not known, for clients refuse null. */
export function errorLine(id: string | undefined, error: unknown): string {
  return `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${id},`}"error":${JSON.stringify(error)}}`;
}

function isMessage(value: unknown): boolean {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return false;
  return typeof value['method'] === 'string' || 'result' in value || isObject(value['error']);
}
