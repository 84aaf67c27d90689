/**
 * The headers that repeat what a message says. Since 2026-07-28 each request names its version in `params._meta`, and
 * its version, method and name stand in headers too, so that what lies between need not read bodies. Encoded as the
 * specification has it (Streamable HTTP, "Standard Request Headers"): what no header can carry goes as
 * `=?base64?…?=`.
 */
const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion';

/** Method to the parameter that Mcp-Name repeats. */
const NAMED = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The header that carries a version, in either era. */
export const VERSION_HEADER = 'MCP-Protocol-Version';

/** eraHeaders makes the headers of a message that names its version; undefined for one that does not. */
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

/** fieldValue is a text as the value of a header. */
export function fieldValue(text: string): string {
  const plain =
    /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** isObject tells whether a value of JSON is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
