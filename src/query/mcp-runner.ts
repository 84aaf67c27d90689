/**
 * Answers messages of MCP clients in a worker: puts the parts of src/mcp together over its databases and scripts.
 * Whatever goes wrong becomes an answer.
 */
import { errorBody, ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import { Call } from '../mcp/call.js';
import { CatalogCache } from '../mcp/catalog.js';
import { Endpoint, type Answer } from '../mcp/endpoint.js';
import { ReadOnly } from '../mcp/read-only.js';
import { ScriptTools } from '../mcp/script-tools.js';
import type { Tools } from '../mcp/tool.js';
import { ToolCalls } from '../mcp/tool-calls.js';
import { ToolList } from '../mcp/tool-list.js';
import type { Database } from '../pg/database.js';
import type { McpSettings, QueryRequest, WorkerSettings } from '../protocol.js';
import { namesOf } from '../registry/names.js';
import type { Scripts } from '../script/scripts.js';
import { version } from '../version.js';

/** From this length on (characters) a message may take milliseconds to be read. */
const LONG = 16_384;

/** What a runner works with. */
export interface McpParts {
  readonly scripts: Scripts;
  /** The database to read from, of an alias that there is. */
  readonly databaseOf: (alias: string) => Database;
  /** Takes the answer to a call. */
  readonly answered: (call: Call, answer: Answer) => void;
  readonly log: Logger;
}

export class McpRunner {
  readonly #settings: WorkerSettings;
  readonly #parts: McpParts;
  readonly #endpoint: Endpoint;
  readonly #long: Call[] = [];
  readonly #next = (): void => this.#answerNext();

  constructor(settings: WorkerSettings, mcp: McpSettings, parts: McpParts) {
    const { log, scripts } = parts;
    const { claims, raised } = settings;
    this.#settings = settings;
    this.#parts = parts;
    const limit = Math.max(...mcp.databases.map((database) => database.statementTimeout));
    const readOnly = new ReadOnly(parts.databaseOf, limit);
    const { usersTable, scriptsTable } = mcp;
    const history = { ...scriptsTable, table: namesOf(scriptsTable).historyName };
    const hidden = [usersTable, scriptsTable, history];
    const catalog = new CatalogCache(mcp, settings.access, hidden, readOnly, log);
    const scriptTools = mcp.scripts
      ? new ScriptTools(mcp, { scripts, readOnly, claims, raised, log })
      : undefined;
    const list = new ToolList(mcp, catalog, scriptTools, log);
    const calls = new ToolCalls(mcp, { catalog, list, readOnly, scripts: scriptTools, log });
    const tools: Tools = {
      page: (call, cursor) => list.page(call, cursor),
      run: (call, name, args) => calls.run(call, name, args),
    };
    const { path, expose } = mcp;
    this.#endpoint = new Endpoint(tools, { version: version(), path, expose, log });
  }

  /** call makes a call of a request. */
  call(request: QueryRequest): Call {
    return new Call(request, this.#settings.claimSettings);
  }

  /** answer answers a call, at once or later. Long messages take their turn, with whatever else has come between them. */
  answer(call: Call): void {
    if (call.request.query.length <= LONG) this.#answer(call);
    else if (this.#long.push(call) === 1) setImmediate(this.#next);
  }

  #answerNext(): void {
    this.#answer(this.#long.shift()!);
    if (this.#long.length > 0) setImmediate(this.#next);
  }

  #answer(call: Call): void {
    try {
      const answer = this.#endpoint.answer(call);
      if (!(answer instanceof Promise)) this.#parts.answered(call, answer);
      else
        answer.then(
          (given) => this.#parts.answered(call, given),
          (error: unknown) => this.#broken(call, error),
        );
    } catch (error) {
      this.#broken(call, error);
    }
  }

  #broken(call: Call, error: unknown): void {
    const { requestId } = call.request;
    this.#parts.log.error({ requestId, err: error }, 'an MCP request failed');
    const { status, message, code } = new ServiceError('internal');
    this.#parts.answered(call, { status, body: errorBody(message, code, false) });
  }
}
