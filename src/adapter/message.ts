/**
 * What the adapter wants to know of a message that a client sent: whether it is to be answered, and under which id. The
 * message itself is forwarded as it is, also one that is no JSON-RPC, for the endpoint says best what is wrong with it.
 * Refuses what is not JSON in UTF-8.
 */
import { isUtf8 } from 'node:buffer';
import { eraHeaders, isObject } from './era-headers.js';

export interface Message {
  /** The id as JSON text; undefined when there is none that an answer could carry. */
  readonly id: string | undefined;
  readonly method: string | undefined;
  /** Whether the client waits for an answer. */
  readonly answered: boolean;
  /** The headers that its own version demands. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The id of the request that this notification cancels, as JSON text. */
  readonly cancels: string | undefined;
}

/** readMessage reads a line; undefined when it is not JSON. */
export function readMessage(line: Buffer): Message | undefined {
  if (!isUtf8(line)) return undefined;
  let text: string;
  let value: unknown;
  try {
    text = line.toString();
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return { ...NOTHING, answered: isAnswered(value) };
  const method = typeof value['method'] === 'string' ? value['method'] : undefined;
  const params = value['params'];
  const cancels = method === 'notifications/cancelled' && isObject(params);
  return {
    id: idText(value['id'], text),
    method,
    answered: isAnswered(value),
    headers: method === undefined ? undefined : eraHeaders(method, params),
    cancels: cancels ? idText(params['requestId'], '') : undefined,
  };
}

const NOTHING = { id: undefined, method: undefined, headers: undefined, cancels: undefined };

/** isAnswered is false for notifications and for the client's own answers, and for batches of nothing else. */
function isAnswered(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.some(isOneAnswered);
  return isOneAnswered(value);
}

function isOneAnswered(value: unknown): boolean {
  if (!isObject(value)) return true;
  if ('method' in value) return 'id' in value;
  return !('result' in value || 'error' in value);
}

/** idText is an id as JSON text, with all its digits. */
function idText(id: unknown, text: string): string | undefined {
  if (typeof id === 'string') return JSON.stringify(id);
  if (typeof id !== 'number') return undefined;
  if (Number.isSafeInteger(id)) return String(id);
  // JSON.parse has rounded it.
  const written = [...text.matchAll(/"id"\s*:\s*(-?[\d.eE+-]+)/g)].map((match) => match[1]!);
  return written.findLast((digits) => Number(digits) === id);
}
