/** Questions to the supervisor, each of which has one reply. Without a reply in time they are rejected. */
import { ServiceError } from '../../base/errors.js';

interface Pending<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: ServiceError) => void;
  readonly timer: NodeJS.Timeout;
}

export class SupervisorReplies<Reply> {
  readonly #limit: number;
  readonly #pending = new Map<number, Pending<Reply>>();
  #lastId = 0;
  #isLost = false;

  /** The supervisor may take `limit` milliseconds to reply. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** size is the number of questions without a reply. */
  get size(): number {
    return this.#pending.size;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** ask has `send` send the question with an id. Rejects with ServiceError `busy`. */
  ask(send: (id: number) => void): Promise<Reply> {
    if (this.#isLost) return Promise.reject(new ServiceError('busy'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new ServiceError('busy'));
      }, this.#limit);
      this.#pending.set(id, { resolve, reject, timer });
      send(id);
    });
  }

  /** replied resolves the question with that id; undefined as the reply rejects it. One that comes too late is dropped. */
  replied(id: number, reply: Reply | undefined): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    if (reply === undefined) pending.reject(new ServiceError('busy'));
    else pending.resolve(reply);
  }

  /** lost rejects all questions from now on: the supervisor is gone. */
  lost(): void {
    this.#isLost = true;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new ServiceError('busy'));
    }
    this.#pending.clear();
  }
}
