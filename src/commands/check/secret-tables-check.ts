/**
 * The warnings of `check` about the users table and the scripts tables, which are hidden from MCP clients: other relations
 * with the same rows, which are hidden too, and views of these rows, which are not.
 */
import { usersTableOf, namedScriptsTableOf } from '../config/settings.js';
import type { Config } from '../config/schema.js';
import { rowsOf, StatementFailure } from '../../postgres/statement/queryable.js';
import {
  SECRET,
  secretValues,
  type Secrecy,
  type SecretRow,
} from '../../postgres/statement/secret-tables.js';
import { openSession } from '../../postgres/lanes/database.js';
import type { DatabaseSettings, ScriptsTable } from '../../messages/database-settings.js';
import { namesOf } from '../../stored/scripts/table-names.js';
import { printable } from '../line/printable.js';

/** secretTableWarnings resolves to the warnings about one database, which must be reachable. */
export async function secretTableWarnings(
  config: Config,
  settings: DatabaseSettings,
): Promise<readonly string[]> {
  if (!config['mcp.enabled']) return [];
  const { schema, table } = usersTableOf(config);
  const scripts = namedScriptsTableOf(config);
  const { historyName, proofsName } = namesOf(scripts);
  const beside = [historyName, proofsName].map((name) => ({ ...scripts, table: name }));
  const database = openSession(settings);
  const warnings: string[] = [];
  try {
    for (const secret of [{ schema, table }, scripts, ...beside]) {
      const rows = await rowsOf(database, SECRET.sql, secretValues([secret]));
      for (const warning of warningsOf(secret, rows as readonly unknown[] as readonly SecretRow[]))
        warnings.push(`database ${settings.alias}: ${warning}`);
    }
  } catch (error) {
    if (!(error instanceof StatementFailure)) throw error;
    warnings.push(
      `database ${settings.alias}: relations that hold rows of the users table cannot be determined: ${error.reason}`,
    );
  } finally {
    database.close();
  }
  return warnings;
}

function* warningsOf(secret: ScriptsTable, rows: readonly SecretRow[]): Generator<string> {
  const named = printable(`${secret.schema}.${secret.table}`);
  const relations = (...kinds: readonly Secrecy[]): string =>
    rows
      .filter(([, , , secrecy]) => kinds.includes(secrecy))
      .map(([, schema, name]) => printable(`${schema}.${name}`))
      .join(', ');
  const hidden = relations('source', 'copy');
  if (hidden !== '')
    yield `MCP clients are not shown relations that hold rows of ${named} or copies of them: ${hidden}`;
  const views = relations('view');
  if (views !== '')
    yield `MCP clients are shown views that read ${named}, unless [access] or privileges prevent it: ${views}`;
}
