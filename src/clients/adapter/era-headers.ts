/**
 * HTTP headers that repeat parts of a message. Since 2026-07-28 each request names its protocol version in
 * `params._meta`, and its version, method and name are headers too, so that intermediaries need not parse bodies.
 * Encoded as in the specification (Streamable HTTP, "Standard Request Headers"): values that a header cannot hold are
 * sent as `=?base64?…?=`.
 */
import { isObject } from '../../base/json.js';

const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion';

/** By method, the parameter that Mcp-Name repeats. */
const NAMED = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The header of the protocol version, in both eras. */
export const VERSION_HEADER = 'MCP-Protocol-Version';

/** eraHeaders returns the headers of a message that names its version; undefined for any other message. */
export function eraHeaders(method: string, params: unknown): Record<string, string> | undefined {
  if (!isObject(params) || !isObject(params['_meta'])) return undefined;
  const version = params['_meta'][VERSION_MEMBER];
  if (typeof version !== 'string') return undefined;
  const headers: Record<string, string> = {
    [VERSION_HEADER]: fieldValue(version),
    'Mcp-Method': fieldValue(method),
  };
  const named = NAMED.get(method);
  const name = named === undefined ? undefined : params[named];
  if (typeof name === 'string') headers['Mcp-Name'] = fieldValue(name);
  return headers;
}

export function fieldValue(text: string): string {
  const plain =
    /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
