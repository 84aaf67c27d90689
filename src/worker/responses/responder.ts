/**
 * Makes the responses of a worker from the results of statements; failures.ts makes those to requests that failed, and
 * response-sender.ts sends them.
 */
import type { ServiceError } from '../../base/errors.js';
import { NO_HEAD, type Head } from '../../script/head/head.js';
import { JSON_BODY } from '../../messages/batch.js';
import type { LargeValue } from '../../native/pipeline.js';
import { identityOf } from '../../postgres/statement/identity.js';
import type { Run, StatementResult } from '../../postgres/statement/job.js';
import { resultTooLarge } from '../../postgres/connection/result-budget.js';
import type { SqlFailure } from '../../postgres/statement/sql-failure.js';
import { jsonToXml } from '../../script/xml.js';
import { errorText } from '../../base/text.js';
import { Failures } from './failures.js';
import { changeResponse, checkJson, columnTexts, headerLines } from './head-response.js';
import type { Query } from '../query.js';
import type { ResponseBatcher } from './response-batcher.js';
import { ResponseSender } from './response-sender.js';
import { serverTypes, type JsonOf } from './row-json.js';
import type { WorkerParts } from '../worker-parts.js';

const NO_JSON: JsonOf = () => undefined;

export class Responder {
  readonly sender: ResponseSender;
  readonly failures: Failures;
  /** Time since it was queued, ms, from which `ran` is to be called. */
  readonly slowAfter: number;
  readonly #parts: WorkerParts;

  constructor(parts: WorkerParts, batcher: ResponseBatcher) {
    const { settings, slow, spans } = parts;
    this.#parts = parts;
    this.sender = new ResponseSender(settings, batcher, spans);
    this.failures = new Failures(parts, this.sender);
    this.slowAfter = Math.min(slow.after, spans?.slow ?? Infinity);
  }

  /** ran logs a statement that was slow; its outcome follows. */
  ran(query: Query, run: Run): void {
    const { settings, slow, spans } = this.#parts;
    spans?.ran(query, run);
    if (!slow.isSlow(run)) return;
    const { request, ids, path, rendered, statement, parts, since, attempts } = query;
    const { alias, role, claims } = request;
    const identity = identityOf(role, settings.claimSettings ? claims : undefined);
    const sql = parts === undefined ? statement.sql : undefined;
    const ran = { ids, script: path, alias, rendered, sql, identity, since, attempts };
    slow.log(ran, run);
  }

  succeeded(query: Query, result: StatementResult): void {
    try {
      this.#succeed(query, result);
    } catch (error) {
      // The result is not what the head declares, or JavaScript has no string of that length.
      this.failures.threw(query, error);
    }
  }

  failed(query: Query, failure: SqlFailure | ServiceError): void {
    this.failures.failed(query, failure);
  }

  #succeed(query: Query, result: StatementResult): void {
    if (query.head !== NO_HEAD) this.#succeedWithHead(query, query.head, result);
    else if (result.place !== undefined) {
      this.sender.finish(query, result.place, 200);
    } else if (query.form !== 'rows') {
      this.#sendValue(query, result.value ?? '[]');
    } else if (result.columns === undefined) {
      this.#sendJson(query, `{"rows_affected":${result.affected}}`);
    } else {
      this.#sendChange(query, result);
    }
  }

  #sendChange(query: Query, result: StatementResult): void {
    if (serverTypes(result.columns ?? []).length === 0) this.#sendRows(query, result, NO_JSON);
    else
      this.#sendServerRows(query, result).catch((error: unknown) =>
        this.failures.threw(query, error),
      );
  }

  #succeedWithHead(query: Query, head: Head, result: StatementResult): void {
    if (result.place !== undefined) {
      // A response with header lines has no place.
      this.sender.finish(query, result.place, head.status);
    } else if (query.reads) {
      const row = query.form === 'rows' ? result.rows?.[0] : undefined;
      // PostgreSQL keeps back the row when the JSON in it is too large.
      if (query.form === 'rows' && row === undefined)
        throw resultTooLarge(this.#parts.settings.maxResult);
      const json = row === undefined ? result.value : (row[0] ?? null);
      checkJson(head, json);
      const lines = headerLines(head, row && columnTexts(head, row));
      this.#sendValue(query, json ?? '[]', lines);
    } else {
      this.#sendChange(query, result);
    }
  }

  #sendValue(query: Query, value: string | LargeValue, lines = ''): void {
    if (typeof value === 'string') this.#sendJson(query, value, lines);
    else if (query.xml) this.#sendJson(query, value.text(), lines);
    else this.sender.respond(query, query.head.status, JSON_BODY, value, lines);
  }

  #sendJson(query: Query, json: string, lines = ''): void {
    try {
      this.sender.send(query, query.head.status, query.xml ? jsonToXml(json) : json, lines);
    } catch (error) {
      this.failures.threw(query, error);
    }
  }

  #sendRows(query: Query, result: StatementResult, jsonOf: JsonOf): void {
    const { json, lines } = changeResponse(query.head, result, jsonOf);
    this.#sendJson(query, json, lines);
  }

  /** Sends rows with values that only the database can write as JSON. */
  async #sendServerRows(query: Query, result: StatementResult): Promise<void> {
    const { alias } = query.request;
    let jsonOf = NO_JSON;
    try {
      const { serverJson } = this.#parts.databases.get(alias)!;
      jsonOf = await serverJson.of(result.columns!, result.rows!, query.identity);
    } catch (error) {
      // The statement has done its work, so its rows are sent, if only as text.
      const reason = errorText(error);
      const fields = { ...query.ids, script: query.path, reason };
      this.#parts.log.warn(fields, 'returned values are given as text');
    }
    this.#sendRows(query, result, jsonOf);
  }
}
