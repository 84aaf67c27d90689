/** The metrics of all processes, which the supervisor adds up: a few requests for them at a time. */
import { ServiceError } from '../../../base/errors.js';
import type { HttpProcessMessage } from '../../../messages/ipc.js';
import { SupervisorReplies } from '../supervisor-replies.js';

/** Requests that may wait for the supervisor: each response is a long message. */
const MOST = 4;

/** How long the supervisor may take to reply (milliseconds). */
const LIMIT = 10_000;

export interface Scraped {
  readonly contentType: string;
  readonly body: Buffer;
}

export class SupervisedScrapes {
  readonly #send: (message: HttpProcessMessage) => void;
  readonly #replies = new SupervisorReplies<Scraped>(LIMIT);

  /** `send` sends a message to the supervisor. */
  constructor(send: (message: HttpProcessMessage) => void) {
    this.#send = send;
  }

  /** request resolves to the metrics in the format that an Accept header prefers. Rejects with ServiceError `busy`. */
  request(accept: string): Promise<Scraped> {
    if (this.#replies.size >= MOST) return Promise.reject(new ServiceError('busy'));
    return this.#replies.ask((id) => this.#send({ type: 'scrape', id, accept }));
  }

  /** replied takes the supervisor's reply; without a content type it has failed. */
  replied(id: number, contentType: string | undefined, body: Buffer): void {
    this.#replies.replied(id, contentType === undefined ? undefined : { contentType, body });
  }

  /** lost rejects all requests from now on: the supervisor is gone. */
  lost(): void {
    this.#replies.lost();
  }
}
