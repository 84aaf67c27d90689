/** Pages of a caller's list of tools. */
import { invalidCursor, type ListPosition } from '../arguments/list-cursor.js';
import { ListPage, tablePosition, tablesAfter } from '../tables/list-page.js';
import { compareBytes } from '../tables/table-set.js';
import type { Table } from '../tables/table.js';
import type { ListedTool, ToolPage } from '../arguments/tool.js';

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
  const page = new ListPage<ListedTool>();
  const full = (): ToolPage => ({ tools: page.entries, next: page.next });

  for (const tool of generic.slice(genericStart(generic, after)))
    if (!page.add(tool, ['generic', tool.name])) return full();
  for (const tool of scripts.slice(scriptStart(scripts, after)))
    if (!page.add(tool, ['script', tool.name])) return full();
  for (let i = tableStart(tables, after, aliases); i < tables.length; i++) {
    const { tool, table } = tables[i]!;
    if (!page.add(tool, tablePosition(table))) return full();
  }
  return { tools: page.entries, next: undefined };
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
  const follows = tablesAfter(after, aliases);
  const at = tables.findIndex(({ table }) => follows(table));
  return at < 0 ? tables.length : at;
}
