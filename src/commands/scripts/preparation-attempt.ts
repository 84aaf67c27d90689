/**
 * One attempt to create the scripts table and to import the scripts folder. It logs one line for the outcome, and warnings
 * for scripts that cannot be used. It never rejects.
 */
import type { Logger } from '../../observe/log.js';
import { StatementFailure } from '../../postgres/statement/queryable.js';
import { openSession, type Database } from '../../postgres/lanes/database.js';
import { FolderTooLarge, readFolder, type FolderContent } from '../../stored/scripts/folder.js';
import { ImportConflict, importScripts, type ImportedScript } from '../../stored/scripts/import.js';
import { REGISTRY } from '../../stored/scripts/scripts-table.js';
import { ScriptsDdl } from '../../stored/scripts/ddl.js';
import { warnUnusable } from '../../script/warnings/text-warnings.js';
import type { Attempt, Preparation } from './script-preparation.js';
import { systemErrorText } from '../../base/text.js';

export async function attempt(preparation: Preparation, log: Logger): Promise<Attempt> {
  const { table } = preparation;
  const database = openSession(preparation.database);
  try {
    return await prepare(preparation, database, log);
  } catch (error) {
    if (error instanceof ImportConflict)
      return { refused: `the scripts are not imported: ${error.message}` };
    if (error instanceof StatementFailure) {
      // Class 40 is a rollback because of concurrent transactions.
      if (error.passing || error.state.startsWith('40')) return { again: error.reason };
      log.error(table, `the scripts table cannot be prepared: ${error.reason}`);
    } else log.error(table, `the scripts are not imported: ${importFailure(error)}`);
    return 'failed';
  } finally {
    database.close();
  }
}

async function prepare(
  preparation: Preparation,
  database: Database,
  log: Logger,
): Promise<'settled' | 'failed'> {
  const { table, policy, location } = preparation;
  const ddl = new ScriptsDdl(table, database);
  const found = preparation.migrate
    ? await ddl.make()
    : {
        made: false,
        unusable: await ddl.unusable(),
        unwatched: await ddl.unwatched(),
      };
  if (found.unusable !== undefined) {
    log.error(table, `the scripts table cannot be used: ${found.unusable}`);
    return 'failed';
  }
  let content: FolderContent | undefined;
  let imported: readonly ImportedScript[] = [];
  if (preparation.import) {
    content = await readFolder(location);
    imported = await importScripts(database, content.scripts, { table, database: '', policy });
  }
  if (found.unwatched !== undefined)
    log.warn(
      table,
      `scripts have no history, and their changes are found by polling only: ${found.unwatched}`,
    );
  if (content !== undefined) warn(content, preparation, log);
  const count = (outcome: ImportedScript['outcome']): number =>
    imported.filter((script) => script.outcome === outcome).length;
  const counts = content && {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    skipped: count('skipped'),
  };
  log.info({ ...table, ...counts }, `the scripts table ${found.made ? 'was made' : 'is there'}`);
  return 'settled';
}

function warn(
  { scripts, leftOut, unparsed }: FolderContent,
  { registry }: Preparation,
  log: Logger,
): void {
  for (const { file, message } of leftOut)
    log.warn({ file }, `the file is not imported: ${message}`);
  for (const { script, verb, error } of unparsed) warnUnusable(log, script, verb, error);
  if (registry && scripts.some((script) => script.location === REGISTRY))
    log.warn(
      { folder: REGISTRY },
      'scripts of this folder cannot be called while the registry is offered',
    );
}

function importFailure(error: unknown): string {
  if (error instanceof FolderTooLarge) return error.message;
  return systemErrorText(error);
}
