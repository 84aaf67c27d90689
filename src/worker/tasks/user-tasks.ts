/**
 * The users table as tasks of a worker. Failures are results, not errors, and are logged without the name of the user.
 */
import type { Logger } from '../../observe/log.js';
import { StatementFailure, type Queryable } from '../../postgres/statement/queryable.js';
import type { UsersTable } from '../../messages/database-settings.js';
import type { MadeUsersTable, StoredUser, TaskResult } from '../../messages/tasks.js';
import { Users } from '../../stored/users/users.js';
import { errorText } from '../../base/text.js';

/** Without a users table all tasks fail. */
export class UserTasks {
  readonly #users: Users | undefined;
  readonly #log: Logger;

  constructor(table: UsersTable | undefined, database: Queryable, log: Logger) {
    this.#users = table === undefined ? undefined : new Users(table, database);
    this.#log = log;
  }

  /** find looks a user up; null when there is none, or more than one. */
  async find(username: string, requestId: string): Promise<TaskResult<StoredUser | null>> {
    const result = await this.#settle(async (users) => {
      const user = await users.find(username);
      if (user === 'ambiguous')
        this.#log.warn({ requestId }, 'a login was refused: two users have that name');
      return user === 'ambiguous' ? null : (user ?? null);
    });
    if ('failure' in result) {
      const { reason } = result.failure;
      this.#log.error({ requestId }, `a user could not be looked up: ${reason}`);
    }
    return result;
  }

  /** renew replaces the stored hash of a password, unless it has changed. */
  renew(username: string, from: string, to: string): Promise<TaskResult<null>> {
    return this.#settle(async (users) => {
      await users.renew(username, from, to);
      return null;
    });
  }

  /** make creates the users table unless it exists. */
  make(): Promise<TaskResult<MadeUsersTable>> {
    return this.#settle((users) => users.make());
  }

  async #settle<T>(work: (users: Users) => Promise<T>): Promise<TaskResult<T>> {
    try {
      if (this.#users === undefined) throw new Error('there is no users table');
      return { value: await work(this.#users) };
    } catch (error) {
      const reason = errorText(error);
      const passing = error instanceof StatementFailure && error.passing;
      return { failure: { reason, passing } };
    }
  }
}
