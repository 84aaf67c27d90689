/** A change of a record during which the connection was lost: it may have been made, so it is never tried again. */
import { StatementFailure } from '../../postgres/statement/queryable.js';

/** SQLSTATEs of a lost connection; 08001 and 08004 mean that a connection was never established. */
const LOST = /^(?:08(?!001|004)|57P0)/;

export class UncertainWrite extends Error {
  override readonly name = 'UncertainWrite';
  override readonly cause: StatementFailure;

  constructor(cause: StatementFailure) {
    super('the connection to the database was lost: it is not known whether the change was made');
    this.cause = cause;
  }
}

/** Rejects with UncertainWrite when the connection was lost. */
export async function written<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof StatementFailure && LOST.test(error.state))
      throw new UncertainWrite(error);
    throw error;
  }
}
