/**
 * What a front end asks of a worker about users. Nothing is thrown: a failure is an answer, and stands in the log without
 * the name that was asked for.
 */
import type { Logger } from '../log.js';
import { StatementFailure, type Asked } from '../pg/asked.js';
import type { MadeUsersTable, StoredUser, TaskResult, UsersTable } from '../protocol.js';
import { Users } from '../users/users.js';

/** UserTasks answers tasks; without a users table it refuses all of them. */
export class UserTasks {
  readonly #users: Users | undefined;
  readonly #log: Logger;

  constructor(table: UsersTable | undefined, database: Asked, log: Logger) {
    this.#users = table === undefined ? undefined : new Users(table, database);
    this.#log = log;
  }

  /** find looks a user up: null when there is none, or several. */
  find(username: string): Promise<TaskResult<StoredUser | null>> {
    return this.#settle('a user could not be looked up', async (users) => {
      const user = await users.find(username);
      if (user === 'ambiguous') this.#log.warn('a login was refused: two users have that name');
      return user === 'ambiguous' ? null : (user ?? null);
    });
  }

  /** renew stores a new hash in the place of an old one. */
  renew(username: string, from: string, to: string): Promise<TaskResult<null>> {
    return this.#settle(undefined, async (users) => {
      await users.renew(username, from, to);
      return null;
    });
  }

  /** make makes the users table unless it is there. */
  make(): Promise<TaskResult<MadeUsersTable>> {
    return this.#settle(undefined, (users) => users.make());
  }

  /** `what` is logged with the reason of a failure, unless the front end does. */
  async #settle<T>(
    what: string | undefined,
    work: (users: Users) => Promise<T>,
  ): Promise<TaskResult<T>> {
    try {
      if (this.#users === undefined) throw new Error('there is no users table');
      return { value: await work(this.#users) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (what !== undefined) this.#log.error(`${what}: ${reason}`);
      const passing = error instanceof StatementFailure && error.passing;
      return { failure: { reason, passing } };
    }
  }
}
