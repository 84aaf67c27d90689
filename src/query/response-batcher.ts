/**
 * Sends responses to the HTTP process: those that are ready at the end of a callback (a batch taken, results received)
 * travel as one message. Responses never wait for one another, so that HTTP process, worker and database all stay busy.
 */
import type { LargeValue } from '../native/pipeline.js';
import type { ResponseBatch } from '../batch.js';

/** From this size (characters) on responses are sent at once, well below the longest string of V8. */
const LARGE = 1 << 20;

/** Posts packed responses, and the bodies that travel apart. */
export type Post = (responses: ResponseBatch, bodies: readonly LargeValue[]) => void;

export class ResponseBatcher {
  readonly #post: Post;
  #responses: ResponseBatch = '';
  #bodies: LargeValue[] = [];
  #scheduled = false;

  constructor(post: Post) {
    this.#post = post;
  }

  /** respond takes one packed response, with its body if that travels apart. */
  respond(packed: ResponseBatch, body?: LargeValue): void {
    this.#responses += packed;
    if (body !== undefined) this.#bodies.push(body);
    if (this.#responses.length > LARGE) this.#send();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      void done.then(this.#send);
    }
  }

  readonly #send = (): void => {
    this.#scheduled = false;
    const responses = this.#responses;
    if (responses === '') return;
    const bodies = this.#bodies;
    this.#responses = '';
    if (bodies.length > 0) this.#bodies = [];
    this.#post(responses, bodies);
  };
}

/** Its continuations run at the end of the callback. */
const done = Promise.resolve();
