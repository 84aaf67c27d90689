/** Pages of a caller's list of tools. */
import { compareBytes } from './table-set.js';
import type { Table } from './table.js';
import { encodeCursor, invalidCursor, type ListPosition } from './tool-cursor.js';
import type { ListedTool, ToolPage } from './tool.js';

/** Maximum of tools on a page, and of their characters, unless a single tool has more. */
const PAGE_TOOLS = 100;
const PAGE_SIZE = 256 << 10;

/** The tools of a caller, in the order of the list. */
export interface CallerTools {
  readonly generic: readonly ListedTool[];
  /** By name. */
  readonly scripts: readonly ListedTool[];
  /** By database, schema and name. */
  readonly tables: readonly TableEntry[];
}

export interface TableEntry {
  readonly table: Table;
  readonly tool: ListedTool;
}

/** pageOf is the page after a position; `aliases` are the databases in their order. Throws RpcError. */
export function pageOf(
  { generic, scripts, tables }: CallerTools,
  after: ListPosition | undefined,
  aliases: readonly string[],
): ToolPage {
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

  for (const tool of generic.slice(genericStart(generic, after)))
    if (!add(tool, ['generic', tool.name])) return full();
  for (const tool of scripts.slice(scriptStart(scripts, after)))
    if (!add(tool, ['script', tool.name])) return full();
  for (let i = tableStart(tables, after, aliases); i < tables.length; i++) {
    const { tool, table } = tables[i]!;
    if (!add(tool, ['table', table.alias, table.schema, table.name])) return full();
  }
  return { tools: page, next: undefined };
}

function genericStart(generic: readonly ListedTool[], after: ListPosition | undefined): number {
  if (after === undefined) return 0;
  if (after[0] !== 'generic') return generic.length;
  const at = generic.findIndex(({ name }) => name === after[1]);
  if (at < 0) throw invalidCursor();
  return at + 1;
}

function scriptStart(scripts: readonly ListedTool[], after: ListPosition | undefined): number {
  if (after === undefined || after[0] === 'generic') return 0;
  if (after[0] === 'table') return scripts.length;
  const at = scripts.findIndex(({ name }) => compareBytes(name, after[1]) > 0);
  return at < 0 ? scripts.length : at;
}

function tableStart(
  tables: readonly TableEntry[],
  after: ListPosition | undefined,
  aliases: readonly string[],
): number {
  if (after?.[0] !== 'table') return 0;
  const [, ...position] = after;
  const order = new Map(aliases.map((alias, i) => [alias, i]));
  const rank = order.get(position[0]);
  if (rank === undefined) throw invalidCursor();
  const at = tables.findIndex(({ table: { alias, schema, name } }) => {
    const by = order.get(alias)! - rank;
    return (by || compareBytes(schema, position[1]) || compareBytes(name, position[2])) > 0;
  });
  return at < 0 ? tables.length : at;
}
