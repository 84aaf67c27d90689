/** The visible tables of all databases, for lists: a database that cannot be read has none in them. */
import { ServiceError } from '../../base/errors.js';
import type { McpCall } from '../arguments/call.js';
import { TableSet } from './table-set.js';
import type { TableCatalog, VisibleTables } from './table.js';

const NO_TABLES: VisibleTables = new TableSet([]);

/** reachableTables are the tables that a caller may see, in the order of the databases. */
export function reachableTables(catalog: TableCatalog, call: McpCall): Promise<VisibleTables[]> {
  return Promise.all(
    catalog.databases.map(async ({ alias }) => {
      try {
        return await catalog.visible(alias, call);
      } catch (error) {
        if (error instanceof ServiceError) return NO_TABLES; // the catalog has logged it
        throw error;
      }
    }),
  );
}
