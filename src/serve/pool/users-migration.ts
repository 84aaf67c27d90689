/**
 * Creates the users table when the service starts. While the database is unreachable it tries again with back-off; the
 * outcome is logged in one line. The service runs in any case: without the table, logins fail.
 */
import type { Logger } from '../../observe/log.js';
import type { UsersTable } from '../../messages/database-settings.js';
import type { MadeUsersTable, TaskResult } from '../../messages/tasks.js';
import { Backoff } from '../../base/backoff.js';

/** Wait before another attempt (milliseconds), doubled each time up to LONGEST_WAIT. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

export class UsersMigration {
  readonly #fields: { readonly schema: string; readonly table: string };
  readonly #make: () => Promise<TaskResult<MadeUsersTable>>;
  readonly #log: Logger;
  readonly #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `make` creates the table unless it exists; it rejects when no worker could try. */
  constructor(
    { schema, table }: UsersTable,
    make: () => Promise<TaskResult<MadeUsersTable>>,
    log: Logger,
  ) {
    this.#fields = { schema, table };
    this.#make = make;
    this.#log = log;
    void this.#try();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #try(): Promise<void> {
    let result: TaskResult<MadeUsersTable> | undefined;
    try {
      result = await this.#make();
    } catch {
      // No worker was running, or it died, which says nothing about the database.
    }
    if (this.#stopped) return;
    if (result !== undefined && 'value' in result) this.#logOutcome(result.value);
    else if (result !== undefined && !result.failure.passing)
      this.#log.warn(this.#fields, `the users table cannot be made: ${result.failure.reason}`);
    else this.#timer = setTimeout(() => void this.#try(), this.#backoff.next());
  }

  #logOutcome({ made, needed, metadata }: MadeUsersTable): void {
    const warn = (lacking: readonly string[], effect: string): void =>
      this.#log.warn(
        this.#fields,
        `the users table has no column ${lacking.join(', ')}: ${effect}`,
      );
    if (needed.length > 0) warn(needed, 'logins fail');
    else if (metadata.length > 0) warn(metadata, 'auth.metadata omits it');
    else this.#log.info(this.#fields, `the users table ${made ? 'was created' : 'exists'}`);
  }
}
