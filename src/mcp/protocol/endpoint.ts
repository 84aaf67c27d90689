/**
 * The MCP endpoint: handles messages in both eras of the protocol. It knows methods and writes responses; `Tools` lists
 * and runs the tools, `Resources` lists and reads resources. Every error becomes a response, without internal details.
 */
import { performance } from 'node:perf_hooks';
import { isObject } from '../../base/json.js';
import { errorBody, ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { ExposeSettings } from '../../messages/access-settings.js';
import type { McpCall } from '../arguments/call.js';
import {
  discoverMembers,
  discoveryDocument,
  initializeMembers,
  instructionsFor,
  LIST_CACHING,
  SERVER_NAME,
  toolsJson,
} from './discovery.js';
import { eraOf, type Era } from './era.js';
import { McpHeaders } from './headers.js';
import { cursorOf } from '../arguments/list-cursor.js';
import { quoted, readMessage, type McpMessage } from './message.js';
import { RESOURCE_METHODS, resourceMembers } from './resource-methods.js';
import {
  ACCEPTED,
  errorResponse,
  modernMembers,
  outcomeMembers,
  resultResponse,
  type McpResponse,
  type ServerInfo,
} from './response.js';
import type { NameForm } from '../arguments/tool-names.js';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  RpcError,
  type ListedTool,
  type Tools,
  type Resources,
} from '../arguments/tool.js';

export type { McpResponse } from './response.js';

export interface EndpointOptions {
  readonly version: string;
  /** The path of the endpoint, as clients see it. */
  readonly path: string;
  readonly expose: ExposeSettings;
  readonly log: Logger;
}

interface Request {
  readonly call: McpCall;
  /** JSON. */
  readonly id: string;
  readonly method: string;
  readonly params: McpMessage['params'];
  readonly era: Era;
  /** Time of arrival, as given by performance.now(). */
  readonly since: number;
  /** Whether its tool has failed. */
  failed?: true;
}

/** Members of a result, as JSON. */
type Members = string | Promise<string>;

/** Most characters of a tool's name or of a URI in the log; clients may send any text. */
const MAX_LOGGED_NAME = 128;

const COMMON = `tools/list, tools/call, ${RESOURCE_METHODS.slice(0, -1).join(', ')} and ${RESOURCE_METHODS.at(-1)}`;

const METHODS: Readonly<Record<Era, string>> = {
  legacy: `initialize, ping, ${COMMON}`,
  modern: `server/discover, ${COMMON}`,
};

export class McpEndpoint {
  readonly #tools: Tools;
  readonly #resources: Resources;
  readonly #server: ServerInfo;
  readonly #path: string;
  readonly #instructions: Readonly<Record<NameForm, string>>;
  readonly #log: Logger;
  readonly #modernMembers: string;

  constructor(tools: Tools, resources: Resources, { version, path, expose, log }: EndpointOptions) {
    this.#tools = tools;
    this.#resources = resources;
    this.#server = { name: SERVER_NAME, version };
    this.#path = path;
    this.#instructions = {
      dotted: instructionsFor(expose, 'dotted'),
      plain: instructionsFor(expose, 'plain'),
    };
    this.#log = log;
    this.#modernMembers = modernMembers(this.#server);
  }

  /** respond handles a message; for GET and HEAD it returns the discovery document. It never throws or rejects. */
  respond(call: McpCall): McpResponse | Promise<McpResponse> {
    return call.request.method === 'POST' ? this.#post(call) : this.#discover(call);
  }

  #post(call: McpCall): McpResponse | Promise<McpResponse> {
    const message = readMessage(call.request.message);
    if ('error' in message) return errorResponse(message.id, message.error);
    const { id, method, params } = message;
    try {
      const era = eraOf(message, new McpHeaders(call.request.headers));
      if (id === undefined) return ACCEPTED;
      const request: Request = { call, id, method, params, era, since: performance.now() };
      const members = this.#result(request);
      if (typeof members === 'string') return this.#succeeded(request, members);
      return this.#later(request, members);
    } catch (error) {
      return this.#failed(call, id, error);
    }
  }

  async #later(request: Request, members: Promise<string>): Promise<McpResponse> {
    try {
      return this.#succeeded(request, await members);
    } catch (error) {
      return this.#failed(request.call, request.id, error);
    }
  }

  /** Throws, or rejects with, RpcError. */
  #result(request: Request): Members {
    const { call, method, params, era } = request;
    const instructions = this.#instructions[call.form];
    switch (method) {
      case 'tools/call':
        return this.#run(request);
      case 'tools/list':
        return this.#list(request);
      case 'resources/list':
      case 'resources/templates/list':
      case 'resources/read':
        return resourceMembers(this.#resources, method, params, call, era);
      case 'initialize':
        if (era === 'legacy')
          return initializeMembers(this.#server, instructions, params['protocolVersion']);
        break;
      case 'ping':
        if (era === 'legacy') return '';
        break;
      case 'server/discover':
        if (era === 'modern') return discoverMembers(instructions);
    }
    const message = `unknown method ${quoted(method)}: there are ${METHODS[era]}`;
    throw new RpcError(METHOD_NOT_FOUND, message, era === 'modern' ? 404 : 200);
  }

  async #list({ call, params, era }: Request): Promise<string> {
    const { tools, next } = await this.#tools.page(call, cursorOf(params));
    let members = `"tools":${toolsJson(tools)}`;
    if (next !== undefined) members += `,"nextCursor":${JSON.stringify(next)}`;
    return era === 'modern' ? `${members},${LIST_CACHING}` : members;
  }

  async #run(request: Request): Promise<string> {
    const { call, params } = request;
    const { name } = params;
    if (typeof name !== 'string' || name === '')
      throw new RpcError(INVALID_PARAMS, 'tool name is required: a string in params.name');
    const args = params['arguments'] ?? {};
    const outcome = isObject(args)
      ? await this.#tools.run(call, name, args)
      : { error: 'arguments must be an object with a member for each' };
    if ('error' in outcome) request.failed = true;
    return outcomeMembers(outcome);
  }

  #succeeded(request: Request, members: string): McpResponse {
    const { call, id, method, params, era, since, failed } = request;
    const all = era === 'modern' ? `${members},${this.#modernMembers}` : members;
    const response = resultResponse(id, all);
    const logged = (name: unknown): string => String(name).slice(0, MAX_LOGGED_NAME);
    const tool = method === 'tools/call' ? logged(params['name']) : undefined;
    const resource = method === 'resources/read' ? logged(params['uri']) : undefined;
    const ms = Math.round(performance.now() - since);
    this.#log.debug({ ...call.ids, method, tool, resource, ms, failed }, 'MCP');
    return response;
  }

  #failed(call: McpCall, id: string | undefined, error: unknown): McpResponse {
    if (error instanceof RpcError) {
      this.#log.debug({ ...call.ids, code: error.code }, 'MCP: rejected');
      return errorResponse(id, error);
    }
    if (error instanceof ServiceError)
      return errorResponse(id, new RpcError(INTERNAL_ERROR, error.message));
    this.#logError(call, error);
    return errorResponse(id, new RpcError(INTERNAL_ERROR, 'internal error', 500));
  }

  /** The discovery document, with the tools of all pages. */
  async #discover(call: McpCall): Promise<McpResponse> {
    try {
      const all: ListedTool[] = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const { tools, next } = await this.#tools.page(call, cursor);
        for (const tool of tools) all.push(tool);
        cursor = next;
      }
      return { status: 200, body: discoveryDocument(this.#path, all) };
    } catch (error) {
      if (!(error instanceof ServiceError)) this.#logError(call, error);
      const { status, message, code } =
        error instanceof ServiceError ? error : new ServiceError('internal');
      return { status, body: errorBody(message, code, false) };
    }
  }

  #logError(call: McpCall, error: unknown): void {
    this.#log.error({ ...call.ids, err: error }, 'an MCP request failed');
  }
}
