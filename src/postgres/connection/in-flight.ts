/** The segments in flight on one connection, which PostgreSQL runs one after the other. */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../base/errors.js';
import type { RunServer, StatementResult } from '../statement/job.js';
import { countRows } from '../statement/result.js';
import type { ScriptCost } from '../statement/script-cost.js';
import type { Segment } from '../statement/segment.js';
import type { SqlFailure } from '../statement/sql-failure.js';

/** A statement that runs longer than this, ms, stalls: no others are put behind it. */
const STALL = 20;

/** The result of a job, or how it failed. */
export type Outcome = StatementResult | SqlFailure | ServiceError;

export class InFlight {
  readonly #busy: () => number;
  /** How long they are expected to take together, ms. */
  load = 0;
  /** When the last one ended, ms. */
  idleSince: number = performance.now();
  readonly #segments: Segment[] = [];
  /** When the one at the head came to the head, ms. */
  #headSince = 0;
  /** The script of the head, once it was found to stall. */
  #stalled: ScriptCost | undefined;

  /** `busy` gives how many connections of the database have segments in flight. */
  constructor(busy: () => number) {
    this.#busy = busy;
  }

  get size(): number {
    return this.#segments.length;
  }

  /** head is the segment that runs, if any. */
  get head(): Segment | undefined {
    return this.#segments[0];
  }

  /** headTime is how long the head has been running at time `now`, ms; 0 when nothing runs. */
  headTime(now: number): number {
    return this.#segments.length === 0 ? 0 : now - this.#headSince;
  }

  /** isStalled tells whether the head has been running for longer than STALL. Its script is slow until the statement ends. */
  isStalled(now: number): boolean {
    if (this.headTime(now) <= STALL) return false;
    if (this.#stalled === undefined) {
      this.#stalled = this.head?.job.cost;
      this.#stalled?.stalls();
    }
    return true;
  }

  get areAbandoned(): boolean {
    return this.#segments.every(({ job }) => job.abandoned);
  }

  push(segment: Segment): void {
    if (this.#segments.length === 0) this.#headSince = segment.sentAt;
    this.load += segment.expected;
    this.#segments.push(segment);
  }

  /** shift removes the head, which ended, and records its time; `alone`: nothing could wait behind it. */
  shift(now: number, alone: boolean): void {
    const segment = this.#segments[0]!;
    this.#endStall(alone ? 0 : this.headTime(now), now);
    this.load -= segment.expected;
    segment.job.cost?.record(now - Math.max(this.#headSince, segment.sentAt), this.#busy);
    this.#segments.shift();
    this.#headSince = now;
    if (this.#segments.length > 0) return;
    this.load = 0; // without what rounding has left
    this.idleSince = now;
  }

  /** report reports the head, which ended at `now` on a connection for slow statements (`exclusive`), if it took long or failed. */
  report(
    { job, sentAt: sent }: Segment,
    now: number,
    read: Outcome,
    server: RunServer,
    exclusive: boolean,
  ): void {
    const { slowAfter } = job;
    const isResult = 'affected' in read;
    if (slowAfter === undefined || (isResult && now - job.since < slowAfter)) return;
    job.ran?.({
      server,
      sent,
      began: now - this.headTime(now),
      ended: now,
      lane: exclusive ? 'slow' : 'fast',
      rows: isResult ? countRows(job, read) : undefined,
      state: isResult ? undefined : read instanceof ServiceError ? read.code : read.state,
    });
  }

  forEach(each: (segment: Segment) => void): void {
    this.#segments.forEach(each);
  }

  /** takeAll removes all, whose connection is lost; `alone` as in `shift`. */
  takeAll(now: number, alone: boolean): Segment[] {
    this.#endStall(alone ? 0 : this.headTime(now), now);
    return this.#segments.splice(0);
  }

  /** `time` is how long it blocked others, ms. */
  #endStall(time: number, now: number): void {
    this.#stalled?.stallEnded(time, now);
    this.#stalled = undefined;
  }
}
