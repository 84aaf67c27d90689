/**
 * What the commands about users have in common: the configuration, one connection, and how a failure is told. Exit code
 * 0 when it was done, 1 when not, with the reason on standard error.
 */
import { ConfigError, loadConfig, type ConfigSources } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { databaseOf, usersTableOf } from '../config/settings.js';
import { openSession } from '../pg/session.js';
import { Users, UsersFailure } from '../users/users.js';
import { PasswordError } from './password-input.js';

/** CommandError is a command that was not done; its message says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Where a users table is, as the configuration has it. */
export interface UsersPlace {
  readonly users: Users;
  /** `schema.table`. */
  readonly table: string;
  readonly config: Config;
}

/** withUsers does something with the users table and resolves to the exit code. */
export async function withUsers(
  sources: ConfigSources,
  work: (place: UsersPlace) => Promise<void>,
): Promise<number> {
  try {
    const { config } = loadConfig(sources);
    const settings = databaseOf(config);
    const database = openSession(settings, config['pg.max_result']);
    try {
      const table = usersTableOf(config);
      const users = new Users(table, database);
      await work({ users, table: `${table.schema}.${table.table}`, config });
      return 0;
    } finally {
      database.close();
    }
  } catch (error) {
    for (const reason of reasonsOf(error)) process.stderr.write(`error: ${reason}\n`);
    return 1;
  }
}

/** requireTable rejects when there is no users table. */
export async function requireTable({ users, table }: UsersPlace): Promise<void> {
  if (!(await users.exists()))
    throw new CommandError(
      `there is no table ${table}: make it with sql-rest-service migrate up auth`,
    );
}

function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems;
  if (error instanceof UsersFailure) return [`the database refused: ${error.reason}`];
  if (error instanceof CommandError || error instanceof PasswordError) return [error.message];
  throw error;
}
