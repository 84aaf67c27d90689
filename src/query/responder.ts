/**
 * Makes the responses of a worker: from the result of a statement, from its failure, or from an error on the way to the
 * database. Each request gets exactly one response, and failures that concern the operator are logged.
 */
import { performance } from 'node:perf_hooks';
import { FINAL, JSON_BODY, NO_BODY, TEXT_BODY, XML_BODY } from '../batch.js';
import { listingFailure } from '../catalog/listings.js';
import { errorBody, ServiceError, type ErrorCode } from '../errors.js';
import { excerpt } from '../excerpt.js';
import { NO_HEAD, type Head } from '../head/head.js';
import { headerLine } from '../header-name.js';
import type { Logger } from '../log.js';
import type { McpCall } from '../mcp/call.js';
import type { McpResponse } from '../mcp/endpoint.js';
import type { LargeValue } from '../native/pipeline.js';
import { IdentityRejected } from '../pg/identity.js';
import type { StatementResult } from '../pg/job.js';
import { resultTooLarge } from '../pg/result-budget.js';
import { RESOLUTION_UNKNOWN, type SqlFailure } from '../pg/sql-failure.js';
import { parseQueryString } from '../script/query-string.js';
import { invalidValue } from '../script/invalid-value.js';
import { missingScriptHint } from '../script/missing-script.js';
import { linesAround, notRendered, scriptFailure, unsafeValue } from '../script/script-error.js';
import { statementFault, type IsSent } from '../script/statement-fault.js';
import {
  positionToScript,
  positionToText,
  withoutFrame,
  type StatementPart,
} from '../script/statement.js';
import { readHint } from '../script/writing-read.js';
import { frameFault } from '../script/head-columns.js';
import { jsonToXml } from '../script/xml.js';
import type { WorkerSettings } from '../settings.js';
import { SlotTable } from '../slot-table.js';
import { RefusedValue, TemplateError } from '../template/template.js';
import { errorText } from '../text.js';
import { checkHint, failureResponse, logFailure, logRejectedIdentity } from './failure-log.js';
import {
  changeResponse,
  checkJson,
  columnTexts,
  deprecationLine,
  headerLines,
} from './head-response.js';
import type { Query } from './query.js';
import { prefersText, readableError, type ErrorResponse } from './readable-error.js';
import type { ResponseBatcher } from './response-batcher.js';
import { serverTypes, type JsonOf } from './row-json.js';
import type { WorkerDatabase } from './worker-database.js';

/** How far PostgreSQL's clock may be ahead when it ends a statement at its time limit, ms. */
const CLOCK_SLACK = 20;

const NO_JSON: JsonOf = () => undefined;

/** Errors of a script whose statement does not return what its head declares: they concern its author. */
const UNMET: ReadonlySet<string> = new Set<ErrorCode>([
  'more_than_one_row',
  'more_than_one_column',
  'missing_column',
  'no_rows_returned',
]);

/** Errors of a request that finds no text of a script. */
const MISSING: ReadonlySet<string> = new Set<ErrorCode>(['script_not_found', 'method_not_allowed']);

export class Responder {
  /** The requests without a response yet, by the HTTP process's id. */
  readonly inFlight: SlotTable<Query | McpCall>;
  readonly #settings: WorkerSettings;
  readonly #databases: ReadonlyMap<string, WorkerDatabase>;
  readonly #batcher: ResponseBatcher;
  readonly #log: Logger;

  constructor(
    settings: WorkerSettings,
    databases: ReadonlyMap<string, WorkerDatabase>,
    batcher: ResponseBatcher,
    log: Logger,
  ) {
    this.#settings = settings;
    this.#databases = databases;
    this.inFlight = new SlotTable(settings.queue + 1); // as many slots as the HTTP process has
    this.#batcher = batcher;
    this.#log = log;
  }

  succeeded(query: Query, result: StatementResult): void {
    try {
      this.#succeed(query, result);
    } catch (error) {
      // The result is not what the head declares, or JavaScript has no string of that length.
      this.threw(query, error);
    }
  }

  #succeed(query: Query, result: StatementResult): void {
    if (query.head !== NO_HEAD) this.#succeedWithHead(query, query.head, result);
    else if (result.place !== undefined) {
      this.inFlight.remove(query.id);
      this.#batcher.finish(result.place, query.id, 200, JSON_BODY);
    } else if (query.form !== 'rows') {
      const value = result.value ?? '[]';
      if (typeof value === 'string') this.#sendJson(query, value);
      else if (query.xml) this.#sendJson(query, value.text());
      else this.#sendApart(query, value);
    } else if (result.columns === undefined) {
      this.#sendJson(query, `{"rows_affected":${result.affected}}`);
    } else {
      this.#sendChange(query, result);
    }
  }

  #sendChange(query: Query, result: StatementResult): void {
    if (serverTypes(result.columns ?? []).length === 0) this.#sendRows(query, result, NO_JSON);
    else this.#sendServerRows(query, result).catch((error: unknown) => this.threw(query, error));
  }

  #succeedWithHead(query: Query, head: Head, result: StatementResult): void {
    if (result.place !== undefined) {
      // A response with header lines has no place.
      this.inFlight.remove(query.id);
      this.#batcher.finish(result.place, query.id, head.status, JSON_BODY);
    } else if (query.reads) {
      const row = query.form === 'rows' ? result.rows?.[0] : undefined;
      // PostgreSQL keeps back the row when the JSON in it is too large.
      if (query.form === 'rows' && row === undefined)
        throw resultTooLarge(this.#settings.maxResult);
      const json = row === undefined ? result.value : (row[0] ?? null);
      checkJson(head, json);
      const lines = headerLines(head, row && columnTexts(head, row));
      const body = json ?? '[]';
      if (typeof body === 'string') this.#sendJson(query, body, lines);
      else if (query.xml) this.#sendJson(query, body.text(), lines);
      else this.#sendApart(query, body, lines);
    } else {
      this.#sendChange(query, result);
    }
  }

  failed(query: Query, reported: SqlFailure | ServiceError): void {
    const { alias, requestId } = query.request;
    if (reported instanceof ServiceError) {
      const failure = reported;
      if (failure instanceof IdentityRejected && !query.abandoned)
        logRejectedIdentity(this.#log, failure, { requestId, script: query.path, alias });
      if (failure.cause !== undefined)
        this.#log.error({ requestId, script: query.path, err: failure.cause }, 'a request failed');
      this.reject(query, failure);
      return;
    }
    const mistake = query.lists ? listingFailure(reported) : undefined;
    if (mistake !== undefined) {
      this.reject(query, mistake);
      return;
    }
    const { rendered, head } = query;
    const unmet = head === NO_HEAD ? undefined : frameFault(head, query.statement, reported);
    if (unmet !== undefined) {
      this.threw(query, unmet);
      return;
    }
    const failure = query.lists ? reported : withoutFrame(query.statement, reported);
    const sent = (): IsSent => {
      const parameters = parseQueryString(query.request.query);
      return (name) => parameters.has(name) || (query.body?.get(name) ?? null) !== null;
    };
    const fault = rendered && statementFault(failure.state, rendered, sent, head.parameters);
    const offset = offsetOf(query, failure);
    const place = fault?.place ?? (offset === undefined ? undefined : rendered?.locate(offset));
    const position = place && `${query.path}:${place.line}:${place.column}`;
    const { parts } = query;
    const uses = parts?.[failure.part ?? -1]?.uses;
    const parameter =
      rendered === undefined || fault !== undefined
        ? fault?.parameter
        : invalidValue(failure, { rendered, uses, offset });
    const hint = rendered && readHint(query.statement, failure.state);
    const statement = parts && statementOf(parts, failure);
    const { debug, raised, development } = this.#settings;
    const source = development && rendered && place ? excerpt(rendered.template, place) : undefined;
    // The failure of an abandoned request is most often its cancellation.
    if (!query.abandoned) {
      const at = { requestId, script: query.path, alias, statement, position, parameter, source };
      const help =
        hint ?? (rendered && !development ? checkHint(failure.state, query.path) : undefined);
      const sentText = development ? undefined : { ...query.request, body: query.body };
      logFailure(this.#log, failure, { ...at, hint: help }, sentText);
    }
    const { statementTimeout } = this.#databases.get(alias)!.database.settings;
    const limit = Math.min(head.timeout ?? Infinity, statementTimeout);
    const response = failureResponse(failure, {
      debug,
      raised,
      statement,
      position,
      parameter,
      hint,
      development,
      source,
      fault: fault?.error,
      overTime: performance.now() - query.since >= limit - CLOCK_SLACK,
    });
    const final = failure.state === RESOLUTION_UNKNOWN ? FINAL : 0;
    this.#sendError(query, response, deprecationLine(head), final);
  }

  /** threw sends the response for an error on the way to the database. */
  threw(query: Query, error: unknown): void {
    const { requestId } = query.request;
    if (error instanceof RefusedValue) {
      this.reject(query, unsafeValue(error.parameter));
    } else if (error instanceof TemplateError) {
      this.#rejectScript(query, notRendered(query.path, error));
    } else if (error instanceof ServiceError) {
      // The author looks for the request in the log, although the same failure was logged before.
      const { code, detail, message } = error;
      if (UNMET.has(code)) this.#log.error({ requestId, script: query.path }, message);
      if (this.#settings.development && MISSING.has(code)) void this.#rejectMissing(query, error);
      else if (detail === undefined && code !== 'statement_not_allowed') this.reject(query, error);
      else this.#rejectScript(query, error);
    } else {
      this.#log.error({ requestId, script: query.path, err: error }, 'a request failed');
      this.reject(query, new ServiceError('internal'));
    }
  }

  /** Rejects a request whose script cannot be used, with a line in the log; `debug` adds it to the response. */
  #rejectScript(query: Query, error: ServiceError): void {
    const { path, request } = query;
    const failure = scriptFailure(path, error);
    const { position, parameter, safeMessage, message, hint } = failure;
    const { requestId } = request;
    const { debug, development } = this.#settings;
    const source = development ? linesAround(error) : undefined;
    const place = { requestId, script: path, position, parameter };
    if (development) this.#log.warn({ ...place, hint, source }, message);
    else this.#log.warn(place, safeMessage);
    if (!debug) {
      this.reject(query, error);
      return;
    }
    const said = message === error.message ? undefined : message;
    const members = { ...error.members, message: said, hint, position, source };
    this.#sendError(query, { ...responseOf(error), members }, deprecationLine(query.head));
  }

  /** Rejects a request for which there is no script, in development mode, and says which file would serve it. */
  async #rejectMissing(query: Query, error: ServiceError): Promise<void> {
    const { scripts, scriptsTable } = this.#settings;
    const { folder, name, method, requestId } = query.request;
    const hint =
      scriptsTable === undefined
        ? await missingScriptHint(scripts, folder, name, method)
        : undefined;
    this.#log.warn({ requestId, script: query.path, hint }, error.message);
    const lines = linesOf(error, method);
    this.#sendError(query, { ...responseOf(error), members: { hint } }, lines);
  }

  reject(query: Query, error: ServiceError): void {
    const lines = linesOf(error, query.request.method) + deprecationLine(query.head);
    this.#sendError(query, responseOf(error), lines);
  }

  send(query: Query, status: number, body: string, lines = ''): void {
    this.#respond(query, status, query.xml ? XML_BODY : JSON_BODY, body, lines);
  }

  #sendError(query: Query, response: ErrorResponse, lines: string, final = 0): void {
    const { status, message, code, members } = response;
    const { xml, request } = query;
    if (this.#settings.development && !xml && prefersText(request.headers))
      this.#respond(query, status, TEXT_BODY + final, readableError(response), lines);
    else {
      const type = xml ? XML_BODY : JSON_BODY;
      this.#respond(query, status, type + final, errorBody(message, code, xml, members), lines);
    }
  }

  #respond(query: Query, status: number, type: number, body: string, lines: string): void {
    const { id } = query;
    this.inFlight.remove(id);
    this.#batcher.respond(id, status, type, lines, body);
  }

  sendMcp({ id }: McpCall, { status, body }: McpResponse): void {
    this.inFlight.remove(id);
    this.#batcher.respond(id, status, body === '' ? NO_BODY : JSON_BODY, '', body);
  }

  #sendJson(query: Query, json: string, lines = ''): void {
    try {
      this.send(query, query.head.status, query.xml ? jsonToXml(json) : json, lines);
    } catch (error) {
      this.threw(query, error);
    }
  }

  #sendApart(query: Query, body: LargeValue, lines = ''): void {
    this.inFlight.remove(query.id);
    this.#batcher.respond(query.id, query.head.status, JSON_BODY, lines, body);
  }

  #sendRows(query: Query, result: StatementResult, jsonOf: JsonOf): void {
    const { json, lines } = changeResponse(query.head, result, jsonOf);
    this.#sendJson(query, json, lines);
  }

  /** Sends rows with values that only the database can write as JSON. */
  async #sendServerRows(query: Query, result: StatementResult): Promise<void> {
    const { alias, requestId } = query.request;
    let jsonOf = NO_JSON;
    try {
      const { serverJson } = this.#databases.get(alias)!;
      jsonOf = await serverJson.of(result.columns!, result.rows!, query.identity);
    } catch (error) {
      // The statement has done its work, so its rows are sent, if only as text.
      const reason = errorText(error);
      const fields = { requestId, script: query.path, reason };
      this.#log.warn(fields, 'returned values are given as text');
    }
    this.#sendRows(query, result, jsonOf);
  }
}

function responseOf({ status, message, code, members }: ServiceError): ErrorResponse {
  return { status, message, code, members };
}

/** The header lines that an error adds to the response to a method. */
function linesOf({ allow, acceptPost }: ServiceError, method: string): string {
  const methods = allow === undefined ? '' : headerLine('Allow', allow);
  if (acceptPost === undefined) return methods;
  return methods + headerLine(ACCEPT[method] ?? 'Accept', acceptPost);
}

/** The headers that list the types of bodies of a method, besides Accept. */
const ACCEPT: Readonly<Record<string, string>> = { POST: 'Accept-Post', PATCH: 'Accept-Patch' };

/** Where in the rendered text a statement failed; of several, one without a position failed where it begins. */
function offsetOf({ statement, parts }: Query, failure: SqlFailure): number | undefined {
  const { position, part } = failure;
  if (parts === undefined)
    return position === undefined ? undefined : positionToScript(statement, position);
  const failed = parts[part ?? -1];
  if (failed === undefined) return undefined;
  return position === undefined ? failed.at : positionToText(failed, position);
}

/** Which of several statements failed, by its number in the script. */
function statementOf(parts: readonly StatementPart[], { part }: SqlFailure): string | undefined {
  if (part === undefined) return undefined;
  return part === parts.length ? 'commit' : String(parts[part]!.number);
}
