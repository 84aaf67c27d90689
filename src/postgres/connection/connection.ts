/**
 * One libpq connection in pipeline mode. Every job is a segment of its own: its identity, its statements, each with a Parse
 * when its text is to be prepared, and a sync, so that a failure affects no other job and the identity ends with it. Results
 * come back in the order sent. A connection is closed rather than kept in a state that other jobs could notice: after an open
 * transaction or a session command.
 */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../base/errors.js';
import { DATABASE, SCRIPT } from '../../observe/metrics/catalogue.js';
import { observeCount, observeSeconds } from '../../observe/metrics/histogram.js';
import type { Detail, PipelineResult } from '../../native/pipeline.js';
import { connectionLost, failLost, lossOf, outcomeUnknown, type Loss } from './connection-loss.js';
import { InFlight, type Outcome } from './in-flight.js';
import { InternalJob, Rollback } from '../statement/internal-job.js';
import type { Job, RunServer } from '../statement/job.js';
import type { LaneCount } from '../lanes/lane-count.js';
import type { Libpq } from './libpq-addon.js';
import { PipelineSocket } from './pipeline-socket.js';
import { PreparedStatements } from '../statement/prepared-statements.js';
import { isDetail, readOutcome, statefulTag } from '../statement/result.js';
import {
  ResultMeter,
  resultTooLarge,
  TOO_MANY_RESULTS,
  tooManyResults,
  type ResultBudget,
} from './result-budget.js';
import {
  countUses,
  dropAborted,
  dropUnknown,
  failedStatement,
  hitAborted,
  lastUnnamed,
  parsesAny,
  reportedFailure,
  writeSegment,
  type Segment,
} from '../statement/segment.js';
import {
  connectionFailure,
  failureOf,
  mayBeStale,
  type SqlFailure,
} from '../statement/sql-failure.js';
import type { StatementCache } from '../statement/statement-cache.js';
import { StuckDetector } from './stuck-detector.js';

/** A text longer than this (UTF-16 units) that is not prepared is followed by a short one, which frees its memory. */
const LONG_TEXT = 16 << 10;

/**
 * How long after a failure of a read-only job the next ones get an explicit transaction, ms: that costs PostgreSQL one
 * more sync for each, while all jobs behind a failure are otherwise sent twice.
 */
const EXPLICIT_AFTER_FAILURE = 1_000;

export interface ConnectionOptions {
  readonly budget: ResultBudget;
  readonly lanes: LaneCount;
  /** Whether statements may be prepared by name. */
  readonly prepares: boolean;
  /** Jobs ended: there is room for others. */
  readonly answered: () => void;
  /** How many connections of the database are busy. */
  readonly busy: () => number;
  /** The database's row of DATABASES. */
  readonly counts: Float64Array;
  readonly server: RunServer;
  /** The connection is closed; `rerun` are the jobs to be run on another one. */
  readonly lost: (connection: Connection, rerun: readonly Job[]) => void;
}

export class Connection {
  /** Runs one slow or unknown statement, or abandoned ones: nothing else is to be sent. */
  exclusive = false;
  readonly inFlight: InFlight;
  readonly #socket: PipelineSocket;
  readonly #prepared: PreparedStatements;
  readonly #meter: ResultMeter;
  readonly #options: ConnectionOptions;
  /** The number of rows in the JSON of each outcome that was received last. */
  readonly #jsonRows: number[] = [];
  readonly #stuck: StuckDetector;
  /** Closed when nothing is in flight any more. */
  #retiring = false;
  /** Until then, ms, read-only jobs get an explicit transaction. */
  #explicitUntil = 0;

  /** Finishes `pq` when it is closed; throws when the connection cannot be used. */
  constructor(pq: Libpq, options: ConnectionOptions) {
    const { budget, prepares, busy } = options;
    this.#options = options;
    this.inFlight = new InFlight(busy);
    this.#socket = new PipelineSocket(pq, budget.maxResult, (readable, waiting) => {
      this.flush();
      if (readable && this.open) this.#receive(waiting);
    });
    this.#prepared = new PreparedStatements(this.#socket.pipeline, prepares);
    this.#meter = new ResultMeter(budget);
    this.#stuck = new StuckDetector(this.inFlight, this.#socket, this.#meter);
  }

  get open(): boolean {
    return this.#socket.open;
  }

  get prepared(): Pick<StatementCache, 'size' | 'length'> {
    return this.#prepared.statements;
  }

  /**
   * cancelAbandoned cancels the running statement if all jobs in flight are abandoned. The connection takes no more and is
   * closed after the last of them: when the request arrives is not known, and it must hit no other job.
   */
  cancelAbandoned(now: number): void {
    if (!this.inFlight.areAbandoned || !this.#stuck.cancel(now)) return;
    this.#options.counts[DATABASE.cancelled]! += 1;
    this.exclusive = true;
    this.#retiring = true;
  }

  /** retire takes no more jobs, and closes the connection after those in flight. */
  retire(): void {
    this.exclusive = true;
    this.#retiring = true;
    if (this.inFlight.size === 0) this.close();
  }

  /** closeStuck closes the connection if its head, with `limit` ms for a statement, does not answer. */
  closeStuck(now: number, limit: number): void {
    if (!this.#stuck.isStuck(now, limit)) return;
    // A pooler may have dropped the limit.
    if (this.#stuck.cancel(now)) this.#options.counts[DATABASE.cancelled]! += 1;
    this.close({ head: new ServiceError('timeout') });
  }

  /** send writes a job's segment. It leaves with the next `flush`, which the owner calls at the end of its turn. */
  send(job: Job, now: number): void {
    const { statement } = job;
    this.#socket.wrote();
    const inExplicit =
      job.rolledBack !== undefined &&
      (job.rolledBack === 'READ WRITE' || now < this.#explicitUntil);
    const segment = writeSegment(this.#socket.pipeline, this.#prepared, job, now, inExplicit);
    if (segment === undefined) {
      this.close();
      // Its sync did not leave, without which PostgreSQL commits nothing by itself.
      const unsent = connectionFailure('the statement could not be sent');
      job.failed(statement.commits === true ? outcomeUnknown() : unsent);
      return;
    }
    const { counts } = this.#options;
    if (job.attempts++ > 0) counts[DATABASE.retries]! += 1;
    else if (job.since > 0) {
      observeSeconds(counts, DATABASE.wait, (now - job.since) / 1_000);
      observeCount(counts, DATABASE.depth, this.inFlight.size + 1);
    }
    if (job.since > 0 && !(job instanceof InternalJob)) countUses(counts, segment);
    this.inFlight.push(segment);
    if (inExplicit) this.send(new Rollback(), now);
    if (job.followedBy !== undefined && this.open) this.send(job.followedBy(), now);
    if (job.bulky === true) this.retire();
    if (parsesAny(segment)) this.#evict(now);
    // PostgreSQL keeps the parsed text and its plan until it gets the next text without a name.
    const unnamed = lastUnnamed(segment);
    if (unnamed !== undefined && unnamed.sql.length > LONG_TEXT && this.open)
      this.send(new InternalJob('SELECT 1', []), now);
  }

  #evict(now: number): void {
    const { statements } = this.#prepared;
    for (let name = statements.evict(); name !== undefined; name = statements.evict())
      this.#deallocate(name, now);
  }

  #deallocate(name: string | undefined, now: number): void {
    if (name !== undefined && this.open) this.send(new InternalJob(`DEALLOCATE ${name}`, []), now);
  }

  flush(): void {
    if (!this.#socket.flush()) this.close();
  }

  #receive(waiting: number): void {
    if (!this.#meters(waiting)) return;
    const outcomes = this.#socket.pipeline.receive(this.#jsonRows);
    if (outcomes.length === 0) {
      // A part of a result: only now its bytes are counted, which takes a system call.
      this.#meters(this.#socket.arrived(this.#meter.received === 0));
      return;
    }
    const now = performance.now();
    for (let i = 0; i < outcomes.length; i++) {
      this.#settle(outcomes[i]!, this.#jsonRows[i]!, now);
      if (!this.open) return;
    }
    this.#options.answered();
  }

  /** Counts bytes of the result at the head. False when it is too large, which ends the connection. */
  #meters(bytes: number): boolean {
    if (!this.#meter.add(bytes)) {
      // Its sync is on its way: PostgreSQL may complete a write all the same.
      const head = this.inFlight.head?.job;
      const writes = head?.form === 'rows' && !head.cannotWrite;
      this.close({ head: writes ? outcomeUnknown(TOO_MANY_RESULTS) : tooManyResults() });
      return false;
    }
    if (!this.#meter.isTooLarge || this.inFlight.size === 0) return true;
    this.close({ head: resultTooLarge(this.#meter.limit) });
    return false;
  }

  /** Ends the segment at the head, or the connection. */
  #settle(outcome: PipelineResult, jsonRows: number, now: number): void {
    if (isDetail(outcome) && outcome.lost) {
      if (outcome.copy) this.close({ head: notAllowed('COPY is not allowed in a script') });
      else this.close(lossOf(outcome, this.inFlight.head));
      return;
    }
    const segment = this.inFlight.head!;
    const { job } = segment;
    const read = this.#read(job, outcome, jsonRows);
    if (!this.open) return;
    // The transaction that a failed read-only job leaves open is rolled back below.
    const failed = isDetail(outcome) && outcome.failure !== undefined;
    const aborted = failed && (job.rolledBack === 'READ ONLY' || job instanceof Rollback);
    if (isDetail(outcome) && outcome.transaction && !segment.inAborted && !aborted) {
      this.close({ head: notAllowed('a script may not leave a transaction open') });
      return;
    }
    if (this.#meter.outgrewBuffer) this.#retiring = true;
    this.#meter.reset();
    if (!this.exclusive && job.cost !== undefined) this.#options.lanes.record(job.since, now);
    if (job.cost !== undefined) {
      const { counts } = job.cost;
      observeSeconds(counts, SCRIPT.duration, (now - segment.sentAt) / 1_000);
      if (this.exclusive) counts[SCRIPT.slowLane]! += 1;
    }
    this.inFlight.report(segment, now, read, this.#options.server, this.exclusive);
    this.inFlight.shift(now, this.exclusive);
    if (this.inFlight.size === 0) this.exclusive = this.#retiring;
    if (aborted) this.#explicitUntil = now + EXPLICIT_AFTER_FAILURE;
    if (aborted && !segment.inAborted && !segment.inExplicit) this.#rollBack(now);
    if ('affected' in read) job.done(read);
    else if ('state' in read && hitAborted(segment, read)) this.#resend(job, now);
    else this.#fail(segment, read, isDetail(outcome) ? outcome : {}, now);
    if (this.#retiring && this.inFlight.size === 0) this.close();
  }

  /** Reads the outcome of a job. Ends the connection when the job has left a state on it. */
  #read(job: Job, outcome: PipelineResult, jsonRows: number): Outcome {
    if (isDetail(outcome) && outcome.failure) return failureOf(outcome.failure);
    const result = readOutcome(outcome, job.form, jsonRows);
    if (result === undefined) return resultTooLarge(this.#meter.limit);
    if ('state' in result) return result;
    const stateful = statefulTag(result.tag, outcome);
    if (stateful !== undefined && !(job instanceof InternalJob)) {
      const error = notAllowed(`${stateful} is not allowed in a script`);
      this.close({ head: error });
      return error;
    }
    // While libpq reads, it takes whatever comes; the size of the result is known only now.
    const size = isDetail(outcome) ? (outcome.bytes ?? 0) : (result.value?.length ?? 0);
    // A value that was placed in the ring is counted with its response.
    if (job.cost !== undefined) job.cost.counts[SCRIPT.bytes]! += size;
    const fits = this.#meter.add(size - this.#meter.received);
    // Rows come from a write, which has run.
    if (!fits && !isDetail(outcome)) return tooManyResults();
    return result;
  }

  /** Fails a job, or sends it again if nothing ran, or stays, because a prepared statement was stale. */
  #fail(
    segment: Segment,
    failure: SqlFailure | ServiceError,
    { before: missing = 0, ran }: Detail,
    now: number,
  ): void {
    const { job } = segment;
    const stale = dropUnknown(segment, failure, missing, this.#prepared);
    // Perhaps stale, reported by a version or a pooler that names another routine: a new name costs little.
    if (!stale && 'state' in failure && mayBeStale(failure)) {
      const { statement, name } = failedStatement(segment, missing);
      if (name !== '') {
        this.#deallocate(this.#prepared.drop(statement), now);
        this.flush();
      }
    }
    if (!stale || job.attempts >= 2 || job.abandoned)
      job.failed(reportedFailure(segment, failure, missing, ran === true));
    else if (this.open) this.#prepareAgain(job, now);
    else job.failed(connectionLost()); // with the ROLLBACK behind it
  }

  /**
   * Sends a job of which a prepared statement or the identity statement was stale: its tables changed, or a pooler dropped
   * it. All of the job's own are prepared again, because a pooler most often drops all.
   */
  #prepareAgain(job: Job, now: number): void {
    const names = [this.#prepared.drop(job.statement)];
    for (const { statement } of job.before ?? []) names.push(this.#prepared.drop(statement));
    // The job first: should the connection be lost meanwhile, it is among the jobs in flight.
    this.send(job, now);
    for (const name of names) this.#deallocate(name, now);
    this.flush();
  }

  /** Rolls back the transaction that a read-only job aborted. The jobs in flight fail in it, and are sent again. */
  #rollBack(now: number): void {
    this.inFlight.forEach((segment) => {
      segment.inAborted = true;
      dropAborted(segment, this.#prepared);
    });
    this.send(new Rollback(), now);
    this.flush();
  }

  /** Sends a job again that failed in an aborted transaction: it has not run. */
  #resend(job: Job, now: number): void {
    if (job.abandoned && !(job instanceof InternalJob)) {
      job.failed(new ServiceError('timeout'));
      return;
    }
    job.attempts--;
    this.#options.counts[DATABASE.retries]! += 1;
    this.send(job, now);
    this.flush();
  }

  /** close ends the connection, unless it is closed already; the jobs in flight fail. */
  close(loss: Loss = {}): void {
    if (!this.open) return;
    const { head } = this.inFlight;
    const now = performance.now();
    const { lost, server } = this.#options;
    if (head !== undefined)
      this.inFlight.report(head, now, loss.head ?? connectionLost(), server, this.exclusive);
    this.#meter.reset();
    this.#socket.close();
    lost(this, failLost(this.inFlight.takeAll(now, this.exclusive), loss));
  }
}

function notAllowed(message: string): ServiceError {
  return new ServiceError('statement_not_allowed', message);
}
