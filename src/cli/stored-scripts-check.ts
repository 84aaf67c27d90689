/**
 * Stored scripts as `check` sees them: whether the table is there and can be used, and which texts in it do not parse.
 * Changes nothing.
 */
import type { Config } from '../config/schema.js';
import { databaseOf } from '../config/databases.js';
import { scriptsTableOf } from '../config/settings.js';
import { ServiceError } from '../errors.js';
import { StatementFailure } from '../pg/asked.js';
import { openSession } from '../pg/session.js';
import { Records, type StoredRecord } from '../registry/records.js';
import { ScriptStorage } from '../registry/storage.js';
import { problemOf, type ListedProblem, type ListedScript } from '../script/script-files.js';
import { compileText } from '../script/script-text.js';
import { isIdentifier, VERBS } from '../script/verb.js';
import { printed } from './printed.js';
import type { StoredFindings } from './report.js';

/** What is said of a table that the start of the service makes, as it does the folder of scripts. */
const TO_BE_MADE = 'it is not there yet; serve makes it';

/** examineStored looks at the table; `listed` are the scripts in it, undefined where there is no table to go by. */
export async function examineStored(config: Config): Promise<{
  readonly stored: StoredFindings | null;
  readonly listed: readonly ListedScript[] | undefined;
}> {
  const table = scriptsTableOf(config);
  if (table === undefined) return { stored: null, listed: undefined };
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
    const storage = new ScriptStorage(table, database);
    if (config['queries.migrate_on_startup'] && !(await storage.exists()))
      return { stored: { ...failed(TO_BE_MADE), ok: true }, listed: undefined };
    const unusable = await storage.unusable();
    if (unusable !== undefined) return { stored: failed(unusable), listed: undefined };
    const { scripts, problems } = examine(await new Records(table, database).list());
    const count = scripts.length;
    const stored = { table: name, ok: problems.length === 0, message: null, count, problems };
    return { stored, listed: distinct(scripts) };
  } catch (error) {
    if (!(error instanceof StatementFailure)) throw error;
    return { stored: failed(error.reason), listed: undefined };
  } finally {
    database.close();
  }
}

function examine(records: readonly StoredRecord[]): {
  scripts: readonly ListedScript[];
  problems: readonly ListedProblem[];
} {
  const scripts: ListedScript[] = [];
  const problems: ListedProblem[] = [];
  for (const { database, location, name, ...content } of records) {
    const script = printed([database, location, name].filter((part) => part !== '').join('/'));
    if (!isIdentifier(location) || !isIdentifier(name)) {
      problems.push({ file: script, message: 'no request can name this script' });
      continue;
    }
    for (const verb of VERBS) {
      const text = content[`${verb}_sql`];
      if (text === undefined) continue;
      const compiled = compileText(text, `${location}/${name}`);
      if (compiled instanceof ServiceError)
        problems.push(problemOf(`${script} (${verb})`, compiled));
      else scripts.push({ folder: location, name, verb });
    }
  }
  return { scripts, problems };
}

/** A script of several databases is one, for permissions are worked out for each. */
function distinct(scripts: readonly ListedScript[]): ListedScript[] {
  const found = new Map(scripts.map((s) => [`${s.folder}/${s.name}/${s.verb}`, s]));
  return [...found.values()];
}
