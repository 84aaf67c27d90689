/** A request that logs how its statement ran, with `log.level = "debug"`; at other levels requests are plain queries. */
import { performance } from 'node:perf_hooks';
import type { QueryRequest } from '../batch.js';
import type { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { StatementResult } from '../pg/job.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import { Query } from './query.js';
import type { Responder } from './responder.js';

export class TracedQuery extends Query {
  readonly #log: Logger;
  #attempts = 0;
  /** When it was sent last, ms. */
  #sent: number | undefined;
  #lane: 'fast' | 'slow' | undefined;

  constructor(responder: Responder, request: QueryRequest, claimSettings: boolean, log: Logger) {
    super(responder, request, claimSettings);
    this.#log = log;
    // The connection counts the attempts whenever it sends the statement.
    Object.defineProperty(this, 'attempts', {
      get: () => this.#attempts,
      set: (attempts: number) => {
        if (attempts > this.#attempts) this.#isSent();
        this.#attempts = attempts;
      },
    });
  }

  override done(result: StatementResult): void {
    this.#trace('a statement has run');
    super.done(result);
  }

  override failed(failure: SqlFailure | ServiceError): void {
    this.#trace('a statement has failed, or was not sent');
    super.failed(failure);
  }

  #isSent(): void {
    const now = performance.now();
    this.#sent = now;
    this.#lane = this.cost === undefined || this.cost.isFast(now) ? 'fast' : 'slow';
  }

  /** `wait` is the time until a connection was free, `ms` that of the statement. */
  #trace(message: string): void {
    const now = performance.now();
    const { requestId, alias } = this.request;
    const sent = this.#sent;
    this.#log.debug(
      {
        requestId,
        script: this.path,
        alias,
        lane: this.#lane,
        wait: this.since === 0 ? undefined : tenths((sent ?? now) - this.since),
        ms: sent === undefined ? undefined : tenths(now - sent),
        attempts: this.#attempts,
      },
      message,
    );
  }
}

function tenths(time: number): number {
  return Math.round(Math.max(0, time) * 10) / 10;
}
