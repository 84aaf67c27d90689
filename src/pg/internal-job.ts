/** A statement of our own (a probe, a cancellation, a DEALLOCATE), which no request waits for and no script wrote. */
import type { ServiceError } from '../errors.js';
import type { Job, StatementResult } from './job.js';
import type { SqlFailure } from './sql-failure.js';

/** How an internal statement ended: its result, or what went wrong. */
export type InternalOutcome =
  | { readonly result: StatementResult; readonly failure?: undefined }
  | { readonly failure: SqlFailure | ServiceError; readonly result?: undefined };

export class InternalJob implements Job {
  readonly statement;
  readonly values;
  readonly form = 'rows';
  readonly repeatable = false;
  readonly cost = undefined;
  /** Nobody waits for one whose end nobody is told, so it keeps no other from being cancelled. */
  readonly abandoned: boolean;
  attempts = 0;
  since = 0;
  readonly #ended: ((outcome: InternalOutcome) => void) | undefined;

  /** `ended` is called once, with whatever came of it. */
  constructor(sql: string, values: (string | null)[], ended?: (outcome: InternalOutcome) => void) {
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
