/** One connection for what is not a request: the command line's statements. */
import type { DatabaseSettings } from '../protocol.js';
import { ConnectionShare } from './connection-share.js';
import { Database } from './database.js';
import { ResultBudget } from './result-budget.js';

/** Largest result, bytes: all stored scripts may be one. `pg.max_result` bounds what callers of the service get. */
const MOST = 1 << 30;

/** openSession gives a database with a single connection, made when it is needed. It lives until it is closed. */
export function openSession(settings: DatabaseSettings): Database {
  const budget = new ResultBudget(MOST, 2 * MOST);
  return new Database(settings, budget, new ConnectionShare(new Int32Array([1, 0]), 0));
}
