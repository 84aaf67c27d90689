/**
 * The tables of users and scripts that pREST keeps in the database: what they hold, and the copies that take them over.
 * Looking changes nothing.
 */
import { configuredDatabases } from '../config/databases.js';
import type { LoadedConfig } from '../config/load.js';
import { scriptsTableOf, usersTableOf } from '../config/settings.js';
import { StatementFailure, type Asked } from '../pg/asked.js';
import type { Draft } from './draft.js';
import { PrestQueries } from './queries-table.js';
import type { TablesMode } from './rule.js';
import { storedFindings } from './script-findings.js';
import type { Copied } from './table-copy.js';
import type { Translation } from './translate.js';
import { PrestUsers } from './users-table.js';

/** inspectTables adds to the draft what the tables hold and gives the copies that are to be made. */
export async function inspectTables(
  translation: Translation,
  config: LoadedConfig['config'],
  mode: TablesMode,
  database: Asked,
): Promise<Copied[]> {
  const { draft, value } = translation;
  const inUse = value('auth.enabled') === true || value('queries.storage') === 'database';
  const copies: Copied[] = [];
  try {
    for (const inspect of [inspectUsers, inspectQueries]) {
      const copy = await inspect(translation, config, mode, database);
      if (copy !== undefined) copies.push(copy);
    }
  } catch (error) {
    if (!(error instanceof StatementFailure)) throw error;
    const said = `the database refused: ${error.reason}`;
    if (inUse || mode === 'copy') draft.problems.push(said);
    else draft.add('differs', 'tables', `not looked at, for ${said}; pREST uses none of them`);
  }
  return copies;
}

type Inspect = (
  translation: Translation,
  config: LoadedConfig['config'],
  mode: TablesMode,
  database: Asked,
) => Promise<Copied | undefined>;

const inspectUsers: Inspect = async ({ draft, value }, config, mode, database) => {
  const names = ['auth.schema', 'auth.table', 'auth.username', 'auth.password'].map(
    (key) => value(key) as string,
  );
  const [schema, table, username, password] = names as [string, string, string, string];
  const source = new PrestUsers({ schema, table, username, password, metadata: [] }, database);
  if (!(await source.exists(draft))) {
    if (value('auth.enabled') === true)
      absent(draft, source.name, mode, 'auth', config['auth.migrate_on_startup']);
    return undefined;
  }
  await source.describe(value('auth.encrypt') as string, draft);
  const target = { ...usersTableOf(config), metadata: [] };
  if (mode === 'adopt' || target.table === table) return undefined;
  return announce(draft, await source.copyTo(target, draft));
};

const inspectQueries: Inspect = async ({ draft, value }, config, mode, database) => {
  const schema = (value('queries.schema') as string) || 'public';
  const table = (value('queries.table') as string) || 'prest_queries';
  const source = new PrestQueries({ schema, table }, database);
  const stored = scriptsTableOf(config) !== undefined;
  if (!(await source.exists(draft))) {
    if (stored) absent(draft, source.name, mode, 'queries', config['queries.migrate_on_startup']);
    return undefined;
  }
  const texts = await source.texts();
  draft.add(
    'taken',
    source.name,
    `${texts.length} text${texts.length === 1 ? '' : 's'} of scripts`,
  );
  if (!stored)
    draft.add('unused', source.name, 'scripts are files, as queries.storage says, in pREST too');
  const aliases = configuredDatabases(config).map(({ alias }) => alias);
  storedFindings(texts, aliases, config['queries.register_enabled'], draft);
  const target = { schema: config['queries.schema'], table: config['queries.table'] };
  if (stored && mode === 'adopt' && config['queries.migrate_on_startup'])
    draft.add(
      'differs',
      source.name,
      'serve adds a trigger to it and a table of its history beside it, unless queries.migrate_on_startup = false; pREST goes on working with it',
    );
  if (mode === 'adopt' || target.table === table) return undefined;
  return announce(draft, await source.copyTo(target, draft));
};

function absent(draft: Draft, name: string, mode: TablesMode, what: string, made: boolean): void {
  const here = mode === 'adopt' ? 'it' : 'a new one';
  if (made) draft.add('differs', name, `there is no such table; serve makes ${here}, empty`);
  else
    draft.add(
      'unsupported',
      name,
      `there is no such table; make ${here} with sql-rest-service migrate up ${what}`,
    );
}

/** Says what a copy will do, or what is in its way. */
function announce(draft: Draft, copy: Copied | undefined): Copied | undefined {
  if (copy === undefined) return undefined;
  const { from, to, rows, conflicts } = copy;
  if (conflicts.length > 0) draft.problems.push(inTheWay(copy, conflicts));
  else draft.add('renamed', from, `${rows} rows to copy into ${to}`);
  return copy;
}

/** inTheWay says which rows stop a copy. */
export function inTheWay({ from, to }: Copied, conflicts: readonly string[]): string {
  const names = conflicts.map((name) => JSON.stringify(name)).join(', ');
  return `${to}: it has ${names} with another content than ${from}, or their numbers; nothing is overwritten: remove them in one of the two`;
}
