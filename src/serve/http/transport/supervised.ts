/**
 * Questions to the supervisor, for all HTTP processes: whether a login may be attempted, and the metrics of all. Each has one
 * reply; without a reply in time it is rejected. While the supervisor does not reply all logins are rejected: each HTTP process
 * counting by itself would allow more guesses than configured.
 */
import type { Attempts } from '../../../access/logins/login.js';
import { ServiceError } from '../../../base/errors.js';
import type { AttemptEnd, AttemptKeys, HttpProcessMessage } from '../../../messages/ipc.js';

/** How long the supervisor may take to reply (milliseconds), about a login and with the metrics. */
const LOGIN_LIMIT = 2_000;
const SCRAPE_LIMIT = 10_000;

/** Requests for metrics that may wait for the supervisor: each response is a long message. */
const MOST_SCRAPES = 4;

/** Sends a message to the supervisor. */
type Send = (message: HttpProcessMessage) => void;

interface Pending<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: ServiceError) => void;
  readonly timer: NodeJS.Timeout;
}

/** Questions of one kind. */
class Questions<Reply> {
  protected readonly send: Send;
  /** Whether the supervisor is gone. */
  protected isLost = false;
  readonly #limit: number;
  readonly #pending = new Map<number, Pending<Reply>>();
  #lastId = 0;

  /** The supervisor may take `limit` milliseconds to reply. */
  constructor(send: Send, limit: number) {
    this.send = send;
    this.#limit = limit;
  }

  /** The number of questions without a reply. */
  protected get size(): number {
    return this.#pending.size;
  }

  /** Sends the question that `question` makes with an id. Rejects with ServiceError `busy`. */
  protected ask(question: (id: number) => HttpProcessMessage): Promise<Reply> {
    if (this.isLost) return Promise.reject(new ServiceError('busy'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.replied(id, undefined), this.#limit);
      this.#pending.set(id, { resolve, reject, timer });
      this.send(question(id));
    });
  }

  /** replied takes the supervisor's reply; undefined as it has failed. One that comes too late is dropped. */
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
    this.isLost = true;
    for (const id of this.#pending.keys()) this.replied(id, undefined);
  }
}

/** Login attempts as counted by the supervisor: the replies are waits before them (milliseconds). */
export class SupervisedAttempts extends Questions<number> implements Attempts {
  constructor(send: Send, limit: number = LOGIN_LIMIT) {
    super(send, limit);
  }

  /** begin resolves to the wait before an attempt (milliseconds), 0 when it may be made and is counted. */
  begin(keys: AttemptKeys): Promise<number> {
    return this.ask((id) => ({ type: 'login-begin', id, keys }));
  }

  end(keys: AttemptKeys, end: AttemptEnd): void {
    if (!this.isLost) this.send({ type: 'login-end', keys, end });
  }
}

/** The metrics of all processes, which the supervisor adds up: a few requests for them at a time. */
export class SupervisedScrapes extends Questions<{ contentType: string; body: Buffer }> {
  constructor(send: Send) {
    super(send, SCRAPE_LIMIT);
  }

  /** request resolves to the metrics in the format that an Accept header prefers. Rejects with ServiceError `busy`. */
  request(accept: string): ReturnType<typeof this.ask> {
    if (this.size >= MOST_SCRAPES) return Promise.reject(new ServiceError('busy'));
    return this.ask((id) => ({ type: 'scrape', id, accept }));
  }
}
