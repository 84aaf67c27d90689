/** An endpoint with a few fixed tools and resources, called as a worker calls it. */
import type { Logger } from '#app/observe/log.js';
import type { McpCall } from '#app/mcp/arguments/call.js';
import { McpEndpoint, type McpResponse } from '#app/mcp/protocol/endpoint.js';
import {
  INVALID_PARAMS,
  RpcError,
  type Arguments,
  type ResourcePage,
  type Resources,
  type ToolOutcome,
  type ToolPage,
  type Tools,
} from '#app/mcp/arguments/tool.js';
import { callWith } from './tested-call.js';

/** Three tools on two pages: `echo` returns its arguments, `fail` rejects them, `hidden` is a hidden listing. */
export class FixedTools implements Tools {
  page(_call: McpCall, cursor: string | undefined): ToolPage {
    if (cursor === undefined) return { tools: ['echo', 'fail'].map(listed), next: '2' };
    if (cursor !== '2') throw new RpcError(INVALID_PARAMS, 'no such cursor');
    return { tools: [listed('hidden')], next: undefined };
  }

  async run(_call: McpCall, name: string, args: Arguments): Promise<ToolOutcome> {
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

/** Two resources on two pages: `fixed:a`, and `fixed:größe`, which no header can hold as it is. */
export class FixedResources implements Resources {
  async page(_call: McpCall, cursor: string | undefined): Promise<ResourcePage> {
    await Promise.resolve();
    const resource = (uri: string) => ({ json: JSON.stringify({ uri, name: uri }) });
    if (cursor === undefined) return { resources: [resource('fixed:a')], next: '2' };
    if (cursor !== '2') throw new RpcError(INVALID_PARAMS, 'no such cursor');
    return { resources: [resource('fixed:größe')], next: undefined };
  }

  async read(_call: McpCall, uri: string): Promise<string | undefined> {
    await Promise.resolve();
    return uri === 'fixed:a' || uri === 'fixed:größe' ? JSON.stringify({ about: uri }) : undefined;
  }
}

export type Headers = Readonly<Record<string, string>> | (readonly [string, string])[];

/** packed are headers in the format of the HTTP process. */
export function packed(headers: Headers): string {
  const entries: readonly (readonly [string, string])[] =
    headers instanceof Array ? headers : Object.entries(headers);
  return entries.map(([name, value]) => `${name.toLowerCase()}\n${value}\n`).join('');
}

/** callOf is the call of a message; a string is sent unchanged. */
export function callOf(message: unknown, headers: Headers = {}, method = 'POST'): McpCall {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return callWith({ method, message: text, headers: packed(headers) });
}

/** A parsed body. */
export interface Body extends Readonly<Record<string, unknown>> {
  readonly result: Readonly<Record<string, unknown>>;
  readonly error: Readonly<Record<string, unknown>>;
}

/** A line of the log. */
export type Line = readonly [level: string, fields: Record<string, unknown>, message: string];

/** EndpointUnderTest is an endpoint and its log. */
export class EndpointUnderTest {
  readonly lines: Line[] = [];
  readonly endpoint: McpEndpoint;

  constructor(tools: Tools = new FixedTools(), resources: Resources = new FixedResources()) {
    const level = (name: string) => (fields: Record<string, unknown>, message: string) =>
      this.lines.push([name, fields, message]);
    const log = { debug: level('debug'), error: level('error') } as unknown as Logger;
    const expose = { databases: true, schemas: true, tables: true };
    const options = { version: '2.1.0', path: '/api/_mcp', expose, log };
    this.endpoint = new McpEndpoint(tools, resources, options);
  }

  /** ask returns the status and the parsed body, '' for an empty one. */
  async ask(
    message: unknown,
    headers?: Headers,
    method?: string,
  ): Promise<{ status: number; body: Body }> {
    const { status, body }: McpResponse = await this.endpoint.respond(
      callOf(message, headers, method),
    );
    const read = (body === '' ? '' : JSON.parse(body)) as Body;
    return { status, body: read };
  }
}

/** request is a request of the legacy era. */
export function request(method: string, params?: unknown, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** modern is a request of 2026-07-28 and its headers; `meta` and `headers` override members. */
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
    'Mcp-Name': [params['name'], params['uri']].find((name) => typeof name === 'string'),
    ...change.headers,
  }).filter((header): header is [string, string] => header[1] !== undefined);
  return [request(method, { ...params, _meta }), Object.fromEntries(headers)];
}
