/**
 * Makes the users table when the service starts. While the database is away it is tried again, with waits that grow; the
 * log gets one line of what came of it. Whatever that is, the service goes on: without the table nobody can log in.
 */
import type { Logger } from '../log.js';
import type { MadeUsersTable, TaskResult, UsersTable } from '../protocol.js';

/** Wait before another attempt (milliseconds): doubled each time up to the last. */
const WAIT_FIRST = 500;
const WAIT_LAST = 15_000;

/** UsersMigration tries until the table is there, or it is known that it cannot be made. */
export class UsersMigration {
  readonly #fields: { readonly schema: string; readonly table: string };
  readonly #make: () => Promise<TaskResult<MadeUsersTable>>;
  readonly #log: Logger;
  #wait = WAIT_FIRST;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `make` makes the table unless it is there; it rejects when it could not be tried. */
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

  /** stop ends the attempts. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #try(): Promise<void> {
    let result: TaskResult<MadeUsersTable> | undefined;
    try {
      result = await this.#make();
    } catch {
      // No worker was there, or it died: that says nothing about the database.
    }
    if (this.#stopped) return;
    if (result !== undefined && 'value' in result) this.#tell(result.value);
    else if (result !== undefined && !result.failure.passing)
      this.#log.warn(this.#fields, `the users table cannot be made: ${result.failure.reason}`);
    else {
      this.#timer = setTimeout(() => void this.#try(), this.#wait);
      this.#wait = Math.min(this.#wait * 2, WAIT_LAST);
    }
  }

  #tell({ made, needed, metadata }: MadeUsersTable): void {
    if (needed.length > 0)
      this.#log.warn(
        this.#fields,
        `the users table has no column ${needed.join(', ')}: nobody can log in`,
      );
    else if (metadata.length > 0)
      this.#log.warn(
        this.#fields,
        `the users table has no column ${metadata.join(', ')}: auth.metadata goes without`,
      );
    else this.#log.info(this.#fields, `the users table ${made ? 'was made' : 'is there'}`);
  }
}
