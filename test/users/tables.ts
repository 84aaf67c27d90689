/** Users over a test's PostgreSQL. */
import type { Test } from 'tap';
import type { UsersTable } from '#app/protocol.js';
import { StatementFailure } from '#app/pg/asked.js';
import { Users } from '#app/users/users.js';
import { TestDatabase } from '../support/database.js';
import { databaseSettings } from '../support/front-end.js';
import type { Postgres } from '../support/postgres.js';

/** USUAL is the table as it is called unless configured. */
export const USUAL: UsersTable = {
  schema: 'public',
  table: 'service_users',
  username: 'username',
  password: 'password',
  metadata: [],
};

/** usersOf are those of a table, as the settings name it; `more` is added to the connection string. */
export function usersOf(
  t: Pick<Test, 'teardown'>,
  server: Postgres,
  table: Partial<UsersTable> = {},
  more = '',
): Users {
  const conninfo = `${databaseSettings('users', server).conninfo} ${more}`;
  return new Users({ ...USUAL, ...table }, new TestDatabase(t, server, { conninfo }).database);
}

/** fails tells whether work was refused by the database in that way. */
export async function fails(
  t: Test,
  work: Promise<unknown>,
  wanted: { readonly state?: string; readonly passing?: boolean; readonly message?: RegExp },
): Promise<void> {
  const outcome = await work.catch((error: unknown) => error);
  if (t.ok(outcome instanceof StatementFailure, 'it failed')) t.match(outcome, wanted);
}
