/**
 * Brings answers back to the front end. Those of a batch that is complete when the loop's turn ends travel as the
 * result of its task; those that are ready before their batch's last one travel ahead, together, as one message.
 */
import { pushAnswer, type Answers, type QueryAnswer } from '../protocol.js';

/** OpenBatch is a batch with requests still unanswered. */
export interface OpenBatch {
  left: number;
  answers: Answers;
  readonly resolve: (answers: Answers) => void;
}

export class Outbox {
  readonly #post: (answers: Answers) => void;
  #ready: OpenBatch[] = [];
  readonly #flush = (): void => {
    this.#flushAll();
  };

  /** `post` sends answers ahead of their batches. */
  constructor(post: (answers: Answers) => void) {
    this.#post = post;
  }

  /** open begins a batch of `size` requests; its task ends with `resolve`. */
  open(size: number, resolve: (answers: Answers) => void): OpenBatch {
    return { left: size, answers: [], resolve };
  }

  /** answer takes one answer of a batch. */
  answer(batch: OpenBatch, answer: QueryAnswer): void {
    if (batch.answers.length === 0) {
      if (this.#ready.length === 0) setImmediate(this.#flush);
      this.#ready.push(batch);
    }
    pushAnswer(batch.answers, answer);
    batch.left--;
  }

  #flushAll(): void {
    const ready = this.#ready;
    this.#ready = [];
    let early: Answers | undefined;
    for (const batch of ready) {
      const { answers } = batch;
      batch.answers = [];
      if (batch.left === 0) batch.resolve(answers);
      else early = early === undefined ? answers : early.concat(answers);
    }
    if (early !== undefined) this.#post(early);
  }
}
