/**
 * The commands `migrate up` and `migrate down`: create or drop the users table, and the scripts table with its history. The
 * columns of an existing table are never altered, and a table with rows is dropped only with `--yes`. All resolve to the
 * exit code.
 */
import type { ConfigSources } from './config/load.js';
import { withScripts } from './scripts/scripts-command.js';
import { CommandError } from './line/session.js';
import { withUsers } from './user.js';
import type { ScriptsDdl } from '../stored/scripts/ddl.js';

export function createUsersTable(sources: ConfigSources): Promise<number> {
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

export function dropUsersTable(sources: ConfigSources, yes: boolean): Promise<number> {
  return withUsers(sources, ({ users, table }) =>
    drop(users, table, yes, `there are users in ${table}; --yes drops them with it`),
  );
}

export function createScriptsTable(sources: ConfigSources): Promise<number> {
  return withScripts(sources, async ({ ddl, name }) => {
    const { made, unusable, unwatched } = await ddl.make();
    if (unusable !== undefined)
      throw new CommandError(
        `the table ${name} is there, but ${unusable}: set another queries.table`,
      );
    process.stdout.write(`${name} ${made ? 'was made' : 'is there already'}\n`);
    if (unwatched !== undefined)
      process.stderr.write(
        `warning: without history, and changes are found by polling only: ${unwatched}\n`,
      );
  });
}

export function dropScriptsTable(sources: ConfigSources, yes: boolean): Promise<number> {
  return withScripts(sources, ({ ddl, name }) =>
    drop(ddl, name, yes, `there are scripts in ${name}; --yes drops them and their history`),
  );
}

/** Drops a table; with rows in it, and without `yes`, it throws CommandError with the reason `full`. */
async function drop(
  table: Pick<ScriptsDdl, 'exists' | 'isEmpty' | 'drop'>,
  name: string,
  yes: boolean,
  full: string,
): Promise<void> {
  if (!(await table.exists())) {
    process.stdout.write(`${name} is not there\n`);
    return;
  }
  if (!yes && !(await table.isEmpty())) throw new CommandError(full);
  await table.drop();
  process.stdout.write(`${name} was dropped\n`);
}
