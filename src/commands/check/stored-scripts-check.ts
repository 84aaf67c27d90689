/**
 * Checks stored scripts, for `check`: whether the table exists and can be used, and whether its texts parse. It changes
 * nothing.
 */
import type { Config } from '../config/schema.js';
import { databaseOf, databasesOf } from '../config/databases.js';
import { scriptsTableOf } from '../config/settings.js';
import { ServiceError } from '../../base/errors.js';
import { StatementFailure } from '../../postgres/statement/queryable.js';
import { openSession } from '../../postgres/lanes/database.js';
import { Records, type StoredRecord } from '../../stored/registry/records.js';
import { ScriptsDdl } from '../../stored/scripts/ddl.js';
import {
  problemOf,
  type ListedProblem,
  type ListedScript,
} from '../../script/files/script-files.js';
import { compileText } from '../../script/script-text.js';
import type { ListedText } from '../../script/files/script-listing.js';
import type { RoutedScript } from '../../script/scripts.js';
import { textWarnings } from '../../script/warnings/text-warnings.js';
import { VERBS } from '../../script/verb.js';
import { isIdentifier } from '../../base/identifier.js';
import { printable } from '../line/printable.js';
import type { StoredFindings } from './report.js';

/** The message for a table that `serve` will create. */
const NOT_CREATED_YET = 'it is not there yet; serve makes it';

const NONE = { listed: undefined, keys: undefined, texts: [], warnings: [], routed: [] } as const;

/** checkStoredScripts checks the table; `listed` are its scripts, undefined when the table cannot be read. */
export async function checkStoredScripts(config: Config): Promise<{
  readonly stored: StoredFindings | null;
  readonly listed: readonly ListedScript[] | undefined;
  /** `alias/folder/name` of each record; undefined when the table cannot be read. */
  readonly keys: ReadonlySet<string> | undefined;
  readonly texts: readonly ListedText[];
  readonly warnings: readonly ListedProblem[];
  /** Those with paths of their own that can be requested. */
  readonly routed: readonly RoutedScript[];
}> {
  const table = scriptsTableOf(config);
  if (table === undefined) return { stored: null, ...NONE };
  const name = `${table.schema}.${table.table}`;
  const failed = (message: string): StoredFindings => ({
    table: name,
    ok: false,
    message,
    count: 0,
    problems: [],
  });
  const database = openSession(databaseOf(config));
  try {
    const ddl = new ScriptsDdl(table, database);
    if (config['queries.migrate_on_startup'] && !(await ddl.exists()))
      return { stored: { ...failed(NOT_CREATED_YET), ok: true }, ...NONE };
    const unusable = await ddl.unusable();
    if (unusable !== undefined) return { stored: failed(unusable), ...NONE };
    const records = await new Records(table, database).list();
    const aliases = new Set(databasesOf(config).map(({ alias }) => alias));
    const { texts, problems, warnings, routed } = compileAll(records, aliases);
    const unwatched = await ddl.unwatched();
    if (unwatched !== undefined) warnings.unshift({ file: name, message: unwatched });
    const count = texts.length;
    const stored = { table: name, ok: problems.length === 0, message: null, count, problems };
    return {
      stored,
      listed: distinct(texts),
      keys: new Set(
        records.map(({ database, location, name }) => `${database}/${location}/${name}`),
      ),
      texts,
      warnings,
      routed: requested(routed, records, config['pg.database'], aliases),
    };
  } catch (error) {
    if (!(error instanceof StatementFailure)) throw error;
    return { stored: failed(error.reason), ...NONE };
  } finally {
    database.close();
  }
}

function compileAll(
  records: readonly StoredRecord[],
  aliases: ReadonlySet<string>,
): {
  texts: readonly ListedText[];
  problems: readonly ListedProblem[];
  warnings: ListedProblem[];
  routed: readonly RoutedScript[];
} {
  const texts: ListedText[] = [];
  const problems: ListedProblem[] = [];
  const warnings: ListedProblem[] = [];
  const routed: RoutedScript[] = [];
  for (const { database, location, name, ...content } of records) {
    const script = printable([database, location, name].filter((part) => part !== '').join('/'));
    if (!isIdentifier(location) || !isIdentifier(name)) {
      problems.push({ file: script, message: 'no request can name this script' });
      continue;
    }
    if (database !== '' && !aliases.has(database))
      warnings.push({ file: script, message: 'no database has this alias: it is never served' });
    for (const verb of VERBS) {
      const text = content[`${verb}_sql`];
      if (text === undefined) continue;
      const compiled = compileText(text, `${location}/${name}`, verb);
      const file = `${script} (${verb})`;
      if (compiled instanceof ServiceError) {
        problems.push(problemOf(file, compiled));
        continue;
      }
      const one = { alias: database === '' ? undefined : database, folder: location, name, verb };
      texts.push({ ...one, file, text: compiled });
      const { routes } = compiled.head;
      if (routes.length > 0) routed.push({ ...one, routes });
      for (const warning of textWarnings(compiled)) warnings.push({ file, ...warning });
    }
  }
  return { texts, problems, warnings, routed };
}

/** Leaves out scripts of databases that are not configured, and those that one of the default database hides. */
function requested(
  routed: readonly RoutedScript[],
  records: readonly StoredRecord[],
  defaultAlias: string,
  aliases: ReadonlySet<string>,
): RoutedScript[] {
  const own = new Set<string>();
  for (const { database, location, name } of records)
    if (database === defaultAlias) own.add(`${location}/${name}`);
  return routed.filter(({ alias, folder, name }) =>
    alias === undefined ? !own.has(`${folder}/${name}`) : aliases.has(alias),
  );
}

/** Scripts of several databases count once, because permissions are listed for each database. */
function distinct(scripts: readonly ListedScript[]): ListedScript[] {
  const found = new Map(
    scripts.map(({ folder, name, verb }) => [`${folder}/${name}/${verb}`, { folder, name, verb }]),
  );
  return [...found.values()];
}
