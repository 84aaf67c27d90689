/**
 * Collects the requests that have ended and whose spans are kept. Each waits for a moment, because its query worker reports its
 * part apart; then all are encoded and sent to the supervisor. What waits is bounded, and what is beyond is dropped and counted.
 */
import { MessageWriter } from '../../../observe/protobuf-writer.js';
import { monotonic, WallClock } from '../../../observe/trace/clock.js';
import type { Work } from '../../../observe/trace/work.js';
import { writeSpans, type ServerSpan } from './server-span.js';

/** SendSpans sends encoded spans to the supervisor, and calls `done` once they are on their way. */
export type SendSpans = (spans: Buffer, count: number, dropped: number, done: () => void) => void;

/** How long spans wait before they are sent, ms. */
const INTERVAL = 500;

/** Most requests whose spans wait. */
const MOST_WAITING = 500;

/** Longest message to the supervisor, bytes, apart from the spans of one request. */
const LONGEST_MESSAGE = 256 << 10;

/** How long the report of a query worker is waited for, ms: a statement that is cancelled takes a while to end. */
const LONGEST_WAIT = 60_000;

export class SpanBatcher {
  readonly #clock = new WallClock();
  readonly #send: SendSpans;
  /** Those that the next flush sends. */
  #waiting: ServerSpan[] = [];
  /** Ended requests without a report of their query worker, by their ids: the oldest first. */
  readonly #unreported = new Map<number, ServerSpan>();
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;
  /** Messages that the supervisor has yet to take. */
  #sending = 0;

  constructor(send: SendSpans) {
    this.#send = send;
  }

  /** isFull tells whether there is no room for another request. */
  get isFull(): boolean {
    return this.#waiting.length >= MOST_WAITING;
  }

  /** add has the spans of a request sent. With an id, its query worker has yet to report. */
  add(ended: ServerSpan, unreported?: number): void {
    if (unreported !== undefined) this.#awaitReport(unreported, ended);
    this.#wait(ended);
  }

  /** reported takes the report of a query worker about a request that has ended; false when none waits for it. */
  reported(work: Work): boolean {
    const ended = this.#unreported.get(work.id);
    if (ended === undefined) return false;
    this.#unreported.delete(work.id);
    ended.trace.work = work;
    if (ended.isSent) this.#wait(ended);
    return true;
  }

  /** drop counts a request whose spans are not kept although they should be. */
  drop(): void {
    this.#dropped++;
    this.#schedule();
  }

  /** close sends what waits; resolves when it is on its way to the supervisor. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#sending = 0;
    await new Promise<void>((resolve) => this.#flush(resolve));
  }

  #awaitReport(id: number, ended: ServerSpan): void {
    const [oldest] = this.#unreported.keys();
    if (oldest !== undefined && this.#unreported.size >= 2 * MOST_WAITING)
      this.#unreported.delete(oldest);
    this.#unreported.set(id, ended);
  }

  #wait(ended: ServerSpan): void {
    this.#waiting.push(ended);
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#flush(), INTERVAL).unref();
  }

  #flush(done: () => void = () => undefined): void {
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#clock.adjust();
    const before = monotonic(performance.now()) - LONGEST_WAIT;
    for (const [id, { end }] of this.#unreported) if (end < before) this.#unreported.delete(id);
    if (this.#sending > 0) {
      // The supervisor does not keep up.
      for (const ended of waiting) if (!ended.isSent) this.#dropped++;
      this.#schedule();
      done();
      return;
    }
    let message = new MessageWriter();
    let count = 0;
    for (const ended of waiting) {
      count += writeSpans(message, ended, this.#clock);
      if (message.length < LONGEST_MESSAGE) continue;
      this.#sendMessage(message, count, () => undefined);
      message = new MessageWriter();
      count = 0;
    }
    if (count > 0 || this.#dropped > 0) this.#sendMessage(message, count, done);
    else done();
  }

  #sendMessage(message: MessageWriter, count: number, done: () => void): void {
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#sending++;
    this.#send(message.bytes(), count, dropped, () => {
      this.#sending--;
      done();
    });
  }
}
