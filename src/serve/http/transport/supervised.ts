/**
 * Login attempts as counted by the supervisor, for all HTTP processes. While it does not reply all logins
 * are rejected: each HTTP process counting by itself would allow more guesses than configured.
 */
import type { Attempts } from '../../../access/logins/login.js';
import type { AttemptEnd, AttemptKeys, HttpProcessMessage } from '../../../messages/ipc.js';
import { SupervisorReplies } from '../supervisor-replies.js';

/** How long the supervisor may take to reply (milliseconds). */
const LIMIT = 2_000;

export class SupervisedAttempts implements Attempts {
  readonly #send: (message: HttpProcessMessage) => void;
  /** Waits before attempts (milliseconds). */
  readonly #replies: SupervisorReplies<number>;

  /** `send` sends a message to the supervisor, which may take `limit` milliseconds to reply. */
  constructor(send: (message: HttpProcessMessage) => void, limit: number = LIMIT) {
    this.#send = send;
    this.#replies = new SupervisorReplies(limit);
  }

  /** begin resolves to the wait before an attempt (milliseconds), 0 when it may be made and is counted. */
  begin(keys: AttemptKeys): Promise<number> {
    return this.#replies.ask((id) => this.#send({ type: 'login-begin', id, keys }));
  }

  end(keys: AttemptKeys, end: AttemptEnd): void {
    if (!this.#replies.isLost) this.#send({ type: 'login-end', keys, end });
  }

  /** replied takes the supervisor's reply to `begin`. */
  replied(id: number, wait: number): void {
    this.#replies.replied(id, wait);
  }

  /** lost rejects all attempts from now on: the supervisor is gone. */
  lost(): void {
    this.#replies.lost();
  }
}
