/**
 * What MCP clients may know of the databases: for each of these and for each database role, the tables that PostgreSQL
 * lets it read; of those, for each caller, the ones that `[access]` lets him read. The tables of users and of scripts are
 * not among them, whatever is configured.
 */
import { TableAccess } from '../access/table-access.js';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { McpSettings, ScriptsTable, TableAccessSettings } from '../protocol.js';
import type { Call } from './call.js';
import { CatalogLoader, type LastRead, type LoaderParts } from './catalog-loader.js';
import { HeldCatalog } from './held-catalog.js';
import type { ReadOnly } from './read-only.js';
import type { Catalog, VisibleTables } from './table.js';
import type { ReadableTables } from './table-set.js';

export class CatalogCache implements Catalog {
  readonly databases: Catalog['databases'];
  readonly #access: TableAccess;
  readonly #parts: LoaderParts;
  /** By alias and role; there are as many roles as the configuration allows. */
  readonly #held = new Map<string, Map<string, HeldCatalog>>();
  /** By alias. */
  readonly #last = new Map<string, LastRead>();

  constructor(
    settings: McpSettings,
    access: TableAccessSettings,
    hidden: readonly ScriptsTable[],
    readOnly: ReadOnly,
    log: Logger,
  ) {
    this.databases = settings.databases.map(({ alias, database }) => ({ alias, database }));
    for (const { alias } of this.databases) {
      this.#held.set(alias, new Map());
      this.#last.set(alias, { held: new Map() });
    }
    this.#access = new TableAccess(access);
    this.#parts = { readOnly, hidden, log };
  }

  visible(alias: string, call: Call): VisibleTables | Promise<VisibleTables> {
    const tables = this.#heldFor(alias, call).current();
    if (!(tables instanceof Promise)) return this.#permitted(tables, call);
    return tables.then((loaded) => this.#permitted(loaded, call));
  }

  async renewed(alias: string, call: Call): Promise<VisibleTables> {
    return this.#permitted(await this.#heldFor(alias, call).renewed(), call);
  }

  #permitted(tables: ReadableTables, call: Call): VisibleTables {
    return tables.permitted(this.#access, call.name);
  }

  /** Throws ServiceError `unknown_database`. */
  #heldFor(alias: string, { request }: Call): HeldCatalog {
    const roles = this.#held.get(alias);
    if (roles === undefined)
      throw new ServiceError('unknown_database', `database not registered: ${alias}`);
    let held = roles.get(request.role);
    if (held === undefined) {
      const loader = new CatalogLoader(alias, request, this.#parts, this.#last.get(alias)!);
      roles.set(request.role, (held = new HeldCatalog(alias, loader, this.#parts.log)));
    }
    return held;
  }
}
