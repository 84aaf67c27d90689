/** An endpoint over a few tools that are always the same, asked as a worker asks it. */
import type { Logger } from '#app/log.js';
import { Call } from '#app/mcp/call.js';
import { Endpoint, type Answer } from '#app/mcp/endpoint.js';
import {
  INVALID_PARAMS,
  RpcError,
  type Arguments,
  type ToolOutcome,
  type ToolPage,
  type Tools,
} from '#app/mcp/tool.js';

/** Three tools on two pages; `echo` gives back its arguments, `fail` refuses them, `broken` throws. */
export class FixedTools implements Tools {
  page(_call: Call, cursor: string | undefined): ToolPage {
    if (cursor === undefined) return { tools: ['echo', 'fail'].map(listed), next: '2' };
    if (cursor !== '2') throw new RpcError(INVALID_PARAMS, 'no such cursor');
    return { tools: [listed('hidden')], next: undefined };
  }

  async run(_call: Call, name: string, args: Arguments): Promise<ToolOutcome> {
    await Promise.resolve();
    if (name === 'echo') return { json: JSON.stringify({ args }) };
    if (name === 'fail') return { error: 'not like "that"\nbut like this' };
    if (name === 'hidden') throw new RpcError(400, 'unauthorized listing', 400);
    throw new RpcError(INVALID_PARAMS, `unknown tool: ${name}`);
  }
}

function listed(name: string): { name: string; json: string } {
  return { name, json: JSON.stringify({ name, inputSchema: { type: 'object' } }) };
}

export type Headers = Readonly<Record<string, string>> | (readonly [string, string])[];

/** packed is headers as a front end hands them on. */
export function packed(headers: Headers): string {
  const entries: readonly (readonly [string, string])[] =
    headers instanceof Array ? headers : Object.entries(headers);
  return entries.map(([name, value]) => `${name.toLowerCase()}\n${value}\n`).join('');
}

/** callOf is a message on its way; a `message` that is a text goes as it is. */
export function callOf(message: unknown, headers: Headers = {}, method = 'POST'): Call {
  const query = typeof message === 'string' ? message : JSON.stringify(message);
  const rest = { alias: 'main', folder: '', name: 'MCP', role: '', claims: '' };
  const request = { id: 1, method, query, headers: packed(headers), requestId: 'r1', ...rest };
  return new Call(request, false);
}

/** A body, read: the members that it may have. */
export interface Body extends Readonly<Record<string, unknown>> {
  readonly result: Readonly<Record<string, unknown>>;
  readonly error: Readonly<Record<string, unknown>>;
}

/** A line of the log. */
export type Line = readonly [level: string, fields: Record<string, unknown>, message: string];

/** Asked is an endpoint, and what it logs. */
export class Asked {
  readonly lines: Line[] = [];
  readonly endpoint: Endpoint;

  constructor(tools: Tools = new FixedTools()) {
    const level = (name: string) => (fields: Record<string, unknown>, message: string) =>
      this.lines.push([name, fields, message]);
    const log = { debug: level('debug'), error: level('error') } as unknown as Logger;
    const expose = { databases: true, schemas: true, tables: true };
    this.endpoint = new Endpoint(tools, { version: '2.1.0', path: '/api/_mcp', expose, log });
  }

  /** ask gives status and body, this read unless it is empty. */
  async ask(
    message: unknown,
    headers?: Headers,
    method?: string,
  ): Promise<{ status: number; body: Body }> {
    const { status, body }: Answer = await this.endpoint.answer(callOf(message, headers, method));
    const read = (body === '' ? '' : JSON.parse(body)) as Body;
    return { status, body: read };
  }
}

/** request is a request of the older era. */
export function request(method: string, params?: unknown, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** modern is a request of 2026-07-28 and its headers; `meta` and `headers` say what is otherwise. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  change: { meta?: Record<string, unknown>; headers?: Record<string, string | undefined> } = {},
): [message: object, headers: Record<string, string>] {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    ...change.meta,
  };
  const headers = Object.entries({
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    'Mcp-Name': typeof params['name'] === 'string' ? params['name'] : undefined,
    ...change.headers,
  }).filter((header): header is [string, string] => header[1] !== undefined);
  return [request(method, { ...params, _meta }), Object.fromEntries(headers)];
}
