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
  tools: CallerTools,
  after: ListPosition | undefined,
  aliases: readonly string[],
): ToolPage {
  const page = new ListPage<ListedTool>();
  for (const [tool, position] of toolsAfter(tools, after, aliases))
    if (!page.add(tool, position)) return { tools: page.entries, next: page.next };
  return { tools: page.entries, next: undefined };
}

function* toolsAfter(
  { generic, scripts, tables }: CallerTools,
  after: ListPosition | undefined,
  aliases: readonly string[],
): Generator<readonly [ListedTool, ListPosition]> {
  const kind = after?.[0] ?? 'generic';
  if (kind === 'generic') {
    const at = generic.findIndex(({ name }) => name === after?.[1]);
    if (after !== undefined && at < 0) throw invalidCursor();
    for (const tool of generic.slice(at + 1)) yield [tool, ['generic', tool.name]];
  }
  const isListed = (name: string): boolean =>
    after?.[0] !== 'script' || compareBytes(name, after[1]) > 0;
  for (const tool of kind === 'table' ? [] : scripts)
    if (isListed(tool.name)) yield [tool, ['script', tool.name]];
  const follows = after?.[0] === 'table' ? tablesAfter(after, aliases) : undefined;
  for (const { tool, table } of tables)
    if (follows?.(table) !== false) yield [tool, tablePosition(table)];
}
