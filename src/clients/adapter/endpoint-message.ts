/**
 * Messages of the endpoint, checked before they are forwarded: JSON-RPC 2.0, on one line. They are not serialized again,
 * because that would change numbers beyond 2^53.
 */
import { isUtf8 } from 'node:buffer';
import { isObject } from '../../base/json.js';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** EndpointMessage is a message or a batch of messages: the received bytes and the parsed value. */
export interface EndpointMessage {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** readEndpointMessage parses a body; undefined if it is not JSON-RPC. */
export function readEndpointMessage(bytes: Buffer): EndpointMessage | undefined {
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

/** isResponse tells whether a message contains a response, not only notifications or requests of the endpoint. */
export function isResponse({ value }: EndpointMessage): boolean {
  const messages: unknown[] = Array.isArray(value) ? value : [value];
  return messages.some((message) => isObject(message) && !('method' in message));
}

/** Replaces line ends by spaces, in place; in JSON they occur only between tokens. */
function toOneLine(bytes: Buffer): Buffer {
  for (const lineEnd of [LF, CR])
    for (let at = bytes.indexOf(lineEnd); at !== -1; at = bytes.indexOf(lineEnd, at))
      bytes[at] = SPACE;
  return bytes;
}

/** withId is the line for a response: an error without an id gets the request's. */
export function withId({ bytes, value }: EndpointMessage, id: string | undefined): Buffer | string {
  const nameless = isObject(value) && 'error' in value && (value['id'] ?? null) === null;
  if (!nameless || id === undefined) return toOneLine(bytes);
  return errorLine(id, value['error']);
}

/** errorLine is the line for a JSON-RPC error; without an id if it is unknown, because clients reject null. */
export function errorLine(id: string | undefined, error: unknown): string {
  return `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${id},`}"error":${JSON.stringify(error)}}`;
}

function isMessage(value: unknown): boolean {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return false;
  return typeof value['method'] === 'string' || 'result' in value || isObject(value['error']);
}
