/**
 * A statement of the service itself: a probe, a DEALLOCATE, a conversion. It runs as the connection's user unless a role is
 * given: a statement that only reads catalogs, and calls no functions of users, needs none.
 */
import type { ServiceError } from '../../base/errors.js';
import type { Identity } from './identity.js';
import type { EarlierStatement, Job, ResultForm, Statement, StatementResult } from './job.js';
import { ScriptCost } from './script-cost.js';
import type { SqlFailure } from './sql-failure.js';

export type InternalOutcome =
  | { readonly result: StatementResult; readonly failure?: undefined }
  | { readonly failure: SqlFailure | ServiceError; readonly result?: undefined };

/** InternalOptions are as in Job, apart from `describes` and `alone`. */
export interface InternalOptions {
  readonly identity?: Identity | undefined;
  /** Whether names in it are looked up, and it is compiled, as in scripts: it has SQL of a script, or calls code of users. */
  readonly asScript?: boolean;
  /** What it asks for, in the log. With a time limit, it is not repeated at once when it was not answered in time. */
  readonly name?: string;
  /** Whether its text is a constant that is sent often, so that it is prepared. */
  readonly recurs?: boolean;
  readonly before?: readonly EarlierStatement[];
  /** Then it may be run again, as with `cannotWrite`. */
  readonly rolledBack?: 'READ ONLY' | 'READ WRITE';
  readonly cannotWrite?: boolean;
  /** Whether it is only parsed, for its description. */
  readonly describes?: boolean;
  /** Whether it runs on a dedicated connection, because it may wait for a lock. */
  readonly alone?: boolean;
}

/** Statements that are prepared: the same object for the same text. */
const recurrent = new Map<string, Statement>();

function recurring(sql: string): Statement {
  let statement = recurrent.get(sql);
  if (statement === undefined) recurrent.set(sql, (statement = { sql, recurs: true }));
  return statement;
}

export class InternalJob implements Job {
  readonly statement: Statement;
  readonly values;
  readonly identity: Identity | undefined;
  readonly form: ResultForm;
  readonly before: readonly EarlierStatement[] | undefined;
  readonly rolledBack: 'READ ONLY' | 'READ WRITE' | undefined;
  readonly cannotWrite: boolean;
  readonly cost: ScriptCost | undefined;
  /** True from the start for a fire-and-forget statement, so that it keeps no other from being cancelled. */
  abandoned: boolean;
  attempts = 0;
  since = 0;
  readonly #ended: ((outcome: InternalOutcome) => void) | undefined;

  /** `ended` is called once. */
  constructor(
    sql: string,
    values: (string | null)[],
    ended?: (outcome: InternalOutcome) => void,
    options: InternalOptions = {},
  ) {
    const { identity, before, rolledBack, cannotWrite = false } = options;
    const { describes = false, alone = false, recurs = false } = options;
    this.identity = identity;
    this.form = describes ? 'description' : 'rows';
    this.before = before;
    this.rolledBack = rolledBack;
    this.cannotWrite = cannotWrite || rolledBack !== undefined;
    this.cost = alone ? new ScriptCost() : undefined; // an unknown cost gets a dedicated connection
    this.statement = recurs ? recurring(sql) : { sql, recurs: false };
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

/** Rollback ends the aborted transaction of a read-only job. When it is cancelled itself, the transaction is still open. */
export class Rollback extends InternalJob {
  constructor() {
    super('ROLLBACK', []);
  }
}
