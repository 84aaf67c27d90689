/**
 * Logins counted by the supervisor, which sees those of all front ends. While it does not answer, nobody may try: a front
 * end by itself would allow more guesses than there may be.
 */
import { ServiceError } from '../errors.js';
import type { AttemptEnd, AttemptKeys, FrontEndMessage } from '../protocol.js';

/** How long the supervisor may take to answer (milliseconds). */
const LIMIT = 2_000;

interface Question {
  readonly resolve: (wait: number) => void;
  readonly reject: (error: ServiceError) => void;
  readonly timer: NodeJS.Timeout;
}

/** SupervisedAttempts asks the supervisor of this process. */
export class SupervisedAttempts {
  readonly #tell: (message: FrontEndMessage) => void;
  readonly #limit: number;
  readonly #questions = new Map<number, Question>();
  #last = 0;
  #lost = false;

  /** `tell` sends a message to the supervisor; `limit` is how long it may take to answer (milliseconds). */
  constructor(tell: (message: FrontEndMessage) => void, limit: number = LIMIT) {
    this.#tell = tell;
    this.#limit = limit;
  }

  /** begin resolves to how long an attempt has to wait (milliseconds), 0 when it may be made and is counted. */
  begin(keys: AttemptKeys): Promise<number> {
    if (this.#lost) return Promise.reject(new ServiceError('busy'));
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#questions.delete(id);
        reject(new ServiceError('busy'));
      }, this.#limit);
      this.#questions.set(id, { resolve, reject, timer });
      this.#tell({ type: 'attempt', id, keys });
    });
  }

  /** end tells what became of an attempt. */
  end(keys: AttemptKeys, end: AttemptEnd): void {
    if (!this.#lost) this.#tell({ type: 'attempted', keys, end });
  }

  /** answered takes the supervisor's answer. */
  answered(id: number, wait: number): void {
    const question = this.#questions.get(id);
    if (question === undefined) return;
    this.#questions.delete(id);
    clearTimeout(question.timer);
    question.resolve(wait);
  }

  /** lost refuses all attempts from now on: there is no supervisor any more. */
  lost(): void {
    this.#lost = true;
    for (const { reject, timer } of this.#questions.values()) {
      clearTimeout(timer);
      reject(new ServiceError('busy'));
    }
    this.#questions.clear();
  }
}
