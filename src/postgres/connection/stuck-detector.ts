/**
 * Cancels statements, and detects a peer that acknowledges packets but does not answer: the kernel's keepalives do not
 * notice a stopped backend, a pooler that hangs or a proxy that swallows what passes.
 */
import type { InFlight } from './in-flight.js';
import type { Job } from '../statement/job.js';
import type { PipelineSocket } from './pipeline-socket.js';
import type { ResultMeter } from './result-budget.js';

/** How long after it was cancelled, and how much longer than its limit, a statement may take to answer, ms. */
const GRACE = 4_000;

export class StuckDetector {
  readonly #inFlight: InFlight;
  readonly #socket: PipelineSocket;
  readonly #meter: ResultMeter;
  /** The job that PostgreSQL was last asked to cancel, and when, ms. */
  #cancelled: Job | undefined;
  #cancelledAt = 0;
  /** The job that was seen over its limit, and when it was first, ms. */
  #overdue: Job | undefined;
  #overdueAt = 0;
  /** Bytes of its result at the last check, and when they last had increased, ms. */
  #received = 0;
  #grewAt = 0;

  constructor(inFlight: InFlight, socket: PipelineSocket, meter: ResultMeter) {
    this.#inFlight = inFlight;
    this.#socket = socket;
    this.#meter = meter;
  }

  /** cancel asks PostgreSQL to cancel the head; false when it was asked before. */
  cancel(now: number): boolean {
    const head = this.#inFlight.head?.job;
    // Once for each job: where the server cannot be reached, a request takes minutes to fail.
    if (head === this.#cancelled) return false;
    this.#cancelled = head;
    this.#cancelledAt = now;
    this.#socket.cancel();
    return true;
  }

  /**
   * isStuck tells whether the head should have been answered: it was cancelled, or has run for more than `limit` ms, at which
   * PostgreSQL ends a statement. One whose result still arrives has that time twice, for the network may be slow. What
   * counts is the time since it was first seen over its limit: after a pause of this process its answer may wait in the
   * socket.
   */
  isStuck(now: number, limit: number): boolean {
    const head = this.#inFlight.head?.job;
    if (head === undefined) return false;
    if (head === this.#cancelled && now - this.#cancelledAt > GRACE) return true;
    if (this.#inFlight.headTime(now) <= limit) return false;
    const { received } = this.#meter;
    if (head !== this.#overdue) {
      this.#overdue = head;
      this.#overdueAt = this.#grewAt = now;
    } else if (received !== this.#received) this.#grewAt = now;
    this.#received = received;
    return now - this.#grewAt > GRACE || now - this.#overdueAt > limit + GRACE;
  }
}
