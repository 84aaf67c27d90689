/**
 * Bounds the bytes of results at one time: in one worker, over all its databases and connections, and its quota of
 * what the HTTP process has not sent yet. No database may use more than is left to the others, so that one whose results
 * stall never takes theirs.
 */
import { ServiceError } from '../../base/errors.js';

export class ResultBudget {
  /** Largest single result, bytes. */
  readonly maxResult: number;
  readonly #limit: number;
  readonly #sending: Int32Array;
  /** Bytes of all databases together. */
  readonly #all: { used: number; databases: number };
  /** Bytes of this database. */
  #used = 0;

  /** `sending` is one Int32 that the HTTP process keeps: KiB on their way to callers. */
  constructor(
    maxResult: number,
    limit: number,
    sending: Int32Array = new Int32Array(1),
    all = { used: 0, databases: 1 },
  ) {
    this.maxResult = maxResult;
    this.#limit = limit;
    this.#sending = sending;
    this.#all = all;
  }

  /** another is the budget of one more database, out of the same bytes. */
  another(): ResultBudget {
    this.#all.databases++;
    return new ResultBudget(this.maxResult, this.#limit, this.#sending, this.#all);
  }

  /** use counts bytes that were received, or freed when negative; false when the budget is exceeded. */
  use(by: number): boolean {
    this.#used += by;
    this.#all.used += by;
    const left = this.#limit - this.#all.used - Atomics.load(this.#sending, 0) * 1024;
    return left >= (this.#all.databases > 1 ? this.#used : 0);
  }
}

/** Results up to this size, bytes, are never rejected for the sake of others. */
const SMALL = 64 << 10;

/** What the socket may hold of later results, bytes: the size of a result is known only to within this. */
const SLACK = 8 << 20;

/** A connection that received a result larger than this, bytes, is closed: libpq never frees its buffer. */
const BUFFER_KEPT = 8 << 20;

/** ResultMeter counts the bytes of the result that a connection receives. */
export class ResultMeter {
  /** Bytes received of the current result. */
  received = 0;
  /** Largest single result, bytes. */
  readonly limit: number;
  readonly #budget: ResultBudget;

  constructor(budget: ResultBudget) {
    this.limit = budget.maxResult;
    this.#budget = budget;
  }

  /** isTooLarge tells whether the result exceeds the limit even if some of its bytes belong to later ones. */
  get isTooLarge(): boolean {
    return this.received > this.limit + SLACK;
  }

  /** outgrewBuffer tells whether libpq's buffer has become too large to be kept. */
  get outgrewBuffer(): boolean {
    return this.received > BUFFER_KEPT;
  }

  /** add counts bytes; false when the result is large and the budget exceeded. */
  add(bytes: number): boolean {
    if (bytes <= 0) return true;
    this.received += bytes;
    return this.#budget.use(bytes) || this.received <= SMALL;
  }

  reset(): void {
    this.#budget.use(-this.received);
    this.received = 0;
  }
}

export const TOO_MANY_RESULTS = 'too many large results at one time';

export function tooManyResults(): ServiceError {
  return new ServiceError('busy', TOO_MANY_RESULTS);
}

export function resultTooLarge(limit: number): ServiceError {
  return new ServiceError(
    'result_too_large',
    `result is larger than ${limit} bytes (pg.max_result)`,
  );
}
