/** One request in a worker, from its batch to its response: the job that a database runs for it, and what its response needs. */
import type { RequestBody } from '../body/request-body.js';
import { wantsXml, type ServiceError } from '../errors.js';
import { NO_HEAD } from '../head/head.js';
import { identityOf, type Identity } from '../pg/identity.js';
import type { EarlierStatement, Job, ResultForm, StatementResult } from '../pg/job.js';
import type { ScriptCost } from '../pg/script-cost.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import type { QueryRequest } from '../batch.js';
import type { ScriptStatement, StatementPart, StatementParts } from '../script/statement.js';
import type { Rendered } from '../template/template.js';
import type { Responder } from './responder.js';

type Outcomes = Pick<Responder, 'succeeded' | 'failed'>;

export class Query implements Job {
  readonly request: QueryRequest;
  /** Whether the response is XML. */
  readonly xml: boolean;
  identity: Identity | undefined;
  /** That of its script. */
  head = NO_HEAD;
  /** Undefined for a listing, which has no script. */
  rendered: Rendered | undefined;
  /** Undefined when it has none, or its script uses none. */
  body: RequestBody | undefined;
  statement!: ScriptStatement;
  values: readonly (string | null)[] = [];
  /** Of a script with several statements, those before the last. */
  before: readonly EarlierStatement[] | undefined;
  /** Of a script with several statements, all that are sent. */
  parts: readonly StatementPart[] | undefined;
  form: ResultForm = 'rows';
  cannotWrite = false;
  cost: ScriptCost | undefined;
  attempts = 0;
  since = 0;
  abandoned = false;
  readonly #responder: Outcomes;

  /** `claimSettings`: whether its statement finds the caller's claims in a setting. The responder receives the outcome. */
  constructor(responder: Outcomes, request: QueryRequest, claimSettings: boolean) {
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
    return this.request.folder === '';
  }

  /** Whether PostgreSQL makes the JSON of its response. */
  get reads(): boolean {
    return this.request.method === 'GET' || this.request.method === 'HEAD';
  }

  /** `<folder>/<script>`, as callers and logs know it; `/<listing>` for a listing. */
  get path(): string {
    return `${this.request.folder}/${this.request.name}`;
  }

  /** The form of a single value that goes into its response. */
  get valueForm(): ResultForm {
    return this.xml ? 'value' : 'body';
  }

  done(result: StatementResult): void {
    this.#responder.succeeded(this, result);
  }

  failed(failure: SqlFailure | ServiceError): void {
    this.#responder.failed(this, failure);
  }
}
