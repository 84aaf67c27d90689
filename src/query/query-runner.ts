/**
 * Runs requests in a worker: finds the script, renders it with the request's data, runs the statement, answers. It
 * holds the worker's databases and scripts. Whatever goes wrong becomes an answer; nothing is thrown at the pool.
 */
import { performance } from 'node:perf_hooks';
import { callersMistake } from '../catalog/catalog.js';
import { errorBody, ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Call } from '../mcp/call.js';
import type { Answer } from '../mcp/endpoint.js';
import type { LargeValue } from '../native/pipeline.js';
import { ConnectionShare } from '../pg/connection-share.js';
import { Database } from '../pg/database.js';
import { IdentityRefused } from '../pg/identity.js';
import type { StatementResult } from '../pg/job.js';
import { ResultBudget } from '../pg/result-budget.js';
import { ScriptCost } from '../pg/script-cost.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import {
  ABANDON,
  APART,
  JSON_BODY,
  MCP,
  NO_BODY,
  packAnswer,
  RUN,
  unpackIds,
  unpackRequests,
  XML_BODY,
  type DatabaseSettings,
  type QueryRequest,
  type WorkerSettings,
} from '../protocol.js';
import { SlotTable } from '../slot-table.js';
import { parseQueryString } from '../script/query-string.js';
import { RequestData } from '../script/request-data.js';
import { scriptNotUsable, unsafeValue } from '../script/script-error.js';
import { ScriptStore } from '../script/script-store.js';
import type { FoundScript, Scripts } from '../script/scripts.js';
import { positionToScript, jsonFrame, StatementBuilder } from '../script/statement.js';
import { jsonToXml } from '../script/xml.js';
import { StoredScripts } from '../registry/stored-scripts.js';
import { RefusedValue, TemplateError, type Template } from '../template/template.js';
import { failureAnswer, logFailure, logRefusedIdentity } from './failure-log.js';
import { ForeignJson } from './foreign-json.js';
import { ListingRunner } from './listing-runner.js';
import { McpRunner } from './mcp-runner.js';
import { Outbox, type Post } from './outbox.js';
import { Query, type QueryOwner } from './query.js';
import { RegistryTasks } from './registry-tasks.js';
import { foreignTypes, writeRows } from './row-json.js';
import { UserTasks } from './user-tasks.js';

/** A database and what is remembered of the scripts run on it. */
interface Target {
  readonly database: Database;
  /** The same, for what only reads: on connections of its own, where there are enough. */
  readonly readOnly: () => Database;
  readonly foreign: ForeignJson;
  readonly costs: WeakMap<Template, ScriptCost>;
}

export class QueryRunner implements QueryOwner {
  /** What is asked about users. */
  readonly users: UserTasks;
  /** What is asked about stored scripts. */
  readonly registry: RegistryTasks;
  readonly #settings: WorkerSettings;
  readonly #log: Logger;
  readonly #outbox: Outbox;
  readonly #scripts: Scripts;
  /** The same, when scripts are stored in a table. */
  readonly #stored: StoredScripts | undefined;
  readonly #statements: StatementBuilder;
  readonly #listings: ListingRunner;
  /** Undefined where MCP is not offered. */
  readonly #mcp: McpRunner | undefined;
  readonly #targets = new Map<string, Target>();
  /** Databases of connections that can only read, each with what it is to go by when their number changes. */
  readonly #guests: (() => void)[] = [];
  /** What is not answered yet, by the front end's number. */
  readonly #open: SlotTable<Query | Call>;

  /** `post` sends answers to the front end. */
  constructor(settings: WorkerSettings, log: Logger, post: Post) {
    this.#settings = settings;
    this.#log = log;
    this.#open = new SlotTable(settings.queue + 1); // the front end's places
    this.#outbox = new Outbox(post);
    this.#statements = new StatementBuilder(jsonFrame(settings.aggregate, settings.maxResult));
    this.#listings = new ListingRunner(settings.access, this.#statements);
    const budget = new ResultBudget(
      settings.maxResult,
      settings.resultBudget,
      new Int32Array(settings.sending),
    );
    const shared = new Int32Array(settings.connections);
    for (const [i, one] of settings.databases.entries()) {
      const own = i === 0 ? budget : budget.another();
      const share = new ConnectionShare(shared, i);
      const database = new Database(one, own, share);
      this.#targets.set(one.alias, {
        database,
        readOnly: this.#readOnly(database, share, settings.mcp?.databases[i], own),
        foreign: new ForeignJson(database),
        costs: new WeakMap(),
      });
    }
    const { database } = this.#targets.get(settings.defaultAlias)!;
    this.users = new UserTasks(settings.users, database, log);
    const { scriptsTable, maxResult } = settings;
    if (scriptsTable !== undefined)
      this.#stored = new StoredScripts(scriptsTable, database, { maxResult, log });
    this.#scripts = this.#stored ?? new ScriptStore(settings.scripts, log);
    const databases = new Map(
      [...this.#targets].map(([alias, target]) => [alias, target.database]),
    );
    this.registry = new RegistryTasks(settings, databases, log, () => this.scriptsChanged());
    if (settings.mcp !== undefined)
      this.#mcp = new McpRunner(settings, settings.mcp, {
        scripts: this.#scripts,
        databaseOf: (alias) => this.#targets.get(alias)!.readOnly(),
        answered: (call, answer) => this.#answerCall(call, answer),
        log,
      });
  }

  /** Gives what only reads from a database connections of its own, as many of its share as `settings` says. */
  #readOnly(
    database: Database,
    share: ConnectionShare,
    settings: DatabaseSettings | undefined,
    budget: ResultBudget,
  ): () => Database {
    if (settings === undefined) return () => database;
    const allowed = share.guest(settings.connections, {
      wanted: () => database.adjust(),
      freed: () => guest.adjust(),
      needed: () => guest.giveUpIdle(),
    });
    const guest = new Database(settings, budget, allowed);
    this.#guests.push(() => {
      guest.adjust();
      if (allowed.limit === 0) guest.pass(database);
    });
    return () => (allowed.limit > 0 ? guest : database);
  }

  /** take does what the front end posts. */
  take(message: string): void {
    if (message.startsWith(RUN)) this.#run(unpackRequests(message, RUN.length));
    else for (const id of unpackIds(message, ABANDON.length)) this.#abandon(this.#open.get(id));
  }

  #run(requests: readonly QueryRequest[]): void {
    const now = performance.now();
    for (const request of requests) {
      if (request.folder === '' && request.name === MCP && this.#mcp !== undefined) {
        const call = this.#mcp.call(request);
        this.#abandon(this.#open.put(call));
        this.#mcp.answer(call);
        continue;
      }
      const query = new Query(this, request, this.#settings.claimSettings);
      // Whose place it takes is over for the front end, even if word of that comes only after this batch.
      this.#abandon(this.#open.put(query));
      this.#start(query, now);
    }
    this.#flush();
  }

  /** Stops what nobody waits for, as far as it can be stopped. */
  #abandon(one: Query | Call | undefined): void {
    if (one !== undefined) one.abandoned = true; // the database sees to what it has of it
  }

  /** adjust makes every database go by the connections allowed now. */
  adjust(): void {
    for (const { database } of this.#targets.values()) database.adjust();
    for (const adjust of this.#guests) adjust();
  }

  /** scriptsChanged looks at stored scripts at once, for they may have changed; resolves when that is done. */
  async scriptsChanged(): Promise<void> {
    await this.#stored?.changed();
  }

  /** probe asks a database whether it is there: resolves to the reason why not, empty when it is. */
  probe(alias: string): Promise<string> {
    return this.#targets.get(alias)!.database.probe();
  }

  succeeded(query: Query, result: StatementResult): void {
    try {
      this.#succeed(query, result);
    } catch (error) {
      this.#broken(query, error); // JavaScript has no string of that length
    }
  }

  #succeed(query: Query, result: StatementResult): void {
    if (query.form === 'value') {
      const value = result.value ?? '[]';
      if (typeof value === 'string') this.#answer(query, 200, value);
      else if (query.xml) this.#answer(query, 200, value.text());
      else this.#sendApart(query, value);
    } else if (result.columns === undefined) {
      this.#answer(query, 200, `{"rows_affected":${result.affected}}`);
    } else if (foreignTypes(result.columns).length === 0) {
      this.#answerRows(query, result, () => undefined);
    } else {
      this.#answerForeignRows(query, result).catch((error: unknown) => this.#broken(query, error));
    }
  }

  failed(query: Query, failure: SqlFailure | ServiceError): void {
    const { alias, requestId } = query.request;
    if (failure instanceof ServiceError) {
      if (failure instanceof IdentityRefused && !query.abandoned)
        logRefusedIdentity(this.#log, failure, { requestId, script: query.path, alias });
      this.#refuse(query, failure);
      return;
    }
    const mistake = query.lists ? callersMistake(failure) : undefined;
    if (mistake !== undefined) {
      this.#refuse(query, mistake);
      return;
    }
    let position: string | undefined;
    if (failure.position !== undefined && query.rendered !== undefined) {
      const place = query.rendered.locate(positionToScript(query.statement, failure.position));
      position = `${query.path}:${place.line}:${place.column}`;
    }
    // Nobody waits for an abandoned one, and its failure is our own doing.
    if (!query.abandoned)
      logFailure(
        this.#log,
        failure,
        { requestId, script: query.path, alias, position },
        query.request,
      );
    const { debug, raised } = this.#settings;
    const overTime = performance.now() - query.since >= this.#statementTimeout(alias) - CLOCK_SLACK;
    const { status, body } = failureAnswer(failure, {
      xml: query.xml,
      debug,
      raised,
      position,
      overTime,
    });
    this.#send(query, status, body);
  }

  #statementTimeout(alias: string): number {
    return this.#targets.get(alias)!.database.settings.statementTimeout;
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
            this.#broken(query, error);
          },
        );
      } else this.#execute(query, script, now);
    } catch (error) {
      this.#broken(query, error);
    }
  }

  #execute(query: Query, script: FoundScript, now: number): void {
    try {
      const { method, alias, query: queryString, headers, claims } = query.request;
      if (method === 'OPTIONS') {
        this.#send(query, 204, '', script.allow);
        return;
      }
      const { verb, template } = script.select(method);
      const { costs } = this.#targets.get(alias)!;
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
      query.repeatable = verb === 'read';
      query.form = verb === 'read' ? 'value' : 'rows';
      let cost = costs.get(template);
      if (cost === undefined) costs.set(template, (cost = new ScriptCost()));
      query.cost = cost;
      this.#submit(query, now);
    } catch (error) {
      this.#broken(query, error);
    }
  }

  #submit(query: Query, now: number): void {
    if (query.abandoned) this.#refuse(query, new ServiceError('timeout'));
    else this.#targets.get(query.request.alias)!.database.run(query, now);
  }

  #answerRows(
    query: Query,
    result: StatementResult,
    foreign: (row: number, column: number) => string | undefined,
  ): void {
    const rows = writeRows(result.columns!, result.rows!, foreign);
    this.#answer(query, 200, `{"rows_affected":${result.affected},"rows":${rows}}`);
  }

  async #answerForeignRows(query: Query, result: StatementResult): Promise<void> {
    const { alias, requestId } = query.request;
    try {
      const { foreign } = this.#targets.get(alias)!;
      this.#answerRows(
        query,
        result,
        await foreign.of(result.columns!, result.rows!, query.identity),
      );
    } catch (error) {
      // The statement has done its work, so its rows are answered, if only as text.
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.warn(
        { requestId, script: query.path, reason },
        'returned values are given as text',
      );
      this.#answerRows(query, result, () => undefined);
    }
  }

  /** Answers for what was thrown on the way to the database. */
  #broken(query: Query, error: unknown): void {
    const { requestId } = query.request;
    if (error instanceof RefusedValue) {
      this.#refuse(query, unsafeValue(error.parameter));
    } else if (error instanceof TemplateError) {
      const { line, column } = error;
      const position = `${query.path}:${line}:${column}`;
      this.#log.warn({ requestId, script: query.path, position }, error.safeMessage);
      this.#refuse(query, scriptNotUsable(query.path, error.safeMessage));
    } else if (error instanceof ServiceError) {
      this.#refuse(query, error);
    } else {
      this.#log.error({ requestId, script: query.path, err: error }, 'a request failed');
      this.#refuse(query, new ServiceError('internal'));
    }
  }

  #refuse(query: Query, error: ServiceError): void {
    const { status, message, code, allow } = error;
    this.#send(query, status, errorBody(message, code, query.xml), allow);
  }

  #answer(query: Query, status: number, json: string): void {
    try {
      this.#send(query, status, query.xml ? jsonToXml(json) : json);
    } catch (error) {
      this.#broken(query, error);
    }
  }

  #send(query: Query, status: number, body: string, allow = ''): void {
    const { id } = query;
    this.#open.remove(id);
    const type = query.xml ? XML_BODY : JSON_BODY;
    this.#outbox.answer(packAnswer(id, status, type, allow, body));
  }

  #answerCall({ id }: Call, { status, body }: Answer): void {
    this.#open.remove(id);
    this.#outbox.answer(packAnswer(id, status, body === '' ? NO_BODY : JSON_BODY, '', body));
  }

  #sendApart(query: Query, body: LargeValue): void {
    this.#open.remove(query.id);
    const packed = packAnswer(query.id, 200, JSON_BODY + APART, '', '');
    this.#outbox.answer(packed, body);
  }

  #flush(): void {
    for (const { database } of this.#targets.values()) database.flush();
  }
}

function mayCommit(): ServiceError {
  return new ServiceError(
    'statement_not_allowed',
    'CALL and DO are not allowed in a script that runs with the identity of its caller: use a function',
  );
}

/** How far PostgreSQL's clock may be ahead when it ends a statement for its time (milliseconds). */
const CLOCK_SLACK = 20;
