/**
 * Shared by the commands about stored scripts: the configured table, the alias and the folder.
 */
import { resolve } from 'node:path';
import { configuredDatabases } from '../config/databases.js';
import type { ConfigSources } from '../config/load.js';
import { namedScriptsTableOf } from '../config/settings.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { FolderTooLarge, readFolder, type FolderContent } from '../../stored/scripts/folder.js';
import { Records } from '../../stored/registry/records.js';
import { ScriptsDdl } from '../../stored/scripts/ddl.js';
import { isIdentifier } from '../../base/identifier.js';
import type { CommandLine } from '../line/command-line.js';
import { quoted } from '../line/printable.js';
import { CommandError, withSession, type Session } from '../line/session.js';

export interface ScriptsSession extends Session {
  readonly table: ScriptsTable;
  /** `schema.table`. */
  readonly name: string;
  readonly ddl: ScriptsDdl;
  readonly records: Records;
}

/** withScripts runs `work` with the scripts table, and resolves to the exit code. */
export function withScripts(
  sources: ConfigSources,
  work: (session: ScriptsSession) => Promise<void>,
): Promise<number> {
  return withSession(sources, async (session) => {
    const table = namedScriptsTableOf(session.config);
    const { database } = session;
    await work({
      ...session,
      table,
      name: `${table.schema}.${table.table}`,
      ddl: new ScriptsDdl(table, database),
      records: new Records(table, database),
    });
  });
}

/** requireScriptsTable rejects when the scripts table does not exist or cannot be used. */
export async function requireScriptsTable({ ddl, name }: ScriptsSession): Promise<void> {
  if (!(await ddl.exists()))
    throw new CommandError(
      `there is no table ${name}: make it with sql-rest-service migrate up queries`,
    );
  const unusable = await ddl.unusable();
  if (unusable !== undefined)
    throw new CommandError(`the table ${name} cannot be used: ${unusable}`);
}

/** aliasOf is the alias of `--database`, empty for all databases; it prints a warning when no database has it. */
export function aliasOf(session: Session, line: CommandLine): string {
  const alias = namedAlias(line);
  const unknown = unknownAlias(session, alias);
  if (unknown !== undefined) process.stderr.write(`warning: ${unknown}\n`);
  return alias;
}

/** knownAliasOf is aliasOf for an import: it throws when no database has the alias. */
export function knownAliasOf(session: Session, line: CommandLine): string {
  const alias = namedAlias(line);
  const unknown = unknownAlias(session, alias);
  if (unknown !== undefined) throw new CommandError(unknown);
  return alias;
}

function namedAlias({ database = '' }: CommandLine): string {
  if (database !== '' && !isIdentifier(database))
    throw new CommandError(`invalid database ${quoted(database)}`);
  return database;
}

/** The message that no database has an alias; undefined when one has it. */
function unknownAlias({ config }: Session, alias: string): string | undefined {
  const known = configuredDatabases(config).map((database) => database.alias);
  if (alias === '' || known.includes(alias)) return undefined;
  const there = `there ${known.length === 1 ? 'is' : 'are'} ${known.map(quoted).join(', ')}`;
  return `no database has the alias ${quoted(alias)}; ${there}`;
}

/** folderOf is the folder in the command line, otherwise the configured one. */
export function folderOf({ config }: Session, { operand }: CommandLine): string {
  return operand === '' ? config['queries.location'] : resolve(operand);
}

/** contentOf reads a folder, and prints a warning for each file that is not a script. */
export async function contentOf(folder: string): Promise<FolderContent> {
  let content: FolderContent;
  try {
    content = await readFolder(folder);
  } catch (error) {
    if (error instanceof FolderTooLarge) throw new CommandError(error.message);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandError(`${folder} cannot be read: ${code}`);
  }
  for (const { file, message } of content.leftOut)
    process.stderr.write(`warning: ${quoted(file)} is left out: ${message}\n`);
  return content;
}
