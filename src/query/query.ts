/**
 * One request in a worker, from its batch to its answer: the job that a database runs for it, and what is needed to
 * answer when it ends. Holds no behaviour of its own beyond handing the end on to its runner.
 */
import { wantsXml, type ServiceError } from '../errors.js';
import { identityOf, type Identity } from '../pg/identity.js';
import type { Job, ResultForm, StatementResult } from '../pg/job.js';
import type { ScriptCost } from '../pg/script-cost.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import type { QueryRequest } from '../protocol.js';
import type { Statement } from '../script/statement.js';
import type { Rendered } from '../template/template.js';

/** Who is told how a query ended. */
export interface QueryOwner {
  succeeded(query: Query, result: StatementResult): void;
  failed(query: Query, failure: SqlFailure | ServiceError): void;
}

export class Query implements Job {
  readonly request: QueryRequest;
  /** Whether the answer is to be XML. */
  readonly xml: boolean;
  readonly identity: Identity | undefined;
  /** Undefined for a listing, which no script made. */
  rendered: Rendered | undefined;
  statement!: Statement;
  values: readonly (string | null)[] = [];
  form: ResultForm = 'rows';
  repeatable = false;
  cost: ScriptCost | undefined;
  attempts = 0;
  since = 0;
  abandoned = false;
  readonly #owner: QueryOwner;

  /** `claimSettings` tells whether its statement finds the caller's claims in a setting. */
  constructor(owner: QueryOwner, request: QueryRequest, claimSettings: boolean) {
    this.#owner = owner;
    this.request = request;
    this.identity = identityOf(request.role, claimSettings ? request.claims : undefined);
    this.xml = wantsXml(request.query);
  }

  /** The front end's number. */
  get id(): number {
    return this.request.id;
  }

  /** Whether a listing is asked for, and no script. */
  get lists(): boolean {
    return this.request.folder === '';
  }

  /** `<folder>/<script>`, as callers and logs know it; `/<listing>` for a listing. */
  get path(): string {
    return `${this.request.folder}/${this.request.name}`;
  }

  done(result: StatementResult): void {
    this.#owner.succeeded(this, result);
  }

  failed(failure: SqlFailure | ServiceError): void {
    this.#owner.failed(this, failure);
  }
}
