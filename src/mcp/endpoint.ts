/**
 * The endpoint: messages in, answers out, in both eras of the protocol. It knows methods and how what they come to is
 * written; tools are somebody else's. Whatever goes wrong becomes an answer, of which the client learns nothing that was
 * not meant for it.
 */
import { performance } from 'node:perf_hooks';
import { errorBody, ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { ExposeSettings } from '../protocol.js';
import type { Call } from './call.js';
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
import { isObject, readMessage, shown, type Message } from './message.js';
import { ACCEPTED, outcomeMembers, refusal, Reply, type Answer, type ServerInfo } from './reply.js';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  RpcError,
  type ListedTool,
  type Tools,
} from './tool.js';

export type { Answer } from './reply.js';

export interface EndpointOptions {
  /** Of this program. */
  readonly version: string;
  /** Where the endpoint is, as clients see it. */
  readonly path: string;
  /** Which listings there are. */
  readonly expose: ExposeSettings;
  readonly log: Logger;
}

/** What a request is, once it is known. */
interface Request {
  readonly call: Call;
  /** JSON. */
  readonly id: string;
  readonly method: string;
  readonly params: Message['params'];
  readonly era: Era;
  /** When it came, as performance.now() has it. */
  readonly since: number;
}

/** Members of a result, as JSON. */
type Members = string | Promise<string>;

/** Of a tool, in the log: of whatever else a client calls one, no more than that. */
const LONGEST_NAME = 128;

const METHODS: Readonly<Record<Era, string>> = {
  legacy: 'initialize, ping, tools/list and tools/call',
  modern: 'server/discover, tools/list and tools/call',
};

/** Endpoint answers. */
export class Endpoint {
  readonly #tools: Tools;
  readonly #server: ServerInfo;
  readonly #path: string;
  readonly #instructions: string;
  readonly #log: Logger;
  readonly #reply: Reply;

  constructor(tools: Tools, { version, path, expose, log }: EndpointOptions) {
    this.#tools = tools;
    this.#server = { name: SERVER_NAME, version };
    this.#path = path;
    this.#instructions = instructionsFor(expose);
    this.#log = log;
    this.#reply = new Reply(this.#server);
  }

  /** answer answers a message, or, for GET and HEAD, tells what is here; neither throws nor rejects. */
  answer(call: Call): Answer | Promise<Answer> {
    return call.request.method === 'POST' ? this.#post(call) : this.#look(call);
  }

  #post(call: Call): Answer | Promise<Answer> {
    const message = readMessage(call.request.query);
    if ('refusal' in message) return refusal(message.id, message.refusal);
    const { id, method, params } = message;
    try {
      const era = eraOf(message, new McpHeaders(call.request.headers));
      if (id === undefined) return ACCEPTED;
      const request = { call, id, method, params, era, since: performance.now() };
      const members = this.#result(request);
      if (typeof members === 'string') return this.#succeeded(request, members);
      return this.#later(request, members);
    } catch (error) {
      return this.#failed(call, id, error);
    }
  }

  async #later(request: Request, members: Promise<string>): Promise<Answer> {
    try {
      return this.#succeeded(request, await members);
    } catch (error) {
      return this.#failed(request.call, request.id, error);
    }
  }

  /** Throws, or rejects with, RpcError. */
  #result(request: Request): Members {
    const { method, params, era } = request;
    switch (method) {
      case 'tools/call':
        return this.#run(request);
      case 'tools/list':
        return this.#list(request);
      case 'initialize':
        if (era === 'legacy')
          return initializeMembers(this.#server, this.#instructions, params['protocolVersion']);
        break;
      case 'ping':
        if (era === 'legacy') return '';
        break;
      case 'server/discover':
        if (era === 'modern') return discoverMembers(this.#instructions);
    }
    const message = `unknown method ${shown(method)}: there are ${METHODS[era]}`;
    throw new RpcError(METHOD_NOT_FOUND, message, era === 'modern' ? 404 : 200);
  }

  async #list({ call, params, era }: Request): Promise<string> {
    const { cursor } = params;
    if (cursor !== undefined && cursor !== null && typeof cursor !== 'string')
      throw new RpcError(
        INVALID_PARAMS,
        'cursor must be a string: the nextCursor of the page before',
      );
    const { tools, next } = await this.#tools.page(call, cursor ?? undefined);
    let members = `"tools":${toolsJson(tools)}`;
    if (next !== undefined) members += `,"nextCursor":${JSON.stringify(next)}`;
    return era === 'modern' ? `${members},${LIST_CACHING}` : members;
  }

  async #run({ call, params }: Request): Promise<string> {
    const { name } = params;
    if (typeof name !== 'string' || name === '')
      throw new RpcError(INVALID_PARAMS, 'tool name is required: a string in params.name');
    const args = params['arguments'] ?? {};
    if (!isObject(args))
      return outcomeMembers({ error: 'arguments must be an object with a member for each' });
    return outcomeMembers(await this.#tools.run(call, name, args));
  }

  #succeeded({ call, id, method, params, era, since }: Request, members: string): Answer {
    const answer = this.#reply.result(id, members, era);
    const { requestId } = call.request;
    const tool =
      method === 'tools/call' ? String(params['name']).slice(0, LONGEST_NAME) : undefined;
    const ms = Math.round(performance.now() - since);
    this.#log.debug({ requestId, method, tool, ms }, 'MCP');
    return answer;
  }

  #failed(call: Call, id: string | undefined, error: unknown): Answer {
    if (error instanceof RpcError) return refusal(id, error);
    if (error instanceof ServiceError)
      return refusal(id, new RpcError(INTERNAL_ERROR, error.message));
    this.#broken(call, error);
    return refusal(id, new RpcError(INTERNAL_ERROR, 'internal error', 500));
  }

  /** Tells about itself, with all tools. */
  async #look(call: Call): Promise<Answer> {
    try {
      const all: ListedTool[] = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const { tools, next } = await this.#tools.page(call, cursor);
        for (const tool of tools) all.push(tool);
        cursor = next;
      }
      return { status: 200, body: discoveryDocument(this.#path, all) };
    } catch (error) {
      if (!(error instanceof ServiceError)) this.#broken(call, error);
      const told = error instanceof ServiceError ? error : new ServiceError('internal');
      return { status: told.status, body: errorBody(told.message, told.code, false) };
    }
  }

  #broken(call: Call, error: unknown): void {
    const { requestId } = call.request;
    this.#log.error({ requestId, err: error }, 'a request to MCP failed');
  }
}
