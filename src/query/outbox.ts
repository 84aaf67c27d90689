/**
 * Brings answers back to the front end: those that a worker has by the end of one callback (a batch taken, results
 * received) travel as one message. Nothing waits for others, so that front end, worker and database all stay busy.
 */
import type { LargeValue } from '../native/pipeline.js';
import type { Answers } from '../protocol.js';

/** From this size (characters) on answers are sent at once: a string has its limits. */
const LARGE = 1 << 20;

/** Sends packed answers, and the bodies that travel apart. */
export type Post = (answers: Answers, bodies: readonly LargeValue[]) => void;

export class Outbox {
  readonly #post: Post;
  readonly #send = (): void => this.#sendAll();
  #answers: Answers = '';
  #bodies: LargeValue[] = [];
  #scheduled = false;

  constructor(post: Post) {
    this.#post = post;
  }

  /** answer takes one packed answer, with its body if that travels apart. */
  answer(packed: Answers, body?: LargeValue): void {
    this.#answers += packed;
    if (body !== undefined) this.#bodies.push(body);
    if (this.#answers.length > LARGE) this.#sendAll();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      void done.then(this.#send);
    }
  }

  #sendAll(): void {
    this.#scheduled = false;
    const answers = this.#answers;
    if (answers === '') return;
    const bodies = this.#bodies;
    this.#answers = '';
    if (bodies.length > 0) this.#bodies = [];
    this.#post(answers, bodies);
  }
}

/** What follows it runs at the end of the callback. */
const done = Promise.resolve();
