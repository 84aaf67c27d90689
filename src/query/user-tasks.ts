/**
 * The users table as tasks of a worker. Failures are results, not errors, and are logged without the name of the user.
 */
import type { Logger } from '../log.js';
import { StatementFailure, type Queryable } from '../pg/queryable.js';
import type { UsersTable } from '../settings.js';
import type { MadeUsersTable, StoredUser, TaskResult } from '../tasks.js';
import { Users } from '../users/users.js';
import { errorText } from '../text.js';

/** Without a users table all tasks fail. */
export class UserTasks {
  readonly #users: Users | undefined;
  readonly #log: Logger;

  constructor(table: UsersTable | undefined, database: Queryable, log: Logger) {
    this.#users = table === undefined ? undefined : new Users(table, database);
    this.#log = log;
  }

  /** find looks a user up; null when there is none, or more than one. */
  find(username: string): Promise<TaskResult<StoredUser | null>> {
    return this.#settle('a user could not be looked up', async (users) => {
      const user = await users.find(username);
      if (user === 'ambiguous') this.#log.warn('a login was refused: two users have that name');
      return user === 'ambiguous' ? null : (user ?? null);
    });
  }

  /** renew replaces the stored hash of a password, unless it has changed. */
  renew(username: string, from: string, to: string): Promise<TaskResult<null>> {
    return this.#settle(undefined, async (users) => {
      await users.renew(username, from, to);
      return null;
    });
  }

  /** make creates the users table unless it exists. */
  make(): Promise<TaskResult<MadeUsersTable>> {
    return this.#settle(undefined, (users) => users.make());
  }

  /** `what` is logged with the reason of a failure; undefined when the HTTP process logs it. */
  async #settle<T>(
    what: string | undefined,
    work: (users: Users) => Promise<T>,
  ): Promise<TaskResult<T>> {
    try {
      if (this.#users === undefined) throw new Error('there is no users table');
      return { value: await work(this.#users) };
    } catch (error) {
      const reason = errorText(error);
      if (what !== undefined) this.#log.error(`${what}: ${reason}`);
      const passing = error instanceof StatementFailure && error.passing;
      return { failure: { reason, passing } };
    }
  }
}
