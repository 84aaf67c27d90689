/**
 * Answers messages of MCP clients in a worker: puts the parts of src/mcp together over its databases and scripts. Every
 * failure becomes a response.
 */
import { errorBody, ServiceError } from '../base/errors.js';
import { McpCall } from '../mcp/arguments/call.js';
import { CatalogCache } from '../mcp/tables/catalog.js';
import { McpEndpoint } from '../mcp/protocol/endpoint.js';
import { ReadOnly } from '../mcp/tables/read-only.js';
import { ScriptTools } from '../mcp/scripts/script-tools.js';
import { TableResources } from '../mcp/tools/table-resources.js';
import type { Tools } from '../mcp/arguments/tool.js';
import { ToolCalls } from '../mcp/tools/tool-calls.js';
import { ToolList } from '../mcp/tools/tool-list.js';
import type { NameForm } from '../mcp/arguments/tool-names.js';
import type { McpRequest } from '../messages/batch.js';
import type { McpSettings } from '../messages/worker-settings.js';
import { namesOf } from '../stored/scripts/table-names.js';
import { version } from '../base/version.js';
import type { Responder } from './responses/responder.js';
import type { WorkerParts } from './worker-parts.js';

/** From this length on (characters) a message may take milliseconds to be parsed. */
const LONG = 16_384;

export class McpRunner {
  readonly #form: NameForm;
  readonly #endpoint: McpEndpoint;
  readonly #parts: WorkerParts;
  readonly #responder: Responder;
  readonly #long: McpCall[] = [];

  constructor(mcp: McpSettings, parts: WorkerParts, responder: Responder) {
    const { settings, databases, scripts, proofs, slow, log } = parts;
    const { claims, raised } = settings;
    this.#form = mcp.toolNames;
    this.#parts = parts;
    this.#responder = responder;
    const limit = Math.max(...mcp.databases.map((database) => database.statementTimeout));
    const readOnly = new ReadOnly(
      (alias, onPrimary) => databases.get(alias)!.readOnly(onPrimary),
      limit,
      slow,
      responder.slowAfter,
      settings.trace?.applicationName,
    );
    const { usersTable, scriptsTable } = mcp;
    const { historyName, proofsName } = namesOf(scriptsTable);
    const beside = [historyName, proofsName].map((table) => ({ ...scriptsTable, table }));
    const hidden = [usersTable, scriptsTable, ...beside];
    const catalog = new CatalogCache(mcp, settings.access, hidden, readOnly, log);
    const scriptTools = mcp.scripts
      ? new ScriptTools(mcp, scripts, proofs, readOnly, { claims, raised }, log)
      : undefined;
    const list = new ToolList(mcp, catalog, scriptTools, log);
    const calls = new ToolCalls(mcp, catalog, list, scriptTools, readOnly, log);
    const tools: Tools = {
      page: (call, cursor) => list.page(call, cursor),
      run: (call, name, args) => calls.run(call, name, args),
    };
    const { path, expose } = mcp;
    const resources = new TableResources(mcp, catalog);
    this.#endpoint = new McpEndpoint(tools, resources, { version: version(), path, expose, log });
  }

  call(request: McpRequest): McpCall {
    const form = request.form === '' ? this.#form : (request.form as NameForm);
    const call = new McpCall(request, this.#parts.settings.claimSettings, form);
    if (request.traced) {
      call.trace = this.#parts.spans?.idsOf(request);
      call.taken = performance.now();
    }
    return call;
  }

  /** respond answers a call, at once or later. Of long messages there is one in each turn of the event loop. */
  respond(call: McpCall): void {
    if (call.request.message.length <= LONG) this.#respond(call);
    else if (this.#long.push(call) === 1) setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#respond(this.#long.shift()!);
    if (this.#long.length > 0) setImmediate(this.#next);
  };

  #respond(call: McpCall): void {
    try {
      const response = this.#endpoint.respond(call);
      if (!(response instanceof Promise)) this.#responder.sender.sendMcp(call, response);
      else
        response.then(
          (given) => this.#responder.sender.sendMcp(call, given),
          (error: unknown) => this.#threw(call, error),
        );
    } catch (error) {
      this.#threw(call, error);
    }
  }

  #threw(call: McpCall, error: unknown): void {
    this.#parts.spans?.failedMcp(call);
    this.#parts.log.error({ ...call.ids, err: error }, 'an MCP request failed');
    const { status, message, code } = new ServiceError('internal');
    this.#responder.sender.sendMcp(call, { status, body: errorBody(message, code, false) });
  }
}
