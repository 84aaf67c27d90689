/**
 * The databases as tools see them: read, and nothing else. Each statement is one of its own (the extended protocol takes
 * no more), in a transaction that is READ ONLY, on connections whose transactions are so unless they say otherwise, and
 * is rolled back when it is done. Where a worker has a single connection it is shared with the scripts.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import type { Database } from '../pg/database.js';
import type { Identity } from '../pg/identity.js';
import type { InternalOutcome } from '../pg/internal-job.js';
import type { Job, ResultForm, Statement, StatementResult } from '../pg/job.js';
import type { ScriptCost } from '../pg/script-cost.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import type { Call } from './call.js';

/** What is to be read. */
export interface Reading {
  /** The same object for the same text, so that what comes often is prepared. */
  readonly statement: Statement;
  readonly values: readonly (string | null)[];
  readonly form: ResultForm;
  /** What it cost before; the same object for what costs the same. */
  readonly cost: ScriptCost;
}

/** How a reading ended: its result, or what went wrong. */
export type ReadOutcome = InternalOutcome;

/** How often statements are looked at that run longer than they may, ms. */
const LOOK = 250;

/** ReadOnly runs statements that read. */
export class ReadOnly {
  /** The database for a statement, of an alias that there is: it may be another one for the next. */
  readonly #databaseOf: (alias: string) => Database;
  readonly #limit: number;
  readonly #unsent = new Set<Database>();
  readonly #running = new Set<ReadJob>();
  #looking: NodeJS.Timeout | undefined;

  /**
   * `limit` is how long a statement may run, ms. Where a connection is shared with scripts, or a pooler has dropped its
   * parameters, PostgreSQL does not know: then the caller is told within a second of that, and it is cancelled if that hits
   * no other.
   */
  constructor(databaseOf: (alias: string) => Database, limit = Infinity) {
    this.#databaseOf = databaseOf;
    this.#limit = limit;
  }

  /** read runs a statement for a caller, as whom he is; resolves to whatever came of it. */
  read(alias: string, reading: Reading, call: Call): Promise<ReadOutcome> {
    if (call.abandoned) return Promise.resolve({ failure: new ServiceError('timeout') });
    return new Promise((resolve) => {
      const job: ReadJob = new ReadJob(reading, call.identity, (outcome) => {
        this.#running.delete(job);
        resolve(outcome);
      });
      call.runs(job);
      this.#running.add(job);
      this.#looking ??= setInterval(() => this.#look(performance.now()), LOOK).unref();
      const database = this.#databaseOf(alias);
      database.run(job, performance.now());
      this.#send(database);
    });
  }

  /** Gives up what runs for too long. */
  #look(now: number): void {
    for (const job of this.#running)
      if (job.runsSince(now) > this.#limit + SLACK) job.failed(new ServiceError('timeout'));
    if (this.#running.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  /** Sends, at the end of this turn, what was written in it. */
  #send(database: Database): void {
    if (this.#unsent.size === 0) queueMicrotask(() => this.#flush());
    this.#unsent.add(database);
  }

  #flush(): void {
    for (const database of this.#unsent) database.flush();
    this.#unsent.clear();
  }
}

/** How much longer one may run than PostgreSQL would let it, ms. */
const SLACK = 500;

class ReadJob implements Job {
  readonly statement: Statement;
  readonly values: readonly (string | null)[];
  readonly form: ResultForm;
  readonly identity: Identity | undefined;
  readonly cost: ScriptCost;
  readonly readOnly = true;
  readonly repeatable = true;
  attempts = 0;
  since = 0;
  abandoned = false;
  readonly #ended: (outcome: ReadOutcome) => void;
  #began = 0;
  #over = false;

  constructor(
    { statement, values, form, cost }: Reading,
    identity: Identity | undefined,
    ended: (outcome: ReadOutcome) => void,
  ) {
    this.statement = statement;
    this.values = values;
    this.form = form;
    this.cost = cost;
    this.identity = identity;
    this.#ended = ended;
  }

  /** runsSince is how long it has been on its way in the database, ms, as far as it was asked before. */
  runsSince(now: number): number {
    if (this.attempts === 0) return 0;
    if (this.#began === 0) this.#began = now;
    return now - this.#began;
  }

  done(result: StatementResult): void {
    this.#end({ result });
  }

  failed(failure: SqlFailure | ServiceError): void {
    this.abandoned = true;
    this.#end({ failure });
  }

  /** What comes after it was given up is nobody's. */
  #end(outcome: ReadOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#ended(outcome);
  }
}
