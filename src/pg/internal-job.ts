/**
 * A statement of our own (a probe, a DEALLOCATE, a conversion), which no script wrote. It runs as the connection's user,
 * unless somebody's identity is given: what reads no more than catalogs and runs nobody's functions needs none.
 */
import type { ServiceError } from '../errors.js';
import type { Identity } from './identity.js';
import type { Job, StatementResult } from './job.js';
import { ScriptCost } from './script-cost.js';
import type { SqlFailure } from './sql-failure.js';

/** How an internal statement ended: its result, or what went wrong. */
export type InternalOutcome =
  | { readonly result: StatementResult; readonly failure?: undefined }
  | { readonly failure: SqlFailure | ServiceError; readonly result?: undefined };

/** What may be said of one besides its statement. */
export interface InternalOptions {
  readonly identity?: Identity | undefined;
  /** As Job.parsed. */
  readonly parsed?: string;
  /** Whether it may wait for a lock, so that nothing is to stand behind it. */
  readonly alone?: boolean;
}

export class InternalJob implements Job {
  readonly statement;
  readonly values;
  readonly identity: Identity | undefined;
  readonly parsed: string | undefined;
  readonly form = 'rows';
  readonly repeatable = false;
  readonly cost: ScriptCost | undefined;
  /** Nobody waits for one whose end nobody is told, so it keeps no other from being cancelled. */
  abandoned: boolean;
  attempts = 0;
  since = 0;
  readonly #ended: ((outcome: InternalOutcome) => void) | undefined;

  /** `ended` is called once, with whatever came of it. */
  constructor(
    sql: string,
    values: (string | null)[],
    ended?: (outcome: InternalOutcome) => void,
    { identity, parsed, alone = false }: InternalOptions = {},
  ) {
    this.identity = identity;
    this.parsed = parsed;
    this.cost = alone ? new ScriptCost() : undefined; // what nobody knows yet gets a connection to itself
    this.statement = { sql, recurs: false };
    this.values = values;
    this.#ended = ended;
    this.abandoned = ended === undefined;
  }

  done(result: StatementResult): void {
    this.#ended?.({ result });
  }

  failed(failure: SqlFailure | ServiceError): void {
    this.#ended?.({ failure });
  }
}
