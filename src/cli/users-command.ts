/** What the commands about users have in common: the users table as the configuration has it. */
import type { ConfigSources } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { usersTableOf } from '../config/settings.js';
import { Users } from '../users/users.js';
import { CommandError, withSession } from './session.js';

/** Where a users table is, as the configuration has it. */
export interface UsersPlace {
  readonly users: Users;
  /** `schema.table`. */
  readonly table: string;
  readonly config: Config;
}

/** withUsers does something with the users table and resolves to the exit code. */
export function withUsers(
  sources: ConfigSources,
  work: (place: UsersPlace) => Promise<void>,
): Promise<number> {
  return withSession(sources, async ({ config, database }) => {
    const table = usersTableOf(config);
    const users = new Users(table, database);
    await work({ users, table: `${table.schema}.${table.table}`, config });
  });
}

/** requireTable rejects when there is no users table. */
export async function requireTable({ users, table }: UsersPlace): Promise<void> {
  if (!(await users.exists()))
    throw new CommandError(
      `there is no table ${table}: make it with sql-rest-service migrate up auth`,
    );
}
