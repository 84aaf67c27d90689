/**
 * Reads what the adapter needs of a client's message: whether it expects a response, and under which id. The message is
 * forwarded unchanged even if it is not JSON-RPC, because the endpoint reports errors best. Rejects everything
 * but JSON in UTF-8.
 */
import { isUtf8 } from 'node:buffer';
import { eraHeaders } from './era-headers.js';
import { isObject } from '../../base/json.js';

export interface ClientMessage {
  /** The id as JSON text; undefined without one that a response could carry. */
  readonly id: string | undefined;
  readonly method: string | undefined;
  readonly expectsResponse: boolean;
  /** The headers that its protocol version requires. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The id of the request that this notification cancels, as JSON text. */
  readonly cancels: string | undefined;
}

/** readClientMessage parses a line; undefined if it is not JSON. */
export function readClientMessage(line: Buffer): ClientMessage | undefined {
  if (!isUtf8(line)) return undefined;
  let text: string;
  let value: unknown;
  try {
    text = line.toString();
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return { ...NOTHING, expectsResponse: expectsResponse(value) };
  const method = typeof value['method'] === 'string' ? value['method'] : undefined;
  const params = value['params'];
  const cancels = method === 'notifications/cancelled' && isObject(params);
  return {
    id: idText(value['id'], text),
    method,
    expectsResponse: expectsResponse(value),
    headers: method === undefined ? undefined : eraHeaders(method, params),
    cancels: cancels ? idText(params['requestId'], '') : undefined,
  };
}

const NOTHING = { id: undefined, method: undefined, headers: undefined, cancels: undefined };

/** False for notifications and for responses of the client, and for batches of only these. */
function expectsResponse(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.some(oneExpectsResponse);
  return oneExpectsResponse(value);
}

function oneExpectsResponse(value: unknown): boolean {
  if (!isObject(value)) return true;
  if ('method' in value) return 'id' in value;
  return !('result' in value || 'error' in value);
}

/** An id as JSON text, with all its digits. */
function idText(id: unknown, text: string): string | undefined {
  if (typeof id === 'string') return JSON.stringify(id);
  if (typeof id !== 'number') return undefined;
  if (Number.isSafeInteger(id)) return String(id);
  // JSON.parse has rounded it: take the digits from the text.
  const written = [...text.matchAll(/"id"\s*:\s*(-?[\d.eE+-]+)/g)].map((match) => match[1]!);
  return written.findLast((digits) => Number(digits) === id);
}
