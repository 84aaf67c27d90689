/**
 * Descriptions of tables as resources, for clients that let users or models pick resources: what describe_table returns, of
 * the same tables. Partitions are not listed, because their table stands for them, but can be read.
 */
import type { McpSettings } from '../../messages/worker-settings.js';
import type { McpCall } from '../arguments/call.js';
import { plainText } from '../arguments/input-schema.js';
import { decodeCursor, invalidCursor } from '../arguments/list-cursor.js';
import { ListPage, tablePosition, tablesAfter } from '../tables/list-page.js';
import { descriptionJson } from './listings.js';
import { reachableTables } from '../tables/reachable-tables.js';
import { JSON_TYPE, parseTableUri, tableUri } from '../tables/resource-uri.js';
import type { ListedResource, ResourcePage, Resources } from '../arguments/tool.js';
import type { Table, TableCatalog } from '../tables/table.js';

/** Maximum of characters of a comment in the list. */
const COMMENT = 200;

export class TableResources implements Resources {
  readonly #catalog: TableCatalog;
  readonly #aliases: readonly string[];
  readonly #lists: boolean;

  constructor({ expose }: Pick<McpSettings, 'expose'>, catalog: TableCatalog) {
    this.#catalog = catalog;
    this.#aliases = catalog.databases.map(({ alias }) => alias);
    this.#lists = expose.databases && expose.schemas && expose.tables;
  }

  /** The list is empty if a listing is hidden, because each entry names a database, a schema and a table. */
  async page(call: McpCall, cursor: string | undefined): Promise<ResourcePage> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    if (after !== undefined && after[0] !== 'table') throw invalidCursor();
    const follows = after && tablesAfter(after, this.#aliases);
    const page = new ListPage<ListedResource>();
    const visible = this.#lists ? await reachableTables(this.#catalog, call) : [];
    for (const ofDatabase of visible)
      for (const table of ofDatabase.tables) {
        if (follows?.(table) === false || ofDatabase.parentOf(table) !== undefined) continue;
        if (!page.add({ json: entryJson(table) }, tablePosition(table)))
          return { resources: page.entries, next: page.next };
      }
    return { resources: page.entries, next: undefined };
  }

  async read(call: McpCall, uri: string): Promise<string | undefined> {
    const place = parseTableUri(uri);
    if (place === undefined || !this.#aliases.includes(place.alias)) return undefined;
    const { alias, schema, name } = place;
    let visible = await this.#catalog.visible(alias, call);
    let table = visible.find(schema, name);
    if (table === undefined) {
      visible = await this.#catalog.renewed(alias, call);
      table = visible.find(schema, name);
    }
    return table && descriptionJson({}, table, visible);
  }
}

function entryJson(table: Table): string {
  const { alias, schema, name, description } = table;
  return JSON.stringify({
    uri: tableUri(table),
    name: `${alias}.${schema}.${name}`,
    title: `${schema}.${name}`,
    description: description && plainText(description, COMMENT),
    mimeType: JSON_TYPE,
  });
}
