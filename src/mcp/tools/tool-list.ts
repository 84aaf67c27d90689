/**
 * The list of a caller's tools, in pages and in the form of names that the client asks for: generic tools first, then
 * scripts, then tables, as many as the configuration allows. Tables of an unreachable database are left out.
 */
import type { Logger } from '../../observe/log.js';
import type { McpSettings } from '../../messages/worker-settings.js';
import type { McpCall } from '../arguments/call.js';
import { OfferedTools } from './offered-tools.js';
import type { ScriptTools } from '../scripts/script-tools.js';
import { decodeCursor } from '../arguments/list-cursor.js';
import { reachableTables } from '../tables/reachable-tables.js';
import type { TableCatalog, Table } from '../tables/table.js';
import { formOf, mayName, type NameForm } from '../arguments/tool-names.js';
import { pageOf } from './tool-pages.js';
import type { ToolPage } from '../arguments/tool.js';

export class ToolList {
  readonly #settings: McpSettings;
  readonly #catalog: TableCatalog;
  readonly #scripts: Pick<ScriptTools, 'list'> | undefined;
  readonly #offered: Readonly<Record<NameForm, OfferedTools>>;
  readonly #aliases: readonly string[];
  readonly #listsTables: boolean;

  constructor(
    settings: McpSettings,
    catalog: TableCatalog,
    scripts: Pick<ScriptTools, 'list'> | undefined,
    log: Logger,
  ) {
    const { expose } = settings;
    this.#settings = settings;
    this.#catalog = catalog;
    this.#scripts = scripts;
    this.#offered = {
      dotted: new OfferedTools('dotted', settings, log),
      plain: new OfferedTools('plain', settings, log),
    };
    this.#aliases = catalog.databases.map(({ alias }) => alias);
    this.#listsTables = expose.databases && expose.schemas && expose.tables;
  }

  /** page lists the tools of a caller after a cursor. Rejects with RpcError for an invalid cursor. */
  async page(call: McpCall, cursor: string | undefined): Promise<ToolPage> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const listsTables = this.#listsTables && this.#settings.maxTools > 0;
    const [scripts, visible] = await Promise.all([
      this.#scripts?.list(call) ?? Promise.resolve([]),
      listsTables ? reachableTables(this.#catalog, call) : Promise.resolve([]),
    ]);
    const tools = this.#offered[call.form].of(scripts, visible);
    return pageOf(tools, after, this.#aliases);
  }

  /**
   * tableOf returns the table of a tool's name, in any form, for a caller, listed or not; undefined for none or
   * more than one. Rejects with ServiceError if a database cannot be read.
   */
  async tableOf(call: McpCall, name: string): Promise<Table | undefined> {
    const aliases = this.#aliases.filter((alias) => mayName(alias, name));
    const visible = await Promise.all(
      aliases.map(async (alias) => this.#catalog.visible(alias, call)),
    );
    const offered = this.#offered[formOf(name)];
    const found = visible.map((one) => offered.namesOf(one).byName.get(name));
    const tables = found.filter((table) => table !== undefined);
    return tables.length === 1 ? (tables[0] ?? undefined) : undefined;
  }
}
