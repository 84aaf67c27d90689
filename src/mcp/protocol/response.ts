/** JSON-RPC responses as text, built around the JSON of tools: it may be large and is not parsed or serialized again. */
import type { RpcError, ToolOutcome } from '../arguments/tool.js';

export interface McpResponse {
  readonly status: number;
  /** JSON; empty for a 202. */
  readonly body: string;
}

export const ACCEPTED: McpResponse = { status: 202, body: '' };

/** Name and version of the server, as clients see them. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** modernMembers ends a result of the modern era: it is complete, and made by this server. */
export function modernMembers(server: ServerInfo): string {
  const info = JSON.stringify(server);
  return `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":${info}}`;
}

/** resultResponse writes a result; `members` are its members as JSON, without braces. */
export function resultResponse(id: string, members: string): McpResponse {
  return { status: 200, body: `{"jsonrpc":"2.0","id":${id},"result":{${members}}}` };
}

/** errorResponse writes an error; without an id if none is known, since null is not allowed. */
export function errorResponse(
  id: string | undefined,
  { code, message, status, data }: RpcError,
): McpResponse {
  const error = JSON.stringify({ code, message, data });
  const idMember = id === undefined ? '' : `"id":${id},`;
  return { status, body: `{"jsonrpc":"2.0",${idMember}"error":${error}}` };
}

/** outcomeMembers are the members of a tool's outcome: text for the model, and structured content. */
export function outcomeMembers(outcome: ToolOutcome): string {
  if ('error' in outcome) return `${textContent(outcome.error)},"isError":true`;
  return `${textContent(outcome.json)},"structuredContent":${outcome.json}`;
}

function textContent(text: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
}
