/**
 * Statements of the service itself that were not answered in time. PostgreSQL may go on with one (JIT compilation hears no
 * cancel), so that it is not repeated at once, on a new connection: attempts fail for a while instead, for longer after each
 * that was in vain.
 */
import { Backoff } from '../../base/backoff.js';

/** Pauses, ms. */
const FIRST_PAUSE = 5_000;
const LONGEST_PAUSE = 300_000;

export class OverdueStatements {
  /** By their text. */
  readonly #pausing = new Map<string, { readonly backoff: Backoff; readonly until: number }>();

  /** pauses tells whether a statement fails at time `now`, ms. */
  pauses(sql: string, now: number): boolean {
    const pausing = this.#pausing.get(sql);
    return pausing !== undefined && now < pausing.until;
  }

  /** timedOut begins a pause, ms; `isFirst` tells whether the statement had been answered before. */
  timedOut(sql: string, now: number): { readonly pause: number; readonly isFirst: boolean } {
    const before = this.#pausing.get(sql);
    const { backoff } = before ?? { backoff: new Backoff(FIRST_PAUSE, LONGEST_PAUSE) };
    const pause = backoff.next();
    this.#pausing.set(sql, { backoff, until: now + pause });
    return { pause, isFirst: before === undefined };
  }

  answered(sql: string): void {
    this.#pausing.delete(sql);
  }
}
