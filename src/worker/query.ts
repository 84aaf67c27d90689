/** One request in a worker, from its batch to its response: the job that a database runs for it, and what its response needs. */
import type { RequestBody } from '../script/body/request-body.js';
import { wantsXml, type ServiceError } from '../base/errors.js';
import { NO_HEAD } from '../script/head/head.js';
import { SCRIPT } from '../observe/metrics/catalogue.js';
import { identityOf, type Identity } from '../postgres/statement/identity.js';
import { releaseOnceIdle } from '../native/memory.js';
import type { BoundValue } from '../native/pipeline.js';
import type {
  EarlierStatement,
  Job,
  ResultForm,
  Run,
  StatementResult,
} from '../postgres/statement/job.js';
import type { ScriptCost } from '../postgres/statement/script-cost.js';
import type { SqlFailure } from '../postgres/statement/sql-failure.js';
import type { WalPosition } from '../postgres/statement/wal-position.js';
import type { ListingRequest, ScriptRequest } from '../messages/batch.js';
import type {
  ScriptStatement,
  StatementPart,
  StatementParts,
} from '../script/statement/statement.js';
import type { Rendered } from '../template/template.js';
import { requestIds, type RequestIds, type TraceIds } from '../observe/trace/trace-context.js';
import { rowCount } from './responses/head-response.js';
import { releaseBody } from './large-body.js';
import type { Responder } from './responses/responder.js';

/** What receives the outcome of a query, and how it ran where that took long or failed. */
export type Outcomes = Pick<Responder, 'succeeded' | 'failed' | 'slowAfter' | 'ran'>;

export class Query implements Job {
  readonly request: ScriptRequest | ListingRequest;
  readonly xml: boolean;
  identity: Identity | undefined;
  /** That of its script. */
  head = NO_HEAD;
  /** Undefined for a listing, which has no script. */
  rendered: Rendered | undefined;
  /** Undefined when it has none, or its script uses none. */
  body: RequestBody | undefined;
  statement!: ScriptStatement;
  values: readonly BoundValue[] = [];
  bulky = false;
  /** Of a script with several statements, those before the last. */
  before: readonly EarlierStatement[] | undefined;
  /** Of a script with several statements, all that are sent. */
  parts: readonly StatementPart[] | undefined;
  form: ResultForm = 'rows';
  after: WalPosition | undefined;
  committedAt: WalPosition | undefined;
  cannotWrite = false;
  cost: ScriptCost | undefined;
  attempts = 0;
  since = 0;
  abandoned = false;
  /** Its ids, when its spans are kept. */
  trace: TraceIds | undefined;
  /** How its statement ran last, when it took long or failed. */
  run: Run | undefined;
  readonly #responder: Outcomes;

  /** `claimSettings`: whether its statement finds the caller's claims in a setting. The responder receives the outcome. */
  constructor(responder: Outcomes, request: Query['request'], claimSettings: boolean) {
    this.#responder = responder;
    this.request = request;
    this.identity = identityOf(request.role, claimSettings ? request.claims : undefined);
    this.xml = wantsXml(request.query);
  }

  get id(): number {
    return this.request.id;
  }

  /** bind gives each of several statements its values. False when these are not the values that they use. */
  bind({ list, values: count }: StatementParts): boolean {
    const { values } = this;
    if (count !== values.length) return false;
    const bound = list.map(({ statement, uses }) => ({
      statement,
      values: uses.map((index) => values[index]!),
    }));
    const last = bound.pop()!;
    this.statement = list.at(-1)!.statement;
    this.values = last.values;
    this.before = bound;
    this.parts = list;
    return true;
  }

  /** Whether it is for a listing, and not for a script. */
  get lists(): boolean {
    return this.request.kind === 'listing';
  }

  /** Whether PostgreSQL makes the JSON of its response. */
  get reads(): boolean {
    return this.request.method === 'GET' || this.request.method === 'HEAD';
  }

  /** `<folder>/<script>`, as callers and logs know it; `/<listing>` for a listing. */
  get path(): string {
    const { request } = this;
    return `${request.kind === 'listing' ? '' : request.folder}/${request.name}`;
  }

  /** The form of a single value that goes into its response. */
  get valueForm(): ResultForm {
    return this.xml ? 'value' : 'body';
  }

  /** What lines of the log about it have. */
  get ids(): RequestIds {
    return requestIds(this.request, this.trace);
  }

  /** submittedAt gives the time at which it goes to its database, ms; `now` is the time of its batch. */
  submittedAt(now: number): number {
    return now;
  }

  /** withTimes adds its known times to the header lines of its response. */
  withTimes(lines: string): string {
    return lines;
  }

  get slowAfter(): number {
    return this.#responder.slowAfter;
  }

  /** When it was taken from its batch, ms; undefined when its times are not taken. */
  get taken(): number | undefined {
    return undefined;
  }

  /** When it went to its database, ms; undefined when it did not, or its times are not taken. */
  get submitted(): number | undefined {
    return undefined;
  }

  /** For a read: the number of rows in PostgreSQL's JSON. */
  rowsOf({ affected, rows }: StatementResult): number {
    if (!this.reads) return affected;
    const count = this.form === 'rows' ? rowCount(rows?.[0]) : affected;
    // A single value may be an array.
    return this.head.shape === 'list' ? count : Math.min(count, 1);
  }

  ran(run: Run): void {
    this.run = run;
    this.#responder.ran(this, run);
  }

  done(result: StatementResult): void {
    if (this.cost !== undefined) this.cost.counts[SCRIPT.rows]! += this.rowsOf(result);
    this.#responder.succeeded(this, result);
    if (this.bulky) releaseBody(this.request);
  }

  failed(failure: SqlFailure | ServiceError): void {
    if (this.cost !== undefined) this.cost.counts[SCRIPT.errors]! += 1;
    this.#responder.failed(this, failure);
    if (this.bulky) releaseOnceIdle(); // the bytes may still be needed for what is said about the failure
  }
}
