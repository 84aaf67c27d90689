/**
 * The commands `migrate up auth` and `migrate down auth`: make the users table, drop it. An existing table is never
 * altered, and one with users is dropped only with `--yes`.
 */
import type { ConfigSources } from '../config/load.js';
import { CommandError } from './session.js';
import { withUsers } from './users-command.js';

/** migrateUp makes the users table unless it is there, and resolves to the exit code. */
export function migrateUp(sources: ConfigSources): Promise<number> {
  return withUsers(sources, async ({ users, table }) => {
    const { made, needed, metadata } = await users.make();
    if (needed.length > 0)
      throw new CommandError(
        `the table ${table} is there, without the column ${needed.join(', ')}: set auth.username and auth.password, or another auth.table`,
      );
    process.stdout.write(`${table} ${made ? 'was made' : 'is there already'}\n`);
    if (metadata.length > 0)
      process.stderr.write(
        `warning: auth.metadata: ${table} has no column ${metadata.join(', ')}\n`,
      );
  });
}

/** migrateDown drops the users table and resolves to the exit code; `yes` agrees to losing users. */
export function migrateDown(sources: ConfigSources, yes: boolean): Promise<number> {
  return withUsers(sources, async ({ users, table }) => {
    if (!(await users.exists())) {
      process.stdout.write(`${table} is not there\n`);
      return;
    }
    if (!yes && !(await users.isEmpty()))
      throw new CommandError(`there are users in ${table}; --yes drops them with it`);
    await users.drop();
    process.stdout.write(`${table} was dropped\n`);
  });
}
