/** Users over a test's PostgreSQL. */
import type { Test } from 'tap';
import type { UsersTable } from '#app/messages/database-settings.js';
import { StatementFailure } from '#app/postgres/statement/queryable.js';
import { Users } from '#app/stored/users/users.js';
import { TestDatabase } from '../../support/database.js';
import { databaseSettings } from '../../support/http-process.js';
import type { Postgres } from '../../support/postgres.js';

/** USUAL is the default configuration. */
export const USUAL: UsersTable = {
  schema: 'public',
  table: 'service_users',
  username: 'username',
  password: 'password',
  metadata: [],
};

/** usersOf opens a users table; `more` is added to the connection string. */
export function usersOf(
  t: Pick<Test, 'teardown'>,
  server: Postgres,
  table: Partial<UsersTable> = {},
  more = '',
): Users {
  const conninfo = `${databaseSettings('users', server).conninfo} ${more}`;
  return new Users({ ...USUAL, ...table }, new TestDatabase(t, server, { conninfo }).database);
}

/** fails asserts that work fails in the database, with that SQLSTATE and message. */
export async function fails(
  t: Test,
  work: Promise<unknown>,
  wanted: { readonly state?: string; readonly passing?: boolean; readonly message?: RegExp },
): Promise<void> {
  const outcome = await work.catch((error: unknown) => error);
  if (t.ok(outcome instanceof StatementFailure, 'it failed')) t.match(outcome, wanted);
}
