/** Calls of MCP clients as a worker constructs them. */
import type { McpRequest } from '#app/messages/batch.js';
import { McpCall } from '#app/mcp/arguments/call.js';
import type { NameForm } from '#app/mcp/arguments/tool-names.js';

/** callWith is an anonymous call on `main`, with other members where a test names them. */
export function callWith(
  members: Partial<McpRequest>,
  claimSettings = false,
  form: NameForm = 'dotted',
): McpCall {
  const request: McpRequest = {
    kind: 'mcp',
    id: 1,
    method: 'POST',
    form: '',
    user: '',
    message: '',
    headers: '',
    requestId: 'r1',
    role: '',
    claims: '',
    traced: false,
    ...members,
  };
  return new McpCall(request, claimSettings, form);
}
