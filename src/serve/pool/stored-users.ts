/** The users table as a login needs it, which a query worker reads and changes. */
import type { UserStore } from '../../access/logins/login.js';
import { ServiceError } from '../../base/errors.js';
import type { QueryPool } from './query-pool.js';

const NO_USERS = 'logins cannot be checked now, try again later';

/** storedUsers rejects with ServiceError `busy`, or where a hash cannot be renewed with an Error that says why. */
export function storedUsers(pool: Pick<QueryPool, 'ask'>): UserStore {
  return {
    async findUser(username, requestId) {
      const result = await pool.ask('findUser', { username, requestId });
      if ('failure' in result) throw new ServiceError('busy', NO_USERS);
      return result.value;
    },
    async renewPassword(username, from, to) {
      const result = await pool.ask('renewPassword', { username, from, to });
      if ('failure' in result) throw new Error(result.failure.reason);
    },
  };
}
