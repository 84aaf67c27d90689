/**
 * What a client posts, as JSON-RPC 2.0 has it: a request, or a notification, which has no id. Everything else is refused
 * with the id as far as one can be read: what is not JSON, batches, answers (nothing is ever asked of a client), and
 * members of the wrong type. Unknown members are none of our business.
 */
import { idText } from './message-id.js';
import { INVALID_REQUEST, PARSE_ERROR, RpcError, type Arguments } from './tool.js';

/** A request or a notification. */
export interface Message {
  /** JSON; undefined for a notification. */
  readonly id: string | undefined;
  readonly method: string;
  /** Empty when there are none. */
  readonly params: Arguments;
}

/** What is neither. */
export interface Unreadable {
  /** JSON; undefined where it has none that can be read. */
  readonly id: string | undefined;
  readonly refusal: RpcError;
}

const NONE: Arguments = {};

/** readMessage reads what was posted. */
export function readMessage(text: string): Message | Unreadable {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const what = text === '' ? 'the body is empty, or not UTF-8' : 'the body is not JSON';
    return { id: undefined, refusal: new RpcError(PARSE_ERROR, `${what}: ${WANTED}`, 400) };
  }
  if (Array.isArray(value)) return invalid(undefined, `a batch is not accepted: ${WANTED}`);
  if (!isObject(value)) return invalid(undefined, `the body is no object: ${WANTED}`);
  let id: string | undefined;
  if ('id' in value) {
    id = idText(value['id'], text);
    if (id === undefined) return invalid(undefined, 'id must be a string or an integer');
  }
  if (value['jsonrpc'] !== '2.0') return invalid(id, 'jsonrpc must be "2.0"');
  const { method, params } = value;
  if (method === undefined) return invalid(id, withoutMethod(value));
  if (typeof method !== 'string') return invalid(id, 'method must be a string');
  if (isObject(params)) return { id, method, params };
  // Some clients write null for what they do not have.
  if (params === undefined || params === null) return { id, method, params: NONE };
  return invalid(id, 'params must be an object');
}

const WANTED = 'post one JSON-RPC 2.0 request or notification';

function invalid(id: string | undefined, reason: string): Unreadable {
  return { id, refusal: new RpcError(INVALID_REQUEST, reason, 400) };
}

function withoutMethod(value: Arguments): string {
  const answer = 'result' in value || 'error' in value;
  return answer ? 'nothing was asked that this could be the answer to' : 'method is missing';
}

/** isObject tells whether a value of JSON is an object. */
export function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** shown is a text that somebody sent, quoted, as much of it as a message has room for. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
