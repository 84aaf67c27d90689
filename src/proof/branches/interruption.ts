/** Failures of statements that end a proof: the database is lost, or only this proof is blocked. */
import type { StatementFailure } from '../../postgres/statement/queryable.js';

/** isLoss tells whether other texts cannot be proved on the database either: connections, a shutdown, too many clients. */
export function isLoss({ state }: StatementFailure): boolean {
  return /^(?:08|57P|53300)/.test(state);
}

/** blockedBy says what is open of a text of which a statement was not parsed in time. */
export function blockedBy({ reason }: StatementFailure): string {
  return `PostgreSQL did not parse a statement of it, which may wait for a lock on a table: ${reason}`;
}
