/**
 * The commands `migrate up queries` and `migrate down queries`: make the scripts table with its history, drop both. The
 * columns of an existing table are never altered, and one with scripts is dropped only with `--yes`.
 */
import type { ConfigSources } from '../config/load.js';
import { withScripts } from './scripts-command.js';
import { CommandError } from './session.js';

/** migrateUp makes the scripts table, and its history, unless they are there; it resolves to the exit code. */
export function migrateUp(sources: ConfigSources): Promise<number> {
  return withScripts(sources, async ({ storage, name }) => {
    const { made, unusable, unwatched } = await storage.make();
    if (unusable !== undefined)
      throw new CommandError(
        `the table ${name} is there, but ${unusable}: set another queries.table`,
      );
    process.stdout.write(`${name} ${made ? 'was made' : 'is there already'}\n`);
    if (unwatched !== undefined)
      process.stderr.write(
        `warning: without history, and changes are found by looking alone: ${unwatched}\n`,
      );
  });
}

/** migrateDown drops the scripts table and its history; it resolves to the exit code. `yes` agrees to losing scripts. */
export function migrateDown(sources: ConfigSources, yes: boolean): Promise<number> {
  return withScripts(sources, async ({ storage, name }) => {
    if (!(await storage.exists())) {
      process.stdout.write(`${name} is not there\n`);
      return;
    }
    if (!yes && !(await storage.isEmpty()))
      throw new CommandError(`there are scripts in ${name}; --yes drops them and their history`);
    await storage.drop();
    process.stdout.write(`${name} was dropped\n`);
  });
}
