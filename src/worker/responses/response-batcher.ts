/**
 * Sends responses to the HTTP process: those that are ready at the end of a callback (a batch taken, results received) are
 * published together. Responses never wait for one another, so that HTTP process, worker and database all stay busy.
 */
import type { LargeValue } from '../../native/pipeline.js';
import { APART, LONGEST_TEXT, type ResponseRing } from '../../native/response-ring.js';

type Body = string | LargeValue;

/** Wakes the HTTP process after responses were published, and gives it the bodies that travel apart. */
export type Wake = (bodies: readonly Body[] | undefined) => void;

interface Response {
  readonly id: number;
  readonly status: number;
  readonly type: number;
  readonly lines: string;
  readonly body: Body;
}

export class ResponseBatcher {
  readonly #ring: ResponseRing;
  readonly #wake: Wake;
  #bodies: Body[] = [];
  /** Responses that found no room in the ring. */
  #waiting: Response[] = [];
  #scheduled = false;

  constructor(ring: ResponseRing, wake: Wake) {
    this.#ring = ring;
    this.#wake = wake;
  }

  /** finish sends the response whose body a pipeline has placed in the ring. Returns the size of the body, bytes. */
  finish(place: number, id: number, status: number, type: number): number {
    this.#schedule();
    return this.#ring.finish(place, id, status, type);
  }

  /**
   * respond sends a response: `type` is the body's, which is complete, also for HEAD, as the HTTP process needs its
   * length; `lines` are its header lines, which are empty or at most LONGEST_LINES.
   */
  respond(id: number, status: number, type: number, lines: string, body: Body): void {
    if (this.#waiting.length > 0 || !this.#write(id, status, type, lines, body))
      this.#waiting.push({ id, status, type, lines, body });
    this.#schedule();
  }

  /** hasRoom sends the responses that found no room in the ring. */
  hasRoom(): void {
    let sent = 0;
    for (const { id, status, type, lines, body } of this.#waiting) {
      if (!this.#write(id, status, type, lines, body)) break;
      sent++;
    }
    this.#waiting.splice(0, sent);
    this.#schedule();
  }

  #write(id: number, status: number, type: number, lines: string, body: Body): boolean {
    if (typeof body === 'string' && body.length <= LONGEST_TEXT)
      return this.#ring.write(id, status, type, lines, body);
    if (!this.#ring.write(id, status, type + APART, lines, '')) return false;
    this.#bodies.push(body);
    return true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    void done.then(this.#publish);
  }

  readonly #publish = (): void => {
    this.#scheduled = false;
    this.#ring.publish();
    if (this.#bodies.length === 0) this.#wake(undefined);
    else {
      const bodies = this.#bodies;
      this.#bodies = [];
      this.#wake(bodies);
    }
  };
}

/** Its continuations run at the end of the callback. */
const done = Promise.resolve();
