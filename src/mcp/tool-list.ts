/**
 * The tools that a caller is offered, page by page: those that work on any table first, then scripts, then tables, as
 * many as the configuration allows. What a database that is away would add is left out meanwhile. Refuses a cursor that
 * is none.
 */
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { McpSettings } from '../protocol.js';
import type { Call } from './call.js';
import { genericTools } from './generic-tools.js';
import { namesOf, offeredTables, tableFilter, type Names, type Offered } from './table-offer.js';
import { tableTool } from './table-tool.js';
import { compareBytes, TableSet } from './table-set.js';
import type { Catalog, Table, VisibleTables } from './table.js';
import { cursorOf, invalidCursor, placeOf, type Place } from './tool-cursor.js';
import { genericToolName, mayName } from './tool-names.js';
import type { ListedTool, ToolPage } from './tool.js';

/** Most tools of a page, and about how many characters. */
const PAGE_TOOLS = 100;
const PAGE_SIZE = 256 << 10;

const NOTHING: VisibleTables = new TableSet([]);

/** What is offered besides the generic tools. */
interface Offer {
  readonly scripts: readonly ListedTool[];
  readonly tables: readonly Offered[];
}

/** Scripts as tools: those that a caller may run. The same list as long as it is the same. */
export interface ScriptList {
  list(call: Call): readonly ListedTool[] | Promise<readonly ListedTool[]>;
}

export class ToolList {
  readonly #settings: McpSettings;
  readonly #catalog: Catalog;
  readonly #scripts: ScriptList | undefined;
  readonly #log: Logger;
  readonly #generic: readonly ListedTool[];
  readonly #describe: string;
  readonly #isWanted: (table: Table) => boolean;
  readonly #listsTables: boolean;
  readonly #names = new WeakMap<VisibleTables, Names>();
  /** What was offered last to those for whom the tables of the first database are these. */
  readonly #offered = new WeakMap<VisibleTables, OfferedTables>();
  readonly #tools = new WeakMap<Table, ListedTool>();
  /** Of lists of scripts those that are offered, by name. */
  readonly #sorted = new WeakMap<readonly ListedTool[], readonly ListedTool[]>();
  /** How many tables of a database were said to have no tool, so that each number is said once. */
  readonly #said = new Map<string, Set<number>>();
  #saidFull = false;

  constructor(
    settings: McpSettings,
    catalog: Catalog,
    scripts: ScriptList | undefined,
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

  /** page lists what a caller is offered, from a cursor on. Throws, or rejects with, RpcError for a cursor that is none. */
  page(call: Call, cursor: string | undefined): ToolPage | Promise<ToolPage> {
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const listed = this.#scripts?.list(call) ?? [];
    const visible = this.#listsTables && this.#settings.maxTools > 0 ? this.#visible(call) : [];
    if (!(listed instanceof Promise) && !(visible instanceof Promise))
      return this.#page(this.#offer(listed, visible), after);
    return Promise.all([Promise.resolve(listed), Promise.resolve(visible)]).then(
      ([scripts, tables]) => this.#page(this.#offer(scripts, tables), after),
    );
  }

  /**
   * tableOf gives the table that the name of a tool means for a caller, listed or not; undefined where it means none, or
   * more than one. Rejects with ServiceError when the database does not tell.
   */
  tableOf(call: Call, name: string): Table | undefined | Promise<Table | undefined> {
    const aliases = this.#catalog.databases
      .map(({ alias }) => alias)
      .filter((alias) => mayName(this.#settings.toolNames, alias, name));
    const visible = aliases.map((alias) => this.#catalog.visible(alias, call));
    const all = together(visible);
    if (!(all instanceof Promise)) return this.#named(all, name);
    return all.then((known) => this.#named(known, name));
  }

  #named(visible: readonly VisibleTables[], name: string): Table | undefined {
    const found = visible.map((one) => this.#namesOf(one).byName.get(name));
    const meant = found.filter((table) => table !== undefined);
    return meant.length === 1 ? (meant[0] ?? undefined) : undefined;
  }

  /** What a caller sees of each database. */
  #visible(call: Call): readonly VisibleTables[] | Promise<VisibleTables[]> {
    const visible = this.#catalog.databases.map(({ alias }) => {
      const tables = this.#catalog.visible(alias, call);
      return tables instanceof Promise ? tables.catch(nothingFor) : tables;
    });
    return together(visible);
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

  #tablesOf(visible: readonly VisibleTables[], most: number): readonly Offered[] {
    const [first] = visible;
    if (first === undefined) return [];
    const known = this.#offered.get(first);
    if (known?.most === most && visible.every((one, i) => one === known.visible[i]))
      return known.tables;
    const names = visible.map((one) => this.#namesOf(one));
    const tables = offeredTables(names, this.#isWanted, most);
    this.#offered.set(first, { visible, most, tables });
    if (tables.length === most) this.#sayFull(names);
    return tables;
  }

  #namesOf(visible: VisibleTables): Names {
    let names = this.#names.get(visible);
    if (names !== undefined) return names;
    names = namesOf(visible, this.#settings.toolNames);
    this.#names.set(visible, names);
    const { unnamed } = names;
    if (unnamed > 0) this.#say(visible.tables[0]!.alias, unnamed);
    return names;
  }

  #sayFull(names: readonly Names[]): void {
    const { maxTools } = this.#settings;
    const known = names.reduce((sum, { byName }) => sum + byName.size, 0);
    if (this.#saidFull || known <= maxTools) return;
    this.#saidFull = true;
    this.#log.info(
      { tables: known, tools: maxTools },
      'more tables than mcp.max_tools: those beyond it have no MCP tool of their own, select_table reads them',
    );
  }

  #say(alias: string, unnamed: number): void {
    let said = this.#said.get(alias);
    if (said === undefined) this.#said.set(alias, (said = new Set()));
    if (said.has(unnamed)) return;
    said.add(unnamed);
    this.#log.info(
      { alias, tables: unnamed },
      'some tables have no MCP tool of their own, for names that clients do not take or that several tables would have; select_table reads them',
    );
  }

  #page({ scripts, tables }: Offer, after: Place | undefined): ToolPage {
    const page: ListedTool[] = [];
    let size = 0;
    let last: Place | undefined;
    /** Whether there is room for a tool, which stands at that place. */
    const add = (tool: ListedTool, place: Place): boolean => {
      const isFull = page.length === PAGE_TOOLS || size + tool.json.length > PAGE_SIZE;
      if (isFull && page.length > 0) return false;
      page.push(tool);
      size += tool.json.length;
      last = place;
      return true;
    };
    const full = (): ToolPage => ({ tools: page, next: cursorOf(last!) });

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

  #genericStart(after: Place | undefined): number {
    if (after === undefined) return 0;
    if (after[0] !== 'generic') return this.#generic.length;
    const at = this.#generic.findIndex(({ name }) => name === after[1]);
    if (at < 0) throw invalidCursor();
    return at + 1;
  }

  #tableStart(tables: readonly Offered[], after: Place | undefined): number {
    if (after?.[0] !== 'table') return 0;
    const [, ...place] = after;
    const order = new Map(this.#catalog.databases.map(({ alias }, i) => [alias, i]));
    const rank = order.get(place[0]);
    if (rank === undefined) throw invalidCursor();
    const at = tables.findIndex(({ table: { alias, schema, name } }) => {
      const by = order.get(alias)! - rank;
      return (by || compareBytes(schema, place[1]) || compareBytes(name, place[2])) > 0;
    });
    return at < 0 ? tables.length : at;
  }

  #tool({ name, table }: Offered): ListedTool {
    let tool = this.#tools.get(table);
    if (tool === undefined) {
      tool = { name, json: tableTool(name, table, this.#describe) };
      this.#tools.set(table, tool);
    }
    return tool;
  }
}

/** What is offered of the tables that somebody sees. */
interface OfferedTables {
  readonly visible: readonly VisibleTables[];
  readonly most: number;
  readonly tables: readonly Offered[];
}

function scriptStart(scripts: readonly ListedTool[], after: Place | undefined): number {
  if (after === undefined || after[0] === 'generic') return 0;
  if (after[0] === 'table') return scripts.length;
  const at = scripts.findIndex(({ name }) => compareBytes(name, after[1]) > 0);
  return at < 0 ? scripts.length : at;
}

/** together is all of them, at once where none is to come. */
function together(
  visible: readonly (VisibleTables | Promise<VisibleTables>)[],
): readonly VisibleTables[] | Promise<VisibleTables[]> {
  const known: VisibleTables[] = [];
  for (const one of visible) if (!(one instanceof Promise)) known.push(one);
  if (known.length === visible.length) return known;
  return Promise.all(visible.map((one) => Promise.resolve(one)));
}

function nothingFor(error: unknown): VisibleTables {
  if (error instanceof ServiceError) return NOTHING; // the catalog has said why
  throw error;
}
