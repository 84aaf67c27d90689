/**
 * Runs the requests of a worker: finds the script, renders it with the request's data, and gives the statement to the
 * database. Errors on the way become responses; nothing is thrown.
 */
import { performance } from 'node:perf_hooks';
import { ABANDON, MCP, RUN, unpackIds, unpackRequests, type QueryRequest } from '../batch.js';
import { ServiceError } from '../errors.js';
import { headerLine } from '../header-name.js';
import type { Logger } from '../log.js';
import type { McpCall } from '../mcp/call.js';
import { parseQueryString } from '../script/query-string.js';
import { RequestData } from '../script/request-data.js';
import type { FoundScript, Scripts } from '../script/scripts.js';
import { jsonFrame, StatementBuilder } from '../script/statement.js';
import type { WorkerSettings } from '../settings.js';
import { ListingRunner } from './listing-runner.js';
import type { McpRunner } from './mcp-runner.js';
import { Query } from './query.js';
import type { Responder } from './responder.js';
import type { WorkerDatabase } from './worker-database.js';

export class QueryRunner {
  readonly #settings: WorkerSettings;
  readonly #databases: ReadonlyMap<string, WorkerDatabase>;
  readonly #scripts: Scripts;
  readonly #statements: StatementBuilder;
  readonly #listings: ListingRunner;
  readonly #mcp: McpRunner | undefined;
  readonly #responder: Responder;
  readonly #log: Logger;

  /** Without `mcp` there is no MCP endpoint. */
  constructor(
    settings: WorkerSettings,
    databases: ReadonlyMap<string, WorkerDatabase>,
    scripts: Scripts,
    mcp: McpRunner | undefined,
    responder: Responder,
    log: Logger,
  ) {
    this.#settings = settings;
    this.#databases = databases;
    this.#scripts = scripts;
    this.#statements = new StatementBuilder(jsonFrame(settings.aggregate, settings.maxResult));
    this.#listings = new ListingRunner(settings.access, this.#statements);
    this.#mcp = mcp;
    this.#responder = responder;
    this.#log = log;
  }

  /** take runs, or abandons, the requests of a message from the HTTP process. */
  take(message: string): void {
    if (message.startsWith(RUN)) this.#run(unpackRequests(message, RUN.length));
    else
      for (const id of unpackIds(message, ABANDON.length))
        this.#abandon(this.#responder.inFlight.get(id));
  }

  #run(requests: readonly QueryRequest[]): void {
    const now = performance.now();
    for (const request of requests) {
      if (request.folder === '' && request.name === MCP && this.#mcp !== undefined) {
        const call = this.#mcp.call(request);
        this.#abandon(this.#responder.inFlight.put(call));
        this.#mcp.respond(call);
        continue;
      }
      const query = new Query(this.#responder, request, this.#settings.claimSettings);
      // The HTTP process has ended the previous request in this slot, even if the message about that is still to come.
      this.#abandon(this.#responder.inFlight.put(query));
      this.#start(query, now);
    }
    this.#flush();
  }

  /** Marks a request that needs no response any more: the database drops or cancels its statement. */
  #abandon(one: Query | McpCall | undefined): void {
    if (one !== undefined) one.abandoned = true;
  }

  #start(query: Query, now: number): void {
    try {
      if (query.lists) {
        this.#listings.prepare(query);
        this.#submit(query, now);
        return;
      }
      const { alias, folder, name } = query.request;
      const script = this.#scripts.find(alias, folder, name, now);
      if (script instanceof Promise) {
        script.then(
          (found) => {
            this.#execute(query, found, performance.now());
            this.#flush();
          },
          (error: unknown) => {
            this.#responder.threw(query, error);
          },
        );
      } else this.#execute(query, script, now);
    } catch (error) {
      this.#responder.threw(query, error);
    }
  }

  #execute(query: Query, script: FoundScript, now: number): void {
    try {
      const { method, alias, query: queryString, headers, claims } = query.request;
      if (method === 'OPTIONS') {
        this.#responder.send(query, 204, '', headerLine('Allow', script.allow));
        return;
      }
      const { verb, template } = script.select(method);
      const data = new RequestData(
        parseQueryString(queryString),
        headers,
        this.#settings.claims ? claims : '',
        (header) => {
          this.#log.warn(
            { requestId: query.request.requestId, script: query.path, header },
            'a header was blanked: its value cannot be interpolated safely',
          );
        },
      );
      const rendered = template.render(data);
      query.rendered = rendered;
      query.values = rendered.values;
      query.statement = this.#statements.build(verb, rendered.text, query.path);
      // What follows a COMMIT would run as the user of the connection.
      if (query.identity !== undefined && query.statement.commits) throw mayCommit();
      if (verb === 'read') query.form = query.valueForm;
      query.cost = this.#databases.get(alias)!.costOf(template);
      this.#submit(query, now);
    } catch (error) {
      this.#responder.threw(query, error);
    }
  }

  #submit(query: Query, now: number): void {
    if (query.abandoned) this.#responder.reject(query, new ServiceError('timeout'));
    else this.#databases.get(query.request.alias)!.database.run(query, now);
  }

  #flush(): void {
    for (const { database } of this.#databases.values()) database.flush();
  }
}

function mayCommit(): ServiceError {
  return new ServiceError(
    'statement_not_allowed',
    'CALL and DO are not allowed in a script that runs with the identity of its caller: use a function',
  );
}
