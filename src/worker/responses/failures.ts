/**
 * Makes the responses to requests that failed: in the database, or on the way to it. Failures that concern the operator or
 * the author of a script are logged.
 */
import { performance } from 'node:perf_hooks';
import { FINAL, JSON_BODY, TEXT_BODY, XML_BODY } from '../../messages/batch.js';
import { listingFailure } from '../listings/listings.js';
import type { BodyValue } from '../../script/body/request-body.js';
import { errorBody, ServiceError, type ErrorCode } from '../../base/errors.js';
import { excerpt } from '../../base/excerpt.js';
import { NO_HEAD } from '../../script/head/head.js';
import { headerLine } from '../../base/headers.js';
import { ERROR_RESPONSES } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import { IdentityRejected } from '../../postgres/statement/identity.js';
import type { ProofCache } from '../../messages/proof-cache.js';
import { isFound } from '../../messages/proofs.js';
import { RESOLUTION_UNKNOWN, type SqlFailure } from '../../postgres/statement/sql-failure.js';
import { frameFault } from '../../script/head-columns.js';
import { elementOf, invalidValue } from '../../script/request/invalid-value.js';
import { missingScriptHint } from '../../script/files/missing-script.js';
import { parseQueryString } from '../../script/request/query-string.js';
import { linesAround, notRendered, scriptFailure, unsafeValue } from '../../script/script-error.js';
import {
  positionToScript,
  positionToText,
  withoutFrame,
  type StatementPart,
} from '../../script/statement/statement.js';
import { statementFault, type IsSent } from '../../script/statement/statement-fault.js';
import { verbOf } from '../../script/verb.js';
import { readHint } from '../../script/statement/writing-read.js';
import type { Position } from '../../base/position.js';
import { RefusedValue, TemplateError } from '../../template/template.js';
import {
  checkHint,
  failureResponse,
  logFailure,
  logRejectedIdentity,
  type Explanation,
} from './failure-log.js';
import { deprecationLine } from './head-response.js';
import type { Query } from '../query.js';
import { prefersText, readableError, type ErrorResponse } from './readable-error.js';
import type { ResponseSender } from './response-sender.js';
import type { WorkerParts } from '../worker-parts.js';

/** How far PostgreSQL's clock may be ahead when it ends a statement at its time limit, ms. */
const CLOCK_SLACK = 20;

/** Where error responses are counted; a code that is not here is an SQLSTATE. */
const CODES: Readonly<Partial<Record<string, number>>> = ERROR_RESPONSES;

/** Errors of a script whose statement does not return what its head declares: they concern its author. */
const UNMET: ReadonlySet<string> = new Set<ErrorCode>([
  'more_than_one_row',
  'more_than_one_column',
  'missing_column',
  'no_rows_returned',
]);

/** Errors of a request that finds no text of a script. */
const MISSING: ReadonlySet<string> = new Set<ErrorCode>(['script_not_found', 'method_not_allowed']);

export class Failures {
  readonly #parts: WorkerParts;
  readonly #sender: ResponseSender;

  constructor(parts: WorkerParts, sender: ResponseSender) {
    this.#parts = parts;
    this.#sender = sender;
  }

  /** failed sends the response to a request whose statement has failed, or was not sent. */
  failed(query: Query, failure: SqlFailure | ServiceError): void {
    if (failure instanceof ServiceError) {
      this.#notRun(query, failure);
      return;
    }
    const { head, statement, lists } = query;
    const mistake = lists ? listingFailure(failure) : undefined;
    const unmet = head === NO_HEAD ? undefined : frameFault(head, statement, failure);
    if (mistake !== undefined) this.reject(query, mistake);
    else if (unmet !== undefined) this.threw(query, unmet);
    else this.#statementFailed(query, lists ? failure : withoutFrame(statement, failure));
  }

  #notRun(query: Query, failure: ServiceError): void {
    const { path: script, request, abandoned } = query;
    this.#parts.spans?.failed(query, failure.status);
    const { ids } = query; // with the trace that begins now
    if (failure instanceof IdentityRejected && !abandoned)
      logRejectedIdentity(this.#parts.log, failure, { ...ids, script, alias: request.alias });
    if (failure.cause !== undefined)
      this.#parts.log.error({ ...ids, script, err: failure.cause }, 'a request failed');
    this.reject(query, failure);
  }

  #statementFailed(query: Query, failure: SqlFailure): void {
    const { rendered, head, path: script, request } = query;
    const { alias } = request;
    const { state, constraint } = failure;
    const { settings } = this.#parts;
    const { development } = settings;
    const { place, ...explanation } = explain(query, failure, this.#parts.proofs);
    const { position, parameter, statement, hint } = explanation;
    const source = development && rendered && place ? excerpt(rendered.template, place) : undefined;
    const { statementTimeout } = this.#parts.databases.get(alias)!.settings;
    const limit = Math.min(head.timeout ?? Infinity, statementTimeout);
    const response = failureResponse(failure, settings, {
      ...explanation,
      declared: head.errors.get(`${state} ${constraint}`) ?? head.errors.get(state),
      source,
      ofRow: rendered !== undefined && isOfRow(failure, rendered.text),
      overTime: performance.now() - query.since >= limit - CLOCK_SLACK,
    });
    this.#parts.spans?.failed(query, response.status);
    // The failure of an abandoned request is most often its cancellation.
    if (!query.abandoned) {
      const help = hint ?? (rendered && !development ? checkHint(state, script) : undefined);
      const { ids } = query;
      const at = { ...ids, script, alias, statement, position, parameter, source, hint: help };
      const sentText = development ? undefined : { ...request, body: query.body };
      logFailure(this.#parts.log, failure, at, sentText);
    }
    const final = state === RESOLUTION_UNKNOWN ? FINAL : 0;
    this.#sendError(query, response, deprecationLine(head), final);
  }

  /** threw sends the response for an error on the way to the database. */
  threw(query: Query, error: unknown): void {
    if (error instanceof RefusedValue) {
      this.reject(query, unsafeValue(error.parameter));
    } else if (error instanceof TemplateError) {
      this.#rejectScript(query, notRendered(query.path, error));
    } else if (error instanceof ServiceError) {
      // The author looks for the request in the log, although the same failure was logged before.
      const { code, detail, message, status } = error;
      this.#parts.spans?.failed(query, status);
      if (UNMET.has(code)) this.#parts.log.error({ ...query.ids, script: query.path }, message);
      if (this.#parts.settings.development && MISSING.has(code))
        void this.#rejectMissing(query, error);
      else if (detail === undefined && code !== 'statement_not_allowed') this.reject(query, error);
      else this.#rejectScript(query, error);
    } else {
      this.#parts.spans?.failed(query, 500);
      this.#parts.log.error({ ...query.ids, script: query.path, err: error }, 'a request failed');
      this.reject(query, new ServiceError('internal'));
    }
  }

  /** Rejects a request whose script cannot be used, with a line in the log; `debug` adds it to the response. */
  #rejectScript(query: Query, error: ServiceError): void {
    const { path } = query;
    const failure = scriptFailure(path, error);
    const { position, parameter, safeMessage, message, hint } = failure;
    const { debug, development } = this.#parts.settings;
    const source = development ? linesAround(error) : undefined;
    const place = { ...query.ids, script: path, position, parameter };
    if (development) this.#parts.log.warn({ ...place, hint, source }, message);
    else this.#parts.log.warn(place, safeMessage);
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
    const { scripts, scriptsTable } = this.#parts.settings;
    const { request } = query;
    const { method } = request;
    const hint =
      scriptsTable === undefined && request.kind !== 'listing'
        ? await missingScriptHint(scripts, request.folder, request.name, method)
        : undefined;
    this.#parts.log.warn({ ...query.ids, script: query.path, hint }, error.message);
    const lines = linesOf(error, method);
    this.#sendError(query, { ...responseOf(error), members: { hint } }, lines);
  }

  reject(query: Query, error: ServiceError): void {
    const lines = linesOf(error, query.request.method) + deprecationLine(query.head);
    this.#sendError(query, responseOf(error), lines);
  }

  #sendError(query: Query, response: ErrorResponse, lines: string, final = 0): void {
    const { status, message, code, members } = response;
    const { xml, request } = query;
    counts[CODES[code] ?? ERROR_RESPONSES.sqlstate]! += 1;
    if (this.#parts.settings.development && !xml && prefersText(request.headers))
      this.#sender.respond(query, status, TEXT_BODY + final, readableError(response), lines, code);
    else {
      const type = xml ? XML_BODY : JSON_BODY;
      const body = errorBody(message, code, xml, members);
      this.#sender.respond(query, status, type + final, body, lines, code);
    }
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

/** Explains a failure; `place` is where in the script it is. */
function explain(
  query: Query,
  failure: SqlFailure,
  proofs: ProofCache,
): Explanation & { readonly place: Position | undefined } {
  const { rendered, head, parts, path, request } = query;
  const sent = (): IsSent => {
    const parameters = parseQueryString(query.request.query);
    return (name) => parameters.has(name) || (query.body?.get(name) ?? null) !== null;
  };
  const offset = offsetOf(query, failure);
  const at = offset === undefined ? undefined : rendered?.locate(offset);
  const key = { alias: request.alias, script: path, verb: verbOf(request.method)! };
  const proof = rendered && proofs.recordOf(key, { text: rendered.template });
  const fault = isFound(proof, failure.state, at)
    ? undefined
    : rendered && statementFault(failure.state, rendered, sent, head.parameters);
  const place = fault?.place ?? at;
  const uses = parts?.[failure.part ?? -1]?.uses;
  const invalid =
    rendered === undefined || fault !== undefined
      ? undefined
      : invalidValue(failure, { rendered, uses, offset });
  const parameter = fault?.parameter ?? invalid;
  const sentValue = (name: string): BodyValue | undefined =>
    query.body?.get(name) ?? parseQueryString(query.request.query).get(name);
  return {
    place,
    position: place && `${path}:${place.line}:${place.column}`,
    parameter,
    index: invalid === undefined ? undefined : elementOf(failure.message, sentValue(invalid)),
    statement: parts && statementOf(parts, failure),
    hint: rendered && readHint(query.statement, failure.state),
    fault: fault?.error,
  };
}

/** Whether bytes that are no text come from a row: values are UTF-8, unless a function decodes one. */
function isOfRow({ state, parameter, inside }: SqlFailure, text: string): boolean {
  return state === '22021' && parameter === undefined && !inside && !/convert/i.test(text);
}

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
