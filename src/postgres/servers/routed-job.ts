/**
 * A job of a database with replicas on its way to a server, and perhaps to another one. It delegates to the job that it was
 * made for, whose outcome is the last one. What may have written is followed by a question for the position of its commit:
 * in the same pipeline, so that it takes no round trip.
 */
import type { ServiceError } from '../../base/errors.js';
import type { BoundValue } from '../../native/pipeline.js';
import type { Identity } from '../statement/identity.js';
import type {
  EarlierStatement,
  Job,
  ResultForm,
  Run,
  Statement,
  StatementResult,
} from '../statement/job.js';
import type { ScriptCost } from '../statement/script-cost.js';
import type { Server } from './server.js';
import { countRows } from '../statement/result.js';
import type { SqlFailure } from '../statement/sql-failure.js';
import {
  COMMITTED_POSITION,
  committedPosition,
  formatLsn,
  HAS_REPLAYED,
} from '../statement/wal-position.js';

/** SqlFailure.part of HAS_REPLAYED before a job. */
export const CHECK = -1;

/** Takes a job whose outcome is not final. */
export interface Router {
  /** reroutes returns whether it takes the job, to send it again in a later turn. */
  reroutes(job: RoutedJob, failure: SqlFailure | ServiceError): boolean;
}

export class RoutedJob implements Job {
  readonly job: Job;
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
  readonly bulky: boolean | undefined;
  readonly identity: Identity | undefined;
  readonly rolledBack: Job['rolledBack'];
  readonly cost: ScriptCost | undefined;
  readonly slowAfter: number | undefined;
  /** When it was routed first, ms. */
  readonly began: number;
  /** When PostgreSQL first ended the session that ran it, ms. */
  endedAt: number | undefined;
  /** The server that has it, in the role that it had then. */
  server: Server | undefined;
  /** Why it could not run so far. */
  failure: SqlFailure | undefined;
  /** Whether it has failed on a read-only server before. */
  wasReadOnly = false;
  /** Not to be sent before this time, ms. */
  notBefore = 0;
  waits = false;
  /** Only a primary runs it. */
  onPrimary = false;
  followedBy: (() => Job) | undefined;
  readonly #router: Router;
  #epoch = 0;
  /** Whether the server that has it is to check, before its statements, that it has replayed the position. */
  #checks = false;
  #result: StatementResult | undefined;
  #position: PositionJob | undefined;

  constructor(job: Job, router: Router, now: number) {
    this.job = job;
    this.statement = job.statement;
    this.values = job.values;
    this.bulky = job.bulky;
    this.identity = job.identity;
    this.rolledBack = job.rolledBack;
    this.cost = job.cost;
    this.slowAfter = job.slowAfter;
    this.began = now;
    this.#router = router;
  }

  /** toPrimary has only a primary run it. Unless it is rolled back, it may write. */
  toPrimary(): void {
    this.onPrimary = true;
    if (this.job.rolledBack === undefined)
      this.followedBy = () => (this.#position = new PositionJob(this));
  }

  sentTo(server: Server): void {
    this.server = server;
    if (!server.hasPositions) this.followedBy = undefined;
    this.#epoch = server.epoch;
    this.#checks = this.job.after !== undefined && !server.isPrimary;
    server.running++;
  }

  /** The response has a header line, which no place in the response ring has room for. */
  get form(): ResultForm {
    const { form } = this.job;
    return form === 'body' && this.followedBy !== undefined ? 'value' : form;
  }

  get before(): readonly EarlierStatement[] | undefined {
    const { before, after } = this.job;
    if (!this.#checks) return before;
    return [{ statement: REPLAYED, values: [formatLsn(after!.lsn)] }, ...(before ?? [])];
  }

  /** On the read-only connections of a replica nothing can write. */
  get cannotWrite(): boolean {
    return this.job.cannotWrite || this.isOnReplica;
  }

  /** Whether it was sent to a replica, which still is one. */
  get isOnReplica(): boolean {
    const { server } = this;
    return server !== undefined && !server.isPrimary && !this.isOutdated;
  }

  /** Whether it was sent to a server whose role has changed since. */
  get isOutdated(): boolean {
    return this.server !== undefined && this.server.epoch !== this.#epoch;
  }

  get attempts(): number {
    return this.job.attempts;
  }

  set attempts(attempts: number) {
    this.job.attempts = attempts;
  }

  get since(): number {
    return this.job.since;
  }

  set since(since: number) {
    this.job.since = since;
  }

  get abandoned(): boolean {
    return this.job.abandoned;
  }

  set abandoned(abandoned: boolean) {
    this.job.abandoned = abandoned;
  }

  rowsOf(result: StatementResult): number | undefined {
    return countRows(this.job, result);
  }

  ran(run: Run): void {
    this.job.ran?.(run);
  }

  done(result: StatementResult): void {
    if (this.followedBy !== undefined) this.#result = result;
    else {
      this.#leave();
      this.job.done(result);
    }
  }

  /** positioned gets the outcome of a question for the position: only that behind the statement that has run counts. */
  positioned(position: PositionJob, result?: StatementResult): void {
    const done = this.#result;
    if (done === undefined || position !== this.#position) return;
    this.#result = undefined;
    const text = result?.value;
    if (typeof text === 'string') this.job.committedAt = committedPosition(text);
    this.#leave();
    this.job.done(done);
  }

  failed(reported: SqlFailure | ServiceError): void {
    const counts = this.#checks && 'state' in reported && reported.part !== undefined;
    // The check comes before the parts of the job itself.
    const failure = counts ? { ...reported, part: reported.part + CHECK } : reported;
    if (this.#router.reroutes(this, failure)) this.#leave();
    else this.fail(failure);
  }

  fail(failure: SqlFailure | ServiceError): void {
    this.#leave();
    this.job.failed(failure);
  }

  #leave(): void {
    if (this.server !== undefined) this.server.running--;
    this.server = undefined;
  }
}

const REPLAYED: Statement = { sql: HAS_REPLAYED, recurs: true };

const POSITION: Statement = { sql: COMMITTED_POSITION, recurs: true };

/** Asks for the position of the commit before it. */
class PositionJob implements Job {
  readonly statement = POSITION;
  readonly values: readonly string[] = [];
  readonly form = 'value';
  readonly identity = undefined;
  readonly cannotWrite = false;
  readonly cost = undefined;
  attempts = 0;
  since = 0;
  readonly #of: RoutedJob;

  constructor(of: RoutedJob) {
    this.#of = of;
  }

  /** It keeps an abandoned statement before it from being cancelled no longer than that is wanted. */
  get abandoned(): boolean {
    return this.#of.abandoned;
  }

  set abandoned(_abandoned: boolean) {
    // That of the statement before it counts.
  }

  done(result: StatementResult): void {
    this.#of.positioned(this, result);
  }

  failed(): void {
    this.#of.positioned(this);
  }
}
