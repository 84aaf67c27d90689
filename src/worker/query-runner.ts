/**
 * Runs the requests of a worker: finds the script, renders it with the request's data, and gives the statement to the
 * database. Errors on the way become responses; nothing is thrown.
 */
import { performance } from 'node:perf_hooks';
import {
  ABANDON,
  RUN,
  unpackIds,
  unpackRequests,
  type McpRequest,
  type ScriptRequest,
  type WorkerRequest,
} from '../messages/batch.js';
import { ServiceError } from '../base/errors.js';
import { readBody } from '../script/body/request-body.js';
import { NO_HEAD } from '../script/head/head.js';
import { fieldValue, headerLine } from '../base/headers.js';
import { BATCH_REQUESTS, RENDERED_TEXTS } from '../observe/metrics/catalogue.js';
import { observeCount } from '../observe/metrics/histogram.js';
import { counts } from '../observe/metrics/thread.js';
import type { McpCall } from '../mcp/arguments/call.js';
import { withTimeout, withTraceId } from '../postgres/statement/identity.js';
import { requestedPosition } from '../postgres/servers/requested-position.js';
import type { Servers } from '../postgres/servers/servers.js';
import type { ServiceDatabase } from '../postgres/statement/queryable.js';
import type { ScriptCost } from '../postgres/statement/script-cost.js';
import type { SqlFailure } from '../postgres/statement/sql-failure.js';
import { checkKnown, checkParameters } from '../script/request/declared-parameters.js';
import { parseQueryString, type QueryParameters } from '../script/request/query-string.js';
import { RequestData } from '../script/request/request-data.js';
import type { ScriptText } from '../script/script-text.js';
import type { FoundScript } from '../script/scripts.js';
import {
  firstWord,
  jsonFrame,
  returnsNoRows,
  StatementBuilder,
} from '../script/statement/statement.js';
import { commitsAlone } from '../script/statement/transaction-rules.js';
import type { DatabaseSettings } from '../messages/database-settings.js';
import type { Template } from '../template/template.js';
import type { TraceIds } from '../observe/trace/trace-context.js';
import { hasColumns, sendsLines } from './responses/head-response.js';
import { ListingRunner } from './listings/listing-runner.js';
import type { McpRunner } from './mcp-runner.js';
import { bindBytes, readLarge } from './large-body.js';
import { Query } from './query.js';
import type { Responder } from './responses/responder.js';
import type { WorkerParts } from './worker-parts.js';
import { ShapedStatements } from '../script/statement/shaped-statements.js';
import { TimedQuery } from './timing/timed-query.js';

/** Size of a body (bytes) from which its values are bulky. */
const BULKY = 4 << 20;

const JUST_CHANGED =
  'the script has just changed and now uses the body of a request: send the request again';

/** What gets the statements of requests: a database, or what stands in for one. */
export interface StatementTarget {
  readonly settings: Pick<DatabaseSettings, 'statementTimeout'>;
  /** Those of a database with replicas, which get its statements instead. */
  readonly servers?: Servers | undefined;
  /** Describes statements; undefined where none run. */
  readonly database?: Pick<ServiceDatabase, 'describe'>;
  run(query: Query, now: number): void;
  flush(): void;
  costOf(template: Template): ScriptCost | undefined;
}

/** What a runner gives requests to, besides the parts of its worker. */
export interface RunnerParts extends Pick<WorkerParts, 'settings' | 'scripts' | 'spans' | 'log'> {
  readonly databases: ReadonlyMap<string, StatementTarget>;
  readonly responder: Responder;
  /** Undefined without an MCP endpoint. */
  readonly mcp?: McpRunner | undefined;
  /** Takes the requests for the SQL of scripts. */
  readonly sql?: QueryRunner | undefined;
}

export class QueryRunner {
  readonly #parts: RunnerParts;
  readonly #responder: Responder;
  readonly #statements: StatementBuilder;
  readonly #shaped: ShapedStatements;
  readonly #listings: ListingRunner;
  /** Whether each request is logged with how it ran. */
  readonly #logsTimes: boolean;

  constructor(parts: RunnerParts) {
    const { settings, responder, log } = parts;
    this.#parts = parts;
    this.#responder = responder;
    this.#statements = new StatementBuilder(jsonFrame(settings.aggregate, settings.maxResult));
    this.#shaped = new ShapedStatements(settings.aggregate, settings.maxResult);
    this.#listings = new ListingRunner(settings.access, this.#statements);
    this.#logsTimes = log.isLevelEnabled('debug');
  }

  /** take runs, or abandons, the requests of a message from the HTTP process. */
  take(message: string, bodies?: readonly ArrayBuffer[]): void {
    if (message.startsWith(RUN)) this.#run(unpackRequests(message, RUN.length, bodies));
    else
      for (const id of unpackIds(message, ABANDON.length))
        this.#abandon(this.#responder.sender.inFlight.get(id));
  }

  #run(requests: readonly WorkerRequest[]): void {
    const now = performance.now();
    observeCount(counts, BATCH_REQUESTS, requests.length);
    // The HTTP process has the same settings: it has no route for what is undefined here.
    for (const request of requests)
      if (request.kind === 'mcp') this.#respond(this.#parts.mcp!, request);
      else if (request.kind === 'sql') this.#parts.sql!.#take(request, now);
      else this.#take(request, now);
    this.#flush();
  }

  #take(request: Query['request'], now: number): void {
    const query = this.#query(request);
    // The HTTP process has ended the previous request in this slot, even if the message about that is still to come.
    this.#abandon(this.#responder.sender.inFlight.put(query));
    this.#start(query, now);
  }

  #respond(mcp: McpRunner, request: McpRequest): void {
    const call = mcp.call(request);
    this.#abandon(this.#responder.sender.inFlight.put(call));
    mcp.respond(call);
  }

  #query(request: Query['request']): Query {
    const { claimSettings, serverTiming } = this.#parts.settings;
    const log = this.#logsTimes ? this.#parts.log : undefined;
    if (!serverTiming && log === undefined && !request.traced)
      return new Query(this.#responder, request, claimSettings);
    const query = new TimedQuery(this.#responder, request, claimSettings, log, serverTiming);
    if (request.traced) query.trace = this.#parts.spans?.idsOf(request);
    return query;
  }

  /** Marks a request that needs no response any more: the database drops or cancels its statement. */
  #abandon(one: Query | McpCall | undefined): void {
    if (one !== undefined) one.abandoned = true;
  }

  #start(query: Query, now: number): void {
    try {
      const { request } = query;
      if (request.kind === 'listing') {
        this.#listings.prepare(query, request);
        this.#submit(query, now);
        return;
      }
      const { alias, folder, name } = request;
      const script = this.#parts.scripts.find(alias, folder, name, now);
      if (script instanceof Promise) {
        script.then(
          (found) => {
            this.#execute(query, request, found, performance.now());
            this.#flush();
          },
          (error: unknown) => {
            this.#responder.failures.threw(query, error);
          },
        );
      } else this.#execute(query, request, script, now);
    } catch (error) {
      this.#responder.failures.threw(query, error);
    }
  }

  #execute(query: Query, request: ScriptRequest, script: FoundScript, now: number): void {
    let text: ScriptText | undefined;
    try {
      const { method } = request;
      if (method === 'OPTIONS') {
        this.#responder.sender.send(query, 204, '', headerLine('Allow', script.allow));
        return;
      }
      text = script.select(method);
      if (text.body === 'none') this.#render(query, text, now);
      else this.#readBody(query, request, text, now);
    } catch (error) {
      // The callers of a path that a script declares name no script: one that cannot be used is no mistake of theirs.
      const isBroken = request.declared && text === undefined && isUnusable(error);
      const failure = isBroken ? new ServiceError('script_broken', error.message, error) : error;
      this.#responder.failures.threw(query, failure);
    }
  }

  /** Renders once the body was read, which only some bodies take time for. */
  #readBody(query: Query, request: ScriptRequest, text: ScriptText, now: number): void {
    const { body, headers } = request;
    if (body === null) throw new ServiceError('busy', JUST_CHANGED);
    const contentType = fieldValue(headers, 'content-type');
    const usesNone = text.body === 'members' && text.members?.size === 0;
    const read =
      (body ?? '').length === 0 && (usesNone || contentType === '')
        ? undefined
        : Buffer.isBuffer(body)
          ? readLarge(request, () =>
              readBody({ characters: body, contentType }, text.body, text.members),
            )
          : readBody({ characters: body ?? '', contentType }, text.body, text.members);
    if (!(read instanceof Promise)) {
      query.body = read;
      this.#render(query, text, now);
      return;
    }
    read
      .then((found) => {
        query.body = found;
        this.#render(query, text, performance.now());
        this.#flush();
      })
      .catch((error: unknown) => this.#responder.failures.threw(query, error));
  }

  /** Throws what rendering throws. */
  #render(query: Query, text: ScriptText, now: number): void {
    const { alias, query: queryString, headers, claims } = query.request;
    const { verb, template, head } = text;
    const parameters = parseQueryString(queryString);
    const data = new RequestData(
      parameters,
      headers,
      this.#parts.settings.claims ? claims : '',
      (header) => {
        this.#parts.log.warn(
          { ...query.ids, script: query.path, header },
          'a header was blanked: its value cannot be interpolated safely, or is not UTF-8',
        );
      },
      head === NO_HEAD ? undefined : head.parameters,
      query.body,
      now + this.#parts.settings.timeout,
    );
    if (head !== NO_HEAD) this.#applyHead(query, text, parameters, data);
    const rendered = template.render(data);
    query.rendered = rendered;
    const { values, bytes } = rendered;
    query.values = bytes === undefined ? values : values.map((value, i) => bytes.get(i) ?? value);
    query.bulky = (query.body?.size ?? 0) >= BULKY;
    const builder = head === NO_HEAD || verb !== 'read' ? undefined : this.#shaped.of(head);
    const statements = builder ?? this.#statements;
    query.statement = statements.build(verb, rendered.text, query.path, rendered);
    counts[query.statement.recurs ? RENDERED_TEXTS.remembered : RENDERED_TEXTS.new]! += 1;
    const { parts } = query.statement;
    if (parts !== undefined && !query.bind(parts)) {
      query.failed(notBound());
      return;
    }
    // What follows a COMMIT would run as the user of the connection.
    if (query.identity !== undefined && query.statement.commits) throw mayCommit();
    if (verb === 'read') query.form = query.valueForm;
    if (head !== NO_HEAD) this.#applyShape(query);
    const database = this.#parts.databases.get(alias)!;
    query.cost = database.costOf(template);
    if (bytes === undefined || database.database === undefined) this.#submit(query, now);
    else
      bindBytes(database.database, query).then(
        () => {
          this.#submit(query, performance.now());
          this.#flush();
        },
        (error: unknown) => this.#responder.failures.threw(query, error),
      );
  }

  /** Checks the parameters of a request. Its own error responses then have the headers of the script. */
  #applyHead(
    query: Query,
    { head, known }: ScriptText,
    parameters: QueryParameters,
    data: RequestData,
  ): void {
    query.head = head;
    if (known !== undefined) checkKnown(known, parameters, query.body);
    if (head.parameters.size > 0) checkParameters(head.parameters, data);
  }

  /** Sets the form of the result and the time limit that the head of a script asks for. */
  #applyShape(query: Query): void {
    const { head, statement, reads } = query;
    if (reads) {
      if (hasColumns(head)) query.form = 'rows';
      else if (sendsLines(head)) query.form = 'value';
    } else if ((head.shape !== 'list' || hasColumns(head)) && returnsNoRows(statement.text))
      throw new ServiceError('no_rows_returned');
    if (head.timeout === undefined) return;
    const { statementTimeout } = this.#parts.databases.get(query.request.alias)!.settings;
    const timeout = Math.min(head.timeout, statementTimeout);
    query.identity = withTimeout(query.identity, timeout);
  }

  #submit(query: Query, now: number): void {
    if (query.abandoned) this.#responder.failures.reject(query, new ServiceError('timeout'));
    else {
      const database = this.#parts.databases.get(query.request.alias)!;
      const submitted = query.submittedAt(now);
      if (query.trace !== undefined) this.#nameTrace(query, query.trace);
      if (database.servers === undefined) database.run(query, submitted);
      else this.#route(query, database.servers, submitted);
    }
  }

  /** Runs a query on a server of a database with replicas. Throws ServiceError. */
  #route(query: Query, servers: Servers, now: number): void {
    if (query.reads && !query.head.primary) {
      const { headers, alias } = query.request;
      query.after = requestedPosition(headers, alias, this.#parts.settings.defaultAlias);
      servers.read(query, now);
    } else servers.write(query, now);
  }

  /** Has PostgreSQL see the trace id, except with what cannot have a statement before it in its transaction. */
  #nameTrace(query: Query, { traceId }: TraceIds): void {
    if (this.#parts.settings.trace?.applicationName !== true) return;
    const { text, parts } = query.statement;
    if (parts !== undefined || commitsAlone(text, firstWord(text) ?? '') === undefined)
      query.identity = withTraceId(query.identity, traceId);
  }

  #flush(): void {
    for (const database of this.#parts.databases.values()) database.flush();
  }
}

function isUnusable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'script_not_usable';
}

/** What PostgreSQL reports of one statement: a placeholder is in quotes, or stands for no value. */
function notBound(): SqlFailure {
  const message =
    'the placeholders of the statements are not those of the values that the script binds';
  return { state: '08P01', message, fatal: false };
}

function mayCommit(): ServiceError {
  return new ServiceError(
    'statement_not_allowed',
    'CALL and DO are not allowed in a script that runs with the identity of its caller: use a function',
  );
}
