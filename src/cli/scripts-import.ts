/**
 * The command `scripts import`: the scripts of a folder written into the table, all of them or, when the policy is
 * `error` and one is there with another text, none.
 */
import type { ConfigSources } from '../config/load.js';
import { ImportConflict, importScripts, type ImportedScript } from '../registry/import.js';
import { problemOf } from '../script/script-files.js';
import type { CommandLine } from './command-line.js';
import { printed } from './printed.js';
import { contentOf, knownAliasOf, folderOf, requireTable, withScripts } from './scripts-command.js';
import { CommandError } from './session.js';

/** importFolder imports, tells what became of each script, and resolves to the exit code. */
export function importFolder(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withScripts(sources, async (place) => {
    const database = knownAliasOf(place, line);
    await requireTable(place);
    const { scripts, leftOut, ...rest } = await contentOf(folderOf(place, line));
    const unparsed = rest.unparsed.map(({ file, error }) => problemOf(file, error));
    for (const { file, line: at, column, message } of unparsed)
      process.stderr.write(`warning: ${file}:${at}:${column}: ${printed(message)}\n`);
    const { table, config } = place;
    const { dryRun, policy = config['queries.import_policy'] } = line;
    let imported: readonly ImportedScript[];
    try {
      imported = await importScripts(place.database, scripts, { table, database, policy, dryRun });
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
