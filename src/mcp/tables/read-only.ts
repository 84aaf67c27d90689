/**
 * Read-only access to the databases, for tools. Each job is a single statement (the extended protocol allows no more)
 * in a READ ONLY transaction that is rolled back, on connections with default_transaction_read_only. If a worker has
 * only one connection, it is shared with scripts.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../base/errors.js';
import {
  asOwn,
  withoutJit,
  withTimeout,
  withTraceId,
  type Identity,
} from '../../postgres/statement/identity.js';
import type { InternalOutcome } from '../../postgres/statement/internal-job.js';
import type {
  Job,
  ResultForm,
  Run,
  Statement,
  StatementResult,
} from '../../postgres/statement/job.js';
import type { ScriptCost } from '../../postgres/statement/script-cost.js';
import type { SqlFailure } from '../../postgres/statement/sql-failure.js';
import type { WalPosition } from '../../postgres/statement/wal-position.js';
import type { Rendered } from '../../template/template.js';
import type { RequestIds } from '../../observe/trace/trace-context.js';
import type { McpCall } from '../arguments/call.js';

export interface Reading {
  /** The same object for the same text, so that a repeated statement is prepared. */
  readonly statement: Statement;
  readonly values: readonly (string | null)[];
  readonly form: ResultForm;
  /** The measured cost; the same object for statements of the same cost. */
  readonly cost: ScriptCost;
  /** Whether replicas are left out. */
  readonly onPrimary?: boolean;
  /** A time limit of its own, ms; the limit of all statements also applies. */
  readonly timeout?: number | undefined;
  /** Undefined for what the service reads for itself, in the catalogs. */
  readonly named?: ReadingName;
}

/** What a statement is called in the log, and the text that its script has rendered. */
export interface ReadingName {
  /** `<folder>/<script>`, or the tool and its table. */
  readonly script: string;
  readonly rendered: Rendered | undefined;
}

/** A statement that took long, as the log has it. */
export interface SlowReading extends ReadingName {
  readonly ids: RequestIds;
  readonly alias: string;
  readonly sql: string;
  readonly identity: Identity | undefined;
  /** When it was queued, ms. */
  readonly since: number;
  readonly attempts: number;
}

/** Receives statements that were slow. */
export interface SlowReadings {
  isSlow(run: Run): boolean;
  log(reading: SlowReading, run: Run): void;
}

/** The result of a statement, or its failure. */
export type ReadOutcome = InternalOutcome;

/** Runs the statements of a database, which leave with the next `flush`. */
export interface Runner {
  /** Reads the position that a request brings, where jobs may run on replicas. Throws ServiceError. */
  readonly requested?: (headers: string) => WalPosition | undefined;
  run(job: Job, now: number): void;
  flush(): void;
}

/** The runner of a known alias, for the primary only or for replicas too; it may change from one statement to the next. */
export type RunnerOf = (alias: string, onPrimary: boolean) => Runner;

/** Interval of the check for overdue statements, ms. */
const CHECK_INTERVAL = 250;

export class ReadOnly {
  readonly #runnerOf: RunnerOf;
  readonly #limit: number;
  readonly #slow: SlowReadings | undefined;
  readonly #slowAfter: number;
  readonly #namesTraces: boolean;
  readonly #unsent = new Set<Runner>();
  readonly #running = new Set<ReadJob>();
  #checking: NodeJS.Timeout | undefined;

  /**
   * `limit` is the time limit of a statement, ms. PostgreSQL does not enforce it on a connection shared with scripts,
   * or behind a pooler that drops parameters: then the call fails within a second of the limit, and the statement is
   * cancelled if that affects no other. `slow` logs slow statements; of others those are remembered that take `slowAfter`
   * ms. `namesTraces`: whether PostgreSQL sees the ids of traces.
   */
  constructor(
    runnerOf: RunnerOf,
    limit = Infinity,
    slow?: SlowReadings,
    slowAfter = Infinity,
    namesTraces = false,
  ) {
    this.#runnerOf = runnerOf;
    this.#limit = limit;
    this.#slow = slow;
    this.#slowAfter = slowAfter;
    this.#namesTraces = namesTraces;
  }

  /** read runs a statement under the caller's identity and resolves to its outcome. */
  read(alias: string, reading: Reading, call: McpCall): Promise<ReadOutcome> {
    if (call.abandoned) return Promise.resolve({ failure: new ServiceError('timeout') });
    const runner = this.#runnerOf(alias, reading.onPrimary === true);
    let after: WalPosition | undefined;
    try {
      after = runner.requested?.(call.request.headers);
    } catch (error) {
      return Promise.resolve({ failure: error as ServiceError });
    }
    return new Promise((resolve) => {
      const job: ReadJob = new ReadJob(reading, this.#identity(reading, call), after, (outcome) => {
        this.#running.delete(job);
        resolve(outcome);
      });
      const { named } = reading;
      if (named !== undefined && this.#slow !== undefined) {
        job.slowAfter = call.trace === undefined ? this.#slowAfter : 0;
        job.ran = (run) => this.#report(job, { ...named, alias }, call, run);
      }
      call.setJob(job);
      this.#running.add(job);
      this.#checking ??= setInterval(() => this.#check(performance.now()), CHECK_INTERVAL).unref();
      runner.run(job, performance.now());
      this.#send(runner);
    });
  }

  #identity(
    { timeout, named }: Reading,
    { identity: callers, trace }: McpCall,
  ): Identity | undefined {
    let identity = callers;
    if (named === undefined) identity = asOwn(identity);
    else if (named.rendered === undefined) identity = withoutJit(identity);
    if (timeout !== undefined) identity = withTimeout(identity, Math.min(timeout, this.#limit));
    return trace !== undefined && this.#namesTraces
      ? withTraceId(identity, trace.traceId)
      : identity;
  }

  #report(
    { statement, since, attempts }: Job,
    named: ReadingName & Pick<SlowReading, 'alias'>,
    call: McpCall,
    run: Run,
  ): void {
    call.ran({ name: named.script, run, since, attempts });
    if (this.#slow?.isSlow(run) !== true) return;
    const { ids, identity } = call;
    const { sql } = statement;
    this.#slow.log({ ...named, ids, sql, identity, since, attempts }, run);
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
  #send(runner: Runner): void {
    if (this.#unsent.size === 0) queueMicrotask(() => this.#flush());
    this.#unsent.add(runner);
  }

  #flush(): void {
    for (const runner of this.#unsent) runner.flush();
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
  readonly after: WalPosition | undefined;
  slowAfter?: number;
  ran?: (run: Run) => void;
  readonly #ended: (outcome: ReadOutcome) => void;
  #began = 0;
  #over = false;

  constructor(
    { statement, values, form, cost }: Reading,
    identity: Identity | undefined,
    after: WalPosition | undefined,
    ended: (outcome: ReadOutcome) => void,
  ) {
    this.statement = statement;
    this.values = values;
    this.form = form;
    this.cost = cost;
    this.identity = identity;
    this.after = after;
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
