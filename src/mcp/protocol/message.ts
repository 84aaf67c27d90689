/**
 * Parses the message that a client posts: a JSON-RPC 2.0 request, or a notification, which has no id. Rejects everything
 * else, with the id if it can be read: invalid JSON, batches, responses (the service sends no requests to clients), and
 * members of the wrong type. Unknown members are ignored.
 */
import { isObject } from '../../base/json.js';
import { INVALID_REQUEST, PARSE_ERROR, RpcError, type Arguments } from '../arguments/tool.js';

export interface McpMessage {
  /** JSON; undefined for a notification. */
  readonly id: string | undefined;
  readonly method: string;
  /** Empty if not sent. */
  readonly params: Arguments;
}

export interface InvalidMessage {
  /** JSON; undefined if there is no valid id. */
  readonly id: string | undefined;
  readonly error: RpcError;
}

const NONE: Arguments = {};

export function readMessage(text: string): McpMessage | InvalidMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const what = text === '' ? 'the body is empty, or not UTF-8' : 'the body is not JSON';
    return { id: undefined, error: new RpcError(PARSE_ERROR, `${what}: ${WANTED}`, 400) };
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
  // Some clients send null for absent parameters.
  if (params === undefined || params === null) return { id, method, params: NONE };
  return invalid(id, 'params must be an object');
}

const WANTED = 'post one JSON-RPC 2.0 request or notification';

function invalid(id: string | undefined, reason: string): InvalidMessage {
  return { id, error: new RpcError(INVALID_REQUEST, reason, 400) };
}

function withoutMethod(value: Arguments): string {
  const response = 'result' in value || 'error' in value;
  return response ? 'nothing was asked that this could be the answer to' : 'method is missing';
}

/** quoted is a text of the client in quotes, shortened for an error message. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/**
 * An id as JSON, with the digits that were sent in `text`. As in MCP it is a string or an integer; undefined for null,
 * fractions and everything else.
 */
function idText(id: unknown, text: string): string | undefined {
  if (typeof id === 'string') return JSON.stringify(id);
  if (typeof id !== 'number') return undefined;
  if (Number.isSafeInteger(id)) return String(id);
  const written = idAsWritten(text);
  return INTEGER.test(written) ? written : undefined;
}

const INTEGER = /^-?\d+$/;

/** A number after optional white space. */
const NUMBER = /[ \t\r\n]*([-+.\deE]+)/y;

/** The number in the last member `id` of an object, as written; `text` is the object, which is valid JSON. */
function idAsWritten(text: string): string {
  let depth = 0;
  let key = '';
  let found = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (depth === 1) key = text.slice(at, end + 1);
      at = end;
    } else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    else if (character === ':' && depth === 1 && JSON.parse(key) === 'id') {
      NUMBER.lastIndex = at + 1;
      found = NUMBER.exec(text)?.[1] ?? '';
    }
  }
  return found;
}

/** The offset of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
