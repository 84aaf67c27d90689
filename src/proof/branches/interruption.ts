/** What ends a proof early: its time is over, the database is lost, or a statement of it is blocked. */
import type { StatementFailure } from '../../postgres/statement/queryable.js';

/** OutOfTime ends the proof of a script whose time was over while PostgreSQL parsed a statement. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';

  constructor() {
    super('the time for the proof is over');
  }
}

/** isLoss tells whether other texts cannot be proved on the database either: connections, a shutdown, too many clients. */
export function isLoss({ state }: StatementFailure): boolean {
  return /^(?:08|57P|53300)/.test(state);
}

/** blockedBy says what is open of a text of which a statement was not parsed in time. */
export function blockedBy({ reason }: StatementFailure): string {
  return `PostgreSQL did not parse a statement of it, which may wait for a lock on a table: ${reason}`;
}
