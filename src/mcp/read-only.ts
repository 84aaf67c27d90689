/**
 * Read-only access to the databases, for tools. Each job is a single statement (the extended protocol allows no more)
 * in a READ ONLY transaction that is rolled back, on connections with default_transaction_read_only. If a worker has
 * only one connection, it is shared with scripts.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../errors.js';
import type { Database } from '../pg/database.js';
import { withTimeout, type Identity } from '../pg/identity.js';
import type { InternalOutcome } from '../pg/internal-job.js';
import type { Job, ResultForm, Statement, StatementResult } from '../pg/job.js';
import type { ScriptCost } from '../pg/script-cost.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import type { McpCall } from './call.js';

/** A statement that reads. */
export interface Reading {
  /** The same object for the same text, so that a repeated statement is prepared. */
  readonly statement: Statement;
  readonly values: readonly (string | null)[];
  readonly form: ResultForm;
  /** The measured cost; the same object for statements of the same cost. */
  readonly cost: ScriptCost;
  /** A time limit of its own, ms; that of all statements also applies. */
  readonly timeout?: number | undefined;
}

/** The result of a statement, or its failure. */
export type ReadOutcome = InternalOutcome;

/** Interval of the check for overdue statements, ms. */
const CHECK_INTERVAL = 250;

export class ReadOnly {
  /** The database of a known alias; it may change from one statement to the next. */
  readonly #databaseOf: (alias: string) => Database;
  readonly #limit: number;
  readonly #unsent = new Set<Database>();
  readonly #running = new Set<ReadJob>();
  #checking: NodeJS.Timeout | undefined;

  /**
   * `limit` is the time limit of a statement, ms. PostgreSQL does not enforce it on a connection shared with scripts,
   * or behind a pooler that drops parameters: then the call fails within a second of the limit, and the statement is
   * cancelled if that affects no other.
   */
  constructor(databaseOf: (alias: string) => Database, limit = Infinity) {
    this.#databaseOf = databaseOf;
    this.#limit = limit;
  }

  /** read runs a statement under the caller's identity and resolves to its outcome. */
  read(alias: string, reading: Reading, call: McpCall): Promise<ReadOutcome> {
    if (call.abandoned) return Promise.resolve({ failure: new ServiceError('timeout') });
    return new Promise((resolve) => {
      const job: ReadJob = new ReadJob(reading, this.#identity(reading, call), (outcome) => {
        this.#running.delete(job);
        resolve(outcome);
      });
      call.setJob(job);
      this.#running.add(job);
      this.#checking ??= setInterval(() => this.#check(performance.now()), CHECK_INTERVAL).unref();
      const database = this.#databaseOf(alias);
      database.run(job, performance.now());
      this.#send(database);
    });
  }

  #identity({ timeout }: Reading, { identity }: McpCall): Identity | undefined {
    return timeout === undefined ? identity : withTimeout(identity, Math.min(timeout, this.#limit));
  }

  /** Fails overdue jobs. */
  #check(now: number): void {
    for (const job of this.#running)
      if (job.runningTime(now) > this.#limit + SLACK) job.failed(new ServiceError('timeout'));
    if (this.#running.size > 0) return;
    clearInterval(this.#checking);
    this.#checking = undefined;
  }

  /** Flushes the statements of this turn of the event loop together, at its end. */
  #send(database: Database): void {
    if (this.#unsent.size === 0) queueMicrotask(() => this.#flush());
    this.#unsent.add(database);
  }

  #flush(): void {
    for (const database of this.#unsent) database.flush();
    this.#unsent.clear();
  }
}

/** Time beyond the limit in which PostgreSQL's own timeout should have stopped the statement, ms. */
const SLACK = 500;

class ReadJob implements Job {
  readonly statement: Statement;
  readonly values: readonly (string | null)[];
  readonly form: ResultForm;
  readonly identity: Identity | undefined;
  readonly cost: ScriptCost;
  readonly rolledBack = 'READ ONLY';
  readonly cannotWrite = true;
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

  /** Running time, ms: since the first check that found it sent to the database. */
  runningTime(now: number): number {
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

  /** Only the first outcome counts: a result may still arrive after the time limit. */
  #end(outcome: ReadOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#ended(outcome);
  }
}
