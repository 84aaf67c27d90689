/**
 * Brings answers back to the front end. A batch's answers travel together as the result of its task when the last one is
 * there, because a message costs as much as many answers. Those that have waited a moment for slower ones of their
 * batch travel ahead of it, together with others of their kind.
 */
import { pushAnswer, type Answers, type QueryAnswer } from '../protocol.js';

/** How long an answer waits for the rest of its batch, ms. */
const PATIENCE = 1;

/** OpenBatch is a batch with requests still unanswered. */
export interface OpenBatch {
  left: number;
  answers: Answers;
  readonly resolve: (answers: Answers) => void;
}

export class Outbox {
  readonly #post: (answers: Answers) => void;
  /** Batches of which some answers are there. */
  readonly #partial = new Set<OpenBatch>();
  #timer: NodeJS.Timeout | undefined;

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
    pushAnswer(batch.answers, answer);
    if (--batch.left === 0) {
      this.#partial.delete(batch);
      batch.resolve(batch.answers);
    } else {
      this.#partial.add(batch);
      this.#timer ??= setTimeout(() => {
        this.#sendAhead();
      }, PATIENCE);
    }
  }

  #sendAhead(): void {
    this.#timer = undefined;
    let early: Answers | undefined;
    for (const batch of this.#partial) {
      early = early === undefined ? batch.answers : early.concat(batch.answers);
      batch.answers = [];
    }
    this.#partial.clear();
    if (early !== undefined) this.#post(early);
  }
}
