/**
 * A request whose times are taken: with `log.level = "debug"`, which logs how its statement ran, for Server-Timing, and for
 * its spans. All others are plain queries.
 */
import { performance } from 'node:perf_hooks';
import type { ServiceError } from '../../base/errors.js';
import { headerLine } from '../../base/headers.js';
import type { Logger } from '../../observe/log.js';
import { LONGEST_LINES } from '../../native/response-ring.js';
import type { ResultForm, StatementResult } from '../../postgres/statement/job.js';
import type { SqlFailure } from '../../postgres/statement/sql-failure.js';
import { Query, type Outcomes } from '../query.js';

/** tenths rounds a time for the log, ms. */
export function tenths(time: number): number {
  return Math.round(Math.max(0, time) * 10) / 10;
}

export class TimedQuery extends Query {
  readonly #log: Logger | undefined;
  readonly #sendsTimes: boolean;
  /** When it was taken from its batch, and when it went to its database, ms. */
  readonly #taken = performance.now();
  #submitted: number | undefined;

  /** With `log`, its times are logged there; with `sendsTimes` its response has them. */
  constructor(
    responder: Outcomes,
    request: Query['request'],
    claimSettings: boolean,
    log: Logger | undefined,
    sendsTimes: boolean,
  ) {
    super(responder, request, claimSettings);
    this.#log = log;
    this.#sendsTimes = sendsTimes;
  }

  /** A response with header lines has no place in the response ring before it is complete. */
  override get valueForm(): ResultForm {
    return this.#sendsTimes ? 'value' : super.valueForm;
  }

  override get taken(): number {
    return this.#taken;
  }

  override get submitted(): number | undefined {
    return this.#submitted;
  }

  override submittedAt(): number {
    return (this.#submitted = performance.now());
  }

  /** Times that are not known are left out, and so are all where the lines have no room. */
  override withTimes(lines: string): string {
    if (!this.#sendsTimes) return lines;
    const { run } = this;
    const times: string[] = [];
    const add = (name: string, from: number, to: number): number =>
      times.push(`${name};dur=${tenths(to - from)}`);
    if (run !== undefined) add('wait', this.since, run.began);
    if (this.#submitted !== undefined) add('render', this.#taken, this.#submitted);
    if (run !== undefined) add('db', run.began, run.ended);
    const line = times.length === 0 ? '' : headerLine('Server-Timing', times.join(', '));
    return lines.length + line.length > LONGEST_LINES ? lines : lines + line;
  }

  override get slowAfter(): number {
    return 0;
  }

  override done(result: StatementResult): void {
    this.#logTimes('a statement has run');
    super.done(result);
  }

  override failed(failure: SqlFailure | ServiceError): void {
    this.#logTimes('a statement has failed, or was not sent');
    super.failed(failure);
  }

  #logTimes(message: string): void {
    if (this.#log === undefined) return;
    const { run } = this;
    const { alias } = this.request;
    this.#log.debug(
      {
        ...this.ids,
        script: this.path,
        alias,
        lane: run?.lane,
        wait: this.since === 0 ? undefined : tenths((run?.began ?? performance.now()) - this.since),
        ms: run && tenths(run.ended - run.began),
        attempts: this.attempts,
      },
      message,
    );
  }
}
