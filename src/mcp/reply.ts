/**
 * Answers as text, put together around the JSON that tools give, which may be large and is neither read nor written anew.
 */
import type { Era } from './era.js';
import type { RpcError, ToolOutcome } from './tool.js';

/** What goes back to the client. */
export interface Answer {
  readonly status: number;
  /** JSON; empty for a 202. */
  readonly body: string;
}

/** What a notification gets. */
export const ACCEPTED: Answer = { status: 202, body: '' };

/** Who answers. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** Reply writes answers. */
export class Reply {
  /** What ends a result of the modern era, which says that nothing is missing and who made it. */
  readonly #modernEnd: string;

  constructor(server: ServerInfo) {
    const info = JSON.stringify(server);
    this.#modernEnd = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":${info}}`;
  }

  /** result writes a result; `members` are its members as JSON, without braces. */
  result(id: string, members: string, era: Era): Answer {
    let all = members;
    if (era === 'modern') all = `${members},${this.#modernEnd}`;
    return { status: 200, body: `{"jsonrpc":"2.0","id":${id},"result":{${all}}}` };
  }
}

/** refusal writes an error; without an id where none is known, since null is not allowed. */
export function refusal(id: string | undefined, { code, message, status, data }: RpcError): Answer {
  const error = JSON.stringify({ code, message, data });
  const whose = id === undefined ? '' : `"id":${id},`;
  return { status, body: `{"jsonrpc":"2.0",${whose}"error":${error}}` };
}

/** What ends the members of an outcome that is an error. */
export const FAILED = '"isError":true';

/** outcomeMembers are the members of what a tool gave: as text for the model, and as it is. */
export function outcomeMembers(outcome: ToolOutcome): string {
  if ('error' in outcome) return `${textContent(outcome.error)},${FAILED}`;
  return `${textContent(outcome.json)},"structuredContent":${outcome.json}`;
}

function textContent(text: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
}
