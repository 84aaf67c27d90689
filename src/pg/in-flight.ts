/** The segments in flight on one connection, which PostgreSQL runs one after the other. */
import { performance } from 'node:perf_hooks';
import type { Segment } from './segment.js';

export class InFlight {
  readonly #busy: () => number;
  /** How long they are expected to take together, ms. */
  load = 0;
  /** When the last one ended, ms. */
  idleSince: number = performance.now();
  readonly #segments: Segment[] = [];
  /** When the one at the head came to the head, ms. */
  #headSince = 0;

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

  get areAbandoned(): boolean {
    return this.#segments.every(({ job }) => job.abandoned);
  }

  push(segment: Segment): void {
    if (this.#segments.length === 0) this.#headSince = segment.sentAt;
    this.load += segment.expected;
    this.#segments.push(segment);
  }

  /** shift removes the head, which ended, and records its time. */
  shift(now: number): void {
    const segment = this.#segments[0]!;
    this.load -= segment.expected;
    segment.job.cost?.record(now - Math.max(this.#headSince, segment.sentAt), this.#busy);
    this.#segments.shift();
    this.#headSince = now;
    if (this.#segments.length > 0) return;
    this.load = 0; // without what rounding has left
    this.idleSince = now;
  }

  forEach(each: (segment: Segment) => void): void {
    this.#segments.forEach(each);
  }

  takeAll(): Segment[] {
    return this.#segments.splice(0);
  }
}
