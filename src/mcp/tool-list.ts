/**
 * The list of a caller's tools, in pages: generic tools first, then scripts, then tables, as many as the configuration
 * allows. Tables of an unreachable database are left out.
 */
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { McpSettings } from '../settings.js';
import type { McpCall } from './call.js';
import { genericTools } from './generic-tools.js';
import {
  nameTables,
  offeredTables,
  tableFilter,
  type TableToolNames,
  type OfferedTable,
} from './offered-tables.js';
import type { ScriptTools } from './script-tools.js';
import { tableTool } from './table-tool.js';
import { compareBytes, TableSet } from './table-set.js';
import type { TableCatalog, Table, VisibleTables } from './table.js';
import { encodeCursor, invalidCursor, decodeCursor, type ListPosition } from './tool-cursor.js';
import { genericToolName, mayName } from './tool-names.js';
import type { ListedTool, ToolPage } from './tool.js';

/** Maximum of tools on a page, and of their characters, unless a single tool has more. */
const PAGE_TOOLS = 100;
const PAGE_SIZE = 256 << 10;

const NO_TABLES: VisibleTables = new TableSet([]);

/** The tools of a caller besides the generic ones. */
interface Offer {
  readonly scripts: readonly ListedTool[];
  readonly tables: readonly OfferedTable[];
}

export class ToolList {
  readonly #settings: McpSettings;
  readonly #catalog: TableCatalog;
  readonly #scripts: Pick<ScriptTools, 'list'> | undefined;
  readonly #log: Logger;
  readonly #generic: readonly ListedTool[];
  readonly #describe: string;
  readonly #isWanted: (table: Table) => boolean;
  readonly #listsTables: boolean;
  readonly #names = new WeakMap<VisibleTables, TableToolNames>();
  /** The last offer, by the visible tables of the first database. */
  readonly #offered = new WeakMap<VisibleTables, CachedOffer>();
  readonly #tools = new WeakMap<Table, ListedTool>();
  /** Lists of scripts, sorted by name and limited. */
  readonly #sorted = new WeakMap<readonly ListedTool[], readonly ListedTool[]>();
  /** Numbers of tables without a tool, by alias: each number is logged once. */
  readonly #logged = new Map<string, Set<number>>();
  #loggedFull = false;

  constructor(
    settings: McpSettings,
    catalog: TableCatalog,
    scripts: Pick<ScriptTools, 'list'> | undefined,
    log: Logger,
  ) {
    const { expose, toolNames } = settings;
    this.#settings = settings;
    this.#catalog = catalog;
    this.#scripts = scripts;
    this.#log = log;
    this.#generic = genericTools(settings);
    this.#describe = genericToolName(toolNames, 'describe_table');
    this.#isWanted = tableFilter(settings.tables);
    this.#listsTables = expose.databases && expose.schemas && expose.tables;
  }

  /** page lists the tools of a caller after a cursor. Rejects with RpcError for an invalid cursor. */
  async page(call: McpCall, cursor: string | undefined): Promise<ToolPage> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const listsTables = this.#listsTables && this.#settings.maxTools > 0;
    const [scripts, visible] = await Promise.all([
      this.#scripts?.list(call) ?? Promise.resolve([]),
      listsTables ? this.#visible(call) : Promise.resolve([]),
    ]);
    return this.#page(this.#offer(scripts, visible), after);
  }

  /**
   * tableOf returns the table of a tool's name for a caller, listed or not; undefined if there is none, or more than
   * one. Rejects with ServiceError if a database cannot be read.
   */
  async tableOf(call: McpCall, name: string): Promise<Table | undefined> {
    const aliases = this.#catalog.databases
      .map(({ alias }) => alias)
      .filter((alias) => mayName(this.#settings.toolNames, alias, name));
    const visible = await Promise.all(
      aliases.map(async (alias) => this.#catalog.visible(alias, call)),
    );
    const found = visible.map((one) => this.#toolNames(one).byName.get(name));
    const tables = found.filter((table) => table !== undefined);
    return tables.length === 1 ? (tables[0] ?? undefined) : undefined;
  }

  /** The visible tables of each database; none of a database that cannot be read. */
  #visible(call: McpCall): Promise<VisibleTables[]> {
    return Promise.all(
      this.#catalog.databases.map(async ({ alias }) => {
        try {
          return await this.#catalog.visible(alias, call);
        } catch (error) {
          if (error instanceof ServiceError) return NO_TABLES; // the catalog has logged it
          throw error;
        }
      }),
    );
  }

  #offer(scripts: readonly ListedTool[], visible: readonly VisibleTables[]): Offer {
    const { maxTools } = this.#settings;
    let some = this.#sorted.get(scripts);
    if (some === undefined) {
      some = [...scripts].sort((a, b) => compareBytes(a.name, b.name)).slice(0, maxTools);
      this.#sorted.set(scripts, some);
    }
    return { scripts: some, tables: this.#tablesOf(visible, maxTools - some.length) };
  }

  #tablesOf(visible: readonly VisibleTables[], most: number): readonly OfferedTable[] {
    const [first] = visible;
    if (first === undefined) return [];
    const known = this.#offered.get(first);
    if (known?.most === most && visible.every((one, i) => one === known.visible[i]))
      return known.tables;
    const names = visible.map((one) => this.#toolNames(one));
    const tables = offeredTables(names, this.#isWanted, most);
    this.#offered.set(first, { visible, most, tables });
    if (tables.length === most) this.#logFull(names);
    return tables;
  }

  #toolNames(visible: VisibleTables): TableToolNames {
    let names = this.#names.get(visible);
    if (names !== undefined) return names;
    names = nameTables(visible, this.#settings.toolNames);
    this.#names.set(visible, names);
    const { unnamed } = names;
    if (unnamed > 0) this.#logUnnamed(visible.tables[0]!.alias, unnamed);
    return names;
  }

  #logFull(names: readonly TableToolNames[]): void {
    const { maxTools } = this.#settings;
    const known = names.reduce((sum, { byName }) => sum + byName.size, 0);
    if (this.#loggedFull || known <= maxTools) return;
    this.#loggedFull = true;
    this.#log.info(
      { tables: known, tools: maxTools },
      'more tables than mcp.max_tools: the others have no MCP tool of their own; select_table reads them',
    );
  }

  #logUnnamed(alias: string, unnamed: number): void {
    let logged = this.#logged.get(alias);
    if (logged === undefined) this.#logged.set(alias, (logged = new Set()));
    if (logged.has(unnamed)) return;
    logged.add(unnamed);
    this.#log.info(
      { alias, tables: unnamed },
      'some tables have no MCP tool of their own, because clients reject their names or several tables would have the same name; select_table reads them',
    );
  }

  #page({ scripts, tables }: Offer, after: ListPosition | undefined): ToolPage {
    const page: ListedTool[] = [];
    let size = 0;
    let last: ListPosition | undefined;
    /** Adds a tool with its sort key, unless the page is full. */
    const add = (tool: ListedTool, position: ListPosition): boolean => {
      const isFull = page.length === PAGE_TOOLS || size + tool.json.length > PAGE_SIZE;
      if (isFull && page.length > 0) return false;
      page.push(tool);
      size += tool.json.length;
      last = position;
      return true;
    };
    const full = (): ToolPage => ({ tools: page, next: encodeCursor(last!) });

    for (const tool of this.#generic.slice(this.#genericStart(after)))
      if (!add(tool, ['generic', tool.name])) return full();
    for (const tool of scripts.slice(scriptStart(scripts, after)))
      if (!add(tool, ['script', tool.name])) return full();
    for (let i = this.#tableStart(tables, after); i < tables.length; i++) {
      const { alias, schema, name } = tables[i]!.table;
      if (!add(this.#tool(tables[i]!), ['table', alias, schema, name])) return full();
    }
    return { tools: page, next: undefined };
  }

  #genericStart(after: ListPosition | undefined): number {
    if (after === undefined) return 0;
    if (after[0] !== 'generic') return this.#generic.length;
    const at = this.#generic.findIndex(({ name }) => name === after[1]);
    if (at < 0) throw invalidCursor();
    return at + 1;
  }

  #tableStart(tables: readonly OfferedTable[], after: ListPosition | undefined): number {
    if (after?.[0] !== 'table') return 0;
    const [, ...position] = after;
    const order = new Map(this.#catalog.databases.map(({ alias }, i) => [alias, i]));
    const rank = order.get(position[0]);
    if (rank === undefined) throw invalidCursor();
    const at = tables.findIndex(({ table: { alias, schema, name } }) => {
      const by = order.get(alias)! - rank;
      return (by || compareBytes(schema, position[1]) || compareBytes(name, position[2])) > 0;
    });
    return at < 0 ? tables.length : at;
  }

  #tool({ name, table }: OfferedTable): ListedTool {
    let tool = this.#tools.get(table);
    if (tool === undefined) {
      tool = { name, json: tableTool(name, table, this.#describe) };
      this.#tools.set(table, tool);
    }
    return tool;
  }
}

interface CachedOffer {
  readonly visible: readonly VisibleTables[];
  readonly most: number;
  readonly tables: readonly OfferedTable[];
}

function scriptStart(scripts: readonly ListedTool[], after: ListPosition | undefined): number {
  if (after === undefined || after[0] === 'generic') return 0;
  if (after[0] === 'table') return scripts.length;
  const at = scripts.findIndex(({ name }) => compareBytes(name, after[1]) > 0);
  return at < 0 ? scripts.length : at;
}
