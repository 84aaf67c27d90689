/**
 * The command `scripts import`: writes the scripts of a folder into the table. Under the policy `error`, nothing is imported
 * when one of them is stored with another text.
 */
import type { ConfigSources } from '../config/load.js';
import { ImportConflict, importScripts, type ImportedScript } from '../../stored/scripts/import.js';
import { problemOf, problemPlace } from '../../script/files/script-files.js';
import type { CommandLine } from '../line/command-line.js';
import { printable } from '../line/printable.js';
import {
  contentOf,
  knownAliasOf,
  folderOf,
  requireScriptsTable,
  withScripts,
} from './scripts-command.js';
import { CommandError } from '../line/session.js';

/** importFolder prints the outcome for each script, and resolves to the exit code. */
export function importFolder(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withScripts(sources, async (session) => {
    const database = knownAliasOf(session, line);
    await requireScriptsTable(session);
    const { scripts, leftOut, ...rest } = await contentOf(folderOf(session, line));
    const unparsed = rest.unparsed.map(({ file, error }) => problemOf(file, error));
    for (const problem of unparsed)
      process.stderr.write(`warning: ${problemPlace(problem)}: ${printable(problem.message)}\n`);
    const { table, config } = session;
    const { dryRun, policy = config['queries.import_policy'] } = line;
    let imported: readonly ImportedScript[];
    try {
      imported = await importScripts(session.database, scripts, {
        table,
        database,
        policy,
        dryRun,
      });
    } catch (error) {
      if (error instanceof ImportConflict)
        throw new CommandError(`nothing was imported: ${error.message}`);
      throw error;
    }
    process.stdout.write(
      line.json
        ? `${JSON.stringify({ dryRun, scripts: imported, unparsed, leftOut }, undefined, 2)}\n`
        : imported
            .map(({ outcome, location, name }) => `${outcome} ${location}/${name}\n`)
            .join(''),
    );
    if (dryRun) process.stderr.write('dry run: nothing was changed\n');
  });
}
