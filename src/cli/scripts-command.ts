/**
 * What the commands about stored scripts have in common: the table as the configuration has it, and the folder that it is
 * compared with.
 */
import { resolve } from 'node:path';
import { configuredDatabases } from '../config/databases.js';
import type { ConfigSources } from '../config/load.js';
import { namedScriptsTableOf } from '../config/settings.js';
import type { ScriptsTable } from '../protocol.js';
import { FolderTooLarge, readFolder, type FolderContent } from '../registry/folder.js';
import { Records } from '../registry/records.js';
import { ScriptStorage } from '../registry/storage.js';
import { isIdentifier } from '../script/verb.js';
import type { CommandLine } from './command-line.js';
import { quoted } from './printed.js';
import { CommandError, withSession, type Session } from './session.js';

/** Where stored scripts are, as the configuration has it. */
export interface ScriptsPlace extends Session {
  readonly table: ScriptsTable;
  /** `schema.table`. */
  readonly name: string;
  readonly storage: ScriptStorage;
  readonly records: Records;
}

/** withScripts does something with the table of scripts and resolves to the exit code. */
export function withScripts(
  sources: ConfigSources,
  work: (place: ScriptsPlace) => Promise<void>,
): Promise<number> {
  return withSession(sources, async (session) => {
    const table = namedScriptsTableOf(session.config);
    const { database } = session;
    await work({
      ...session,
      table,
      name: `${table.schema}.${table.table}`,
      storage: new ScriptStorage(table, database),
      records: new Records(table, database),
    });
  });
}

/** requireTable rejects when there is no table that can hold scripts. */
export async function requireTable({ storage, name }: ScriptsPlace): Promise<void> {
  if (!(await storage.exists()))
    throw new CommandError(
      `there is no table ${name}: make it with sql-rest-service migrate up queries`,
    );
  const unusable = await storage.unusable();
  if (unusable !== undefined)
    throw new CommandError(`the table ${name} cannot be used: ${unusable}`);
}

/** aliasOf is the alias that scripts are for, empty when they are for all databases; warns where there is none such. */
export function aliasOf(session: Session, line: CommandLine): string {
  const alias = namedAlias(line);
  const unknown = unknownAlias(session, alias);
  if (unknown !== undefined) process.stderr.write(`warning: ${unknown}\n`);
  return alias;
}

/** knownAliasOf is aliasOf for a command that would store scripts which nobody could call: it refuses them. */
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

/** Says that no database has an alias. */
function unknownAlias({ config }: Session, alias: string): string | undefined {
  const known = configuredDatabases(config).map((database) => database.alias);
  if (alias === '' || known.includes(alias)) return undefined;
  const there = `there ${known.length === 1 ? 'is' : 'are'} ${known.map(quoted).join(', ')}`;
  return `no database has the alias ${quoted(alias)}; ${there}`;
}

/** folderOf is the folder that the command names, or that of the configuration. */
export function folderOf({ config }: Session, { operand }: CommandLine): string {
  return operand === '' ? config['queries.location'] : resolve(operand);
}

/** contentOf reads a folder, and says what in it is no script. */
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
