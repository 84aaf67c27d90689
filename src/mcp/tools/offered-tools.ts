/**
 * The tools that are listed, in one form of names: scripts before tables, until the number of tools or the characters of
 * the whole list reach what the configuration allows. Tools that are left out are logged once.
 */
import type { Logger } from '../../observe/log.js';
import type { McpSettings } from '../../messages/worker-settings.js';
import { genericTools } from './generic-tools.js';
import { nameTables, offeredTables, tableFilter, type TableToolNames } from './offered-tables.js';
import { tableTool } from './table-tool.js';
import { compareBytes } from '../tables/table-set.js';
import type { Table, VisibleTables } from '../tables/table.js';
import type { NameForm } from '../arguments/tool-names.js';
import type { CallerTools, TableEntry } from './tool-pages.js';
import type { ListedTool } from '../arguments/tool.js';

const LEFT_OUT =
  'some scripts or tables have no MCP tool of their own, because the list of tools is full: raise mcp.list_budget or mcp.max_tools, or name the important tables in mcp.tables; select_table reads all tables';

const UNNAMED =
  'some tables have no MCP tool of their own, because clients reject their names or several tables would have the same name; select_table reads them';

/** The last list made of the same scripts and tables. */
interface Made {
  readonly scripts: readonly ListedTool[];
  readonly visible: readonly VisibleTables[];
  readonly tools: CallerTools;
}

export class OfferedTools {
  readonly #form: NameForm;
  readonly #settings: McpSettings;
  readonly #log: Logger;
  readonly #generic: readonly ListedTool[];
  readonly #isWanted: (table: Table) => boolean;
  readonly #names = new WeakMap<VisibleTables, TableToolNames>();
  /** By the scripts and by the visible tables of the first database. */
  readonly #made = new WeakMap<object, Made>();
  readonly #entries = new WeakMap<Table, TableEntry>();
  /** Numbers of tables without a name, by alias: each number is logged once. */
  readonly #logged = new Map<string, Set<number>>();
  #loggedFull = false;

  constructor(form: NameForm, settings: McpSettings, log: Logger) {
    this.#form = form;
    this.#settings = settings;
    this.#log = log;
    this.#generic = genericTools(settings, form);
    this.#isWanted = tableFilter(settings.tables);
  }

  /** of returns the tools for a caller's scripts, and for the visible tables of each database. */
  of(scripts: readonly ListedTool[], visible: readonly VisibleTables[]): CallerTools {
    const key = visible[0] ?? scripts;
    const made = this.#made.get(key);
    if (made?.scripts === scripts && isSame(made.visible, visible)) return made.tools;
    const tools = this.#toolsOf(scripts, visible);
    this.#made.set(key, { scripts, visible, tools });
    return tools;
  }

  #toolsOf(scripts: readonly ListedTool[], visible: readonly VisibleTables[]): CallerTools {
    const room = new Room(this.#settings);
    room.reserve(this.#generic);
    const sorted = [...scripts].sort((a, b) => compareBytes(a.name, b.name));
    const some = room.fill(sorted);
    const names = visible.map((one) => this.namesOf(one));
    const folded = partitionsIn(visible);
    const wanted = offeredTables(names, (table) => this.#isWanted(table) && !folded.has(table));
    const tables: TableEntry[] = [];
    for (const { name, table } of wanted) {
      if (room.isFull) break;
      const entry = this.#entry(name, table);
      if (room.take(entry.tool)) tables.push(entry);
    }
    this.#logFull(sorted.length - some.length, wanted.length - tables.length);
    return { generic: this.#generic, scripts: some, tables };
  }

  namesOf(visible: VisibleTables): TableToolNames {
    let names = this.#names.get(visible);
    if (names !== undefined) return names;
    names = nameTables(visible, this.#form);
    this.#names.set(visible, names);
    const { unnamed } = names;
    if (unnamed > 0) this.#logUnnamed(visible.tables[0]!.alias, unnamed);
    return names;
  }

  #entry(name: string, table: Table): TableEntry {
    let entry = this.#entries.get(table);
    if (entry === undefined) {
      const tool = {
        name,
        json: tableTool(name, table, this.#form),
      };
      this.#entries.set(table, (entry = { table, tool }));
    }
    return entry;
  }

  #logFull(scripts: number, tables: number): void {
    const { maxTools, listBudget } = this.#settings;
    if (this.#loggedFull || scripts + tables === 0 || maxTools === 0) return;
    this.#loggedFull = true;
    this.#log.warn({ scripts, tables, tools: maxTools, characters: listBudget }, LEFT_OUT);
  }

  #logUnnamed(alias: string, unnamed: number): void {
    let logged = this.#logged.get(alias);
    if (logged === undefined) this.#logged.set(alias, (logged = new Set()));
    if (logged.has(unnamed)) return;
    logged.add(unnamed);
    this.#log.info({ alias, tables: unnamed }, UNNAMED);
  }
}

/** What a list has room for. It is full with the first tool that does not fit, so that its end depends on its order only. */
class Room {
  #tools: number;
  #characters: number;

  constructor({ maxTools, listBudget }: McpSettings) {
    this.#tools = maxTools;
    // The opening bracket; behind each entry is a comma, or the closing bracket.
    this.#characters = listBudget - 1;
  }

  get isFull(): boolean {
    return this.#tools === 0;
  }

  /** reserve takes tools that are listed in any case. */
  reserve(tools: readonly ListedTool[]): void {
    for (const { json } of tools) this.#characters -= json.length + 1;
  }

  take({ json }: ListedTool): boolean {
    if (this.#tools === 0) return false;
    this.#characters -= json.length + 1;
    this.#tools = this.#characters < 0 ? 0 : this.#tools - 1;
    return this.#characters >= 0;
  }

  /** fill returns the tools that fit. */
  fill(tools: readonly ListedTool[]): ListedTool[] {
    return tools.filter((tool) => this.take(tool));
  }
}

/** The tables of which another table stands in the list. */
function partitionsIn(visible: readonly VisibleTables[]): ReadonlySet<Table> {
  const partitions = visible.flatMap((one) =>
    one.tables.filter((table) => one.parentOf(table) !== undefined),
  );
  return new Set(partitions);
}

function isSame(a: readonly VisibleTables[], b: readonly VisibleTables[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
