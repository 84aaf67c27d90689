/**
 * The tables that MCP clients are shown: for each database and role those that PostgreSQL lets the role read, and of these,
 * for each caller, those that `[access]` lets them read. The tables of users and of scripts are never shown, whatever the
 * configuration says.
 */
import { TableAccess } from '../../access/table-access.js';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { TableAccessSettings } from '../../messages/access-settings.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import type { McpSettings } from '../../messages/worker-settings.js';
import type { McpCall } from '../arguments/call.js';
import { CatalogLoader, type LastRead } from './catalog-loader.js';
import { CachedCatalog } from './cached-catalog.js';
import type { ReadOnly } from './read-only.js';
import type { TableCatalog, VisibleTables } from './table.js';
import type { ReadableTables } from './table-set.js';

/** The catalogs of one database by role: those roles that the configuration allows. */
interface DatabaseCatalogs {
  readonly roles: Map<string, CachedCatalog>;
  readonly last: LastRead;
}

export class CatalogCache implements TableCatalog {
  readonly databases: TableCatalog['databases'];
  readonly #access: TableAccess;
  readonly #hidden: readonly ScriptsTable[];
  readonly #readOnly: ReadOnly;
  readonly #log: Logger;
  readonly #byAlias = new Map<string, DatabaseCatalogs>();

  /** The `hidden` tables are never shown. */
  constructor(
    settings: McpSettings,
    access: TableAccessSettings,
    hidden: readonly ScriptsTable[],
    readOnly: ReadOnly,
    log: Logger,
  ) {
    this.databases = settings.databases.map(({ alias, database }) => ({ alias, database }));
    for (const { alias } of this.databases)
      this.#byAlias.set(alias, { roles: new Map(), last: { cached: new Map() } });
    this.#access = new TableAccess(access);
    this.#hidden = hidden;
    this.#readOnly = readOnly;
    this.#log = log;
  }

  visible(alias: string, call: McpCall): VisibleTables | Promise<VisibleTables> {
    const tables = this.#catalogOf(alias, call).current();
    if (!(tables instanceof Promise)) return this.#permitted(tables, call);
    return tables.then((loaded) => this.#permitted(loaded, call));
  }

  async renewed(alias: string, call: McpCall): Promise<VisibleTables> {
    return this.#permitted(await this.#catalogOf(alias, call).renewed(), call);
  }

  #permitted(tables: ReadableTables, call: McpCall): VisibleTables {
    return tables.permitted(this.#access, call.name);
  }

  /** Throws ServiceError `unknown_database`. */
  #catalogOf(alias: string, { request }: McpCall): CachedCatalog {
    const catalogs = this.#byAlias.get(alias);
    if (catalogs === undefined)
      throw new ServiceError('unknown_database', `database not registered: ${alias}`);
    const { roles, last } = catalogs;
    let cached = roles.get(request.role);
    if (cached === undefined) {
      const [readOnly, log] = [this.#readOnly, this.#log];
      const loader = new CatalogLoader(alias, request, readOnly, this.#hidden, last, log);
      roles.set(request.role, (cached = new CachedCatalog(alias, loader, log)));
    }
    return cached;
  }
}
