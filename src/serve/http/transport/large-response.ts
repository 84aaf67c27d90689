/**
 * A response that is sent in pieces from one buffer, as fast as its client takes it. The rest is offered to the kernel when
 * uWebSockets.js reports that the socket is writable, and besides whenever `push` is called: the kernel reports a socket
 * only when a third of its send buffer is free, which can be megabytes, but uWebSockets.js closes a connection 10 s after
 * a write failed. A slow client would be cut off in between; each attempt restarts these 10 s.
 *
 * While reading is paused (read-pauses.ts) uWebSockets.js reports nothing, so a timer offers the rest, until the client has
 * taken nothing for a second: then reading is resumed, so that a disconnect is noticed.
 */
import type { HttpResponse } from 'uWebSockets.js';

/** Delay between two attempts while reading is paused (milliseconds): doubled while nothing is taken. */
const SHORTEST = 1;
const LONGEST = 64;

/** How long a client may take nothing before reading is resumed (milliseconds). */
const STALLED = 1_000;

export class LargeResponse {
  /** Bytes that the kernel has taken. */
  taken = 0;
  /** Whether it was sent, or stopped. */
  finished = false;
  readonly #res: HttpResponse;
  #body: Buffer;
  #paused: boolean;
  /** Whether nothing more may be read from the connection. */
  readonly #last: boolean;
  readonly #sent: () => void;
  #delay = SHORTEST;
  #stalled = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    res: HttpResponse,
    body: Buffer,
    options: { readonly paused: boolean; readonly last: boolean; readonly sent: () => void },
  ) {
    this.#res = res;
    this.#body = body;
    this.#paused = options.paused;
    this.#last = options.last;
    this.#sent = options.sent;
  }

  /** begin writes the head, and as much of the body as the kernel takes. */
  begin(head: () => void): void {
    this.#res.onWritable(() => this.#continue());
    this.#res.cork(() => {
      head();
      this.#offer(this.#body.length);
    });
    if (this.finished) return;
    this.#pauseAgain();
    // Bodies that arrived together share memory: a slow client of one must not keep all of it.
    const { length, buffer } = this.#body;
    if (buffer.byteLength > 2 * length) this.#body = Buffer.from(this.#body);
    if (this.#paused) this.#schedule();
  }

  /**
   * push offers the rest again. uWebSockets.js buffers a short rest and counts it as sent before it is written, so the last
   * byte is offered only after all others were taken.
   */
  push(): void {
    const last = this.#body.length - 1;
    if (!this.finished && this.taken < last) this.#res.cork(() => this.#continue(last));
    if (!this.finished && this.taken === last) this.#res.cork(() => this.#continue());
    this.#pauseAgain();
  }

  /** stop is for a connection that was lost. */
  stop(): void {
    this.finished = true;
    clearTimeout(this.#timer);
  }

  #continue(end = this.#body.length): boolean {
    if (this.finished) return true;
    const [ok, done] = this.#offer(end);
    if (done) {
      clearTimeout(this.#timer);
      this.#sent();
    }
    return ok;
  }

  /** Offers the rest up to `end`. `ok`: all of it was taken; `done`: the response has ended. */
  #offer(end: number): [ok: boolean, done: boolean] {
    const res = this.#res;
    const body = this.#body;
    // Afterwards the response may have ended, and nothing else would resume reading.
    if (this.#paused && !this.#last) res.resume();
    const result = res.tryEnd(body.subarray(this.taken, end), body.length);
    this.finished = result[1];
    if (!this.finished) this.taken = res.getWriteOffset();
    return result;
  }

  /** A failed write has resumed reading, also one at the end of a cork. */
  #pauseAgain(): void {
    if (this.#paused && !this.finished) this.#res.pause();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      const before = this.taken;
      this.push();
      if (this.finished) return;
      const moved = this.taken > before;
      this.#stalled = moved ? 0 : this.#stalled + this.#delay;
      this.#delay = moved ? SHORTEST : Math.min(2 * this.#delay, LONGEST);
      if (this.#stalled < STALLED || this.#last) this.#schedule();
      else this.#resumeReading();
    }, this.#delay);
  }

  #resumeReading(): void {
    this.#paused = false;
    this.#res.resume();
    this.push(); // so that uWebSockets.js reports when the socket is writable
  }
}
