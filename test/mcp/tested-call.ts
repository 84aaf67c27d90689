/** Calls of MCP clients as a worker constructs them. */
import type { QueryRequest } from '#app/messages/batch.js';
import { McpCall } from '#app/mcp/arguments/call.js';
import type { NameForm } from '#app/mcp/arguments/tool-names.js';

/** callWith is an anonymous call on `main`, with other members where a test names them. */
export function callWith(
  members: Partial<QueryRequest>,
  claimSettings = false,
  form: NameForm = 'dotted',
): McpCall {
  const request: QueryRequest = {
    id: 1,
    method: 'POST',
    alias: 'main',
    folder: '',
    name: 'mcp',
    query: '',
    headers: '',
    requestId: 'r1',
    role: '',
    claims: '',
    traced: false,
    declared: false,
    ...members,
  };
  return new McpCall(request, claimSettings, form);
}
