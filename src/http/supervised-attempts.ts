/**
 * Login attempts as counted by the supervisor, which counts those of all HTTP processes. While it does not reply all logins
 * are rejected: each HTTP process counting by itself would allow more guesses than configured.
 */
import type { Attempts } from '../auth/login.js';
import { ServiceError } from '../errors.js';
import type { AttemptEnd, AttemptKeys, HttpProcessMessage } from '../ipc.js';

/** How long the supervisor may take to reply (milliseconds). */
const LIMIT = 2_000;

interface PendingAttempt {
  readonly resolve: (wait: number) => void;
  readonly reject: (error: ServiceError) => void;
  readonly timer: NodeJS.Timeout;
}

export class SupervisedAttempts implements Attempts {
  readonly #send: (message: HttpProcessMessage) => void;
  readonly #limit: number;
  readonly #pending = new Map<number, PendingAttempt>();
  #lastId = 0;
  #lost = false;

  /** `send` sends a message to the supervisor, which may take `limit` milliseconds to reply. */
  constructor(send: (message: HttpProcessMessage) => void, limit: number = LIMIT) {
    this.#send = send;
    this.#limit = limit;
  }

  /** begin resolves to the wait before an attempt (milliseconds), 0 when it may be made and is counted. */
  begin(keys: AttemptKeys): Promise<number> {
    if (this.#lost) return Promise.reject(new ServiceError('busy'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new ServiceError('busy'));
      }, this.#limit);
      this.#pending.set(id, { resolve, reject, timer });
      this.#send({ type: 'login-begin', id, keys });
    });
  }

  end(keys: AttemptKeys, end: AttemptEnd): void {
    if (!this.#lost) this.#send({ type: 'login-end', keys, end });
  }

  /** replied takes the supervisor's reply to `begin`. */
  replied(id: number, wait: number): void {
    const attempt = this.#pending.get(id);
    if (attempt === undefined) return;
    this.#pending.delete(id);
    clearTimeout(attempt.timer);
    attempt.resolve(wait);
  }

  /** lost rejects all attempts from now on: the supervisor is gone. */
  lost(): void {
    this.#lost = true;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new ServiceError('busy'));
    }
    this.#pending.clear();
  }
}
