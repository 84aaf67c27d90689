/** Statements of the service itself with a time limit: each is cancelled after it, and one with a name pauses then. */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../base/errors.js';
import {
  InternalJob,
  type InternalOptions,
  type InternalOutcome,
} from '../statement/internal-job.js';
import { OverdueStatements } from './overdue-statements.js';

/** A statement that was not answered in time. Times are milliseconds. */
export interface Overdue {
  readonly name: string;
  readonly limit: number;
  /** How long it is not repeated. */
  readonly pause: number;
}

export class TimedStatements {
  readonly #overdue = new OverdueStatements();
  readonly #onOverdue: (overdue: Overdue) => void;

  /** `onOverdue` is called once until the statement is answered. */
  constructor(onOverdue: (overdue: Overdue) => void) {
    this.#onOverdue = onOverdue;
  }

  /** run runs a statement that cannot write, with a limit in ms. Undefined when `send` has not sent the job. */
  run(
    limit: number,
    sql: string,
    values: (string | null)[],
    options: InternalOptions,
    send: (job: InternalJob) => boolean,
  ): Promise<InternalOutcome> | undefined {
    const { name } = options;
    if (name !== undefined && this.#overdue.pauses(sql, performance.now()))
      return Promise.resolve({ failure: overdue(`${name}: not asked for, after a time-out`) });
    let resolve!: (outcome: InternalOutcome) => void;
    const promise = new Promise<InternalOutcome>((settle) => (resolve = settle));
    const ended = (outcome: InternalOutcome): void => {
      clearTimeout(timer);
      if (name !== undefined && outcome.result !== undefined) this.#overdue.answered(sql);
      resolve(outcome);
    };
    const job = new InternalJob(sql, values, ended, { ...options, cannotWrite: true });
    const timer = setTimeout(() => {
      job.abandoned = true;
      if (name !== undefined && job.attempts > 0) this.#timedOut(sql, name, limit);
      const reason = `no answer in ${limit / 1000} s`;
      resolve({ failure: overdue(name === undefined ? reason : `${name}: ${reason}`) });
    }, limit);
    if (send(job)) return promise;
    clearTimeout(timer);
    return undefined;
  }

  #timedOut(sql: string, name: string, limit: number): void {
    const { isFirst, pause } = this.#overdue.timedOut(sql, performance.now());
    if (isFirst) this.#onOverdue({ name, limit, pause });
  }
}

function overdue(reason: string): ServiceError {
  return new ServiceError('timeout', reason);
}
