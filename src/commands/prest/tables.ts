/**
 * Inspects the tables of users and scripts of pREST, and prepares their copies. The inspection changes nothing.
 */
import { counted } from '../../base/text.js';
import { configuredDatabases } from '../config/databases.js';
import type { LoadedConfig } from '../config/load.js';
import { scriptsTableOf, usersTableOf } from '../config/settings.js';
import { StatementFailure, type Queryable } from '../../postgres/statement/queryable.js';
import type { Draft } from './draft.js';
import { PrestQueries } from './queries-table.js';
import type { TablesMode } from './rule.js';
import { storedFindings } from './script-findings.js';
import type { TableCopy } from './table-copy.js';
import type { Conversion } from './convert.js';
import { PrestUsers } from './users-table.js';

/** inspectTables reports the content of the tables, and resolves to the copies to be made. */
export async function inspectTables(
  conversion: Conversion,
  config: LoadedConfig['config'],
  mode: TablesMode,
  database: Queryable,
): Promise<TableCopy[]> {
  const { draft, value } = conversion;
  const inUse = value('auth.enabled') === true || value('queries.storage') === 'database';
  const copies: TableCopy[] = [];
  try {
    for (const inspect of [inspectUsers, inspectQueries]) {
      const copy = await inspect(conversion, config, mode, database);
      if (copy !== undefined) copies.push(copy);
    }
  } catch (error) {
    if (!(error instanceof StatementFailure)) throw error;
    const reason = `the database refused: ${error.reason}`;
    if (inUse || mode === 'copy') draft.problems.push(reason);
    else draft.differs('tables', `not looked at, for ${reason}; pREST uses none of them`);
  }
  return copies;
}

type Inspect = (
  conversion: Conversion,
  config: LoadedConfig['config'],
  mode: TablesMode,
  database: Queryable,
) => Promise<TableCopy | undefined>;

const inspectUsers: Inspect = async ({ draft, value }, config, mode, database) => {
  const names = ['auth.schema', 'auth.table', 'auth.username', 'auth.password'].map(
    (key) => value(key) as string,
  );
  const [schema, table, username, password] = names as [string, string, string, string];
  const source = new PrestUsers({ schema, table, username, password, metadata: [] }, database);
  if (!(await source.exists(draft))) {
    if (value('auth.enabled') === true)
      reportMissing(draft, source.name, mode, 'auth', config['auth.migrate_on_startup']);
    return undefined;
  }
  await source.describe(value('auth.encrypt') as string, draft);
  const target = { ...usersTableOf(config), metadata: [] };
  if (mode === 'adopt' || target.table === table) return undefined;
  return reportCopy(draft, await source.copyTo(target, draft));
};

const inspectQueries: Inspect = async ({ draft, value }, config, mode, database) => {
  const schema = (value('queries.schema') as string) || 'public';
  const table = (value('queries.table') as string) || 'prest_queries';
  const source = new PrestQueries({ schema, table }, database);
  const stored = scriptsTableOf(config) !== undefined;
  if (!(await source.exists(draft))) {
    if (stored)
      reportMissing(draft, source.name, mode, 'queries', config['queries.migrate_on_startup']);
    return undefined;
  }
  const texts = await source.texts();
  draft.taken(source.name, `${counted(texts.length, 'text')} of scripts`);
  if (!stored)
    draft.unused(source.name, 'scripts are files, as queries.storage says, in pREST too');
  const aliases = configuredDatabases(config).map(({ alias }) => alias);
  storedFindings(texts, aliases, config['queries.register_enabled'], draft);
  const target = { schema: config['queries.schema'], table: config['queries.table'] };
  if (stored && mode === 'adopt' && config['queries.migrate_on_startup'])
    draft.differs(
      source.name,
      'serve adds a trigger to it and a table of its history beside it, unless queries.migrate_on_startup = false; pREST goes on working with it',
    );
  if (mode === 'adopt' || target.table === table) return undefined;
  return reportCopy(draft, await source.copyTo(target, draft));
};

function reportMissing(
  draft: Draft,
  name: string,
  mode: TablesMode,
  what: string,
  made: boolean,
): void {
  const here = mode === 'adopt' ? 'it' : 'a new one';
  if (made) draft.differs(name, `there is no such table; serve makes ${here}, empty`);
  else
    draft.unsupported(
      name,
      `there is no such table; make ${here} with sql-rest-service migrate up ${what}`,
    );
}

/** Reports a copy, or its conflicts. */
function reportCopy(draft: Draft, copy: TableCopy | undefined): TableCopy | undefined {
  if (copy === undefined) return undefined;
  const { from, to, rows, conflicts } = copy;
  if (conflicts.length > 0) draft.problems.push(conflictText(copy, conflicts));
  else draft.renamed(from, `${rows} rows to copy into ${to}`);
  return copy;
}

/** conflictText is the message about conflicting rows. */
export function conflictText({ from, to }: TableCopy, conflicts: readonly string[]): string {
  const names = conflicts.map((name) => JSON.stringify(name)).join(', ');
  return `${to}: it has ${names} with another content than ${from}, or their numbers; nothing is overwritten: remove them in one of the two`;
}
