/**
 * Tables with tools of their own, and the names of these tools. A table has a tool if the configuration selects it and
 * the name is accepted by clients and unique. A name means the same table whether its tool is listed or not.
 */
import type { Table, VisibleTables } from '../tables/table.js';
import { tableToolName, type NameForm } from '../arguments/tool-names.js';

/** TableToolNames maps names of tools to the readable tables of one database. */
export interface TableToolNames {
  /** null if several tables would have the name. */
  readonly byName: ReadonlyMap<string, Table | null>;
  /** The number of tables without a valid, unique name. */
  readonly unnamed: number;
}

export function nameTables({ tables }: VisibleTables, form: NameForm): TableToolNames {
  const byName = new Map<string, Table | null>();
  let unnamed = 0;
  for (const table of tables) {
    const name = tableToolName(form, table);
    if (name === undefined) unnamed++;
    else if (!byName.has(name)) byName.set(name, table);
    else {
      unnamed += byName.get(name) === null ? 1 : 2;
      byName.set(name, null);
    }
  }
  return { byName, unnamed };
}

/** A table and the name of its tool. */
export interface OfferedTable {
  readonly name: string;
  readonly table: Table;
}

/** offeredTables returns the tables with tools, ordered by database, schema and name. */
export function offeredTables(
  databases: readonly TableToolNames[],
  isWanted: (table: Table) => boolean,
): OfferedTable[] {
  const offered: OfferedTable[] = [];
  for (const { byName } of databases) {
    for (const [name, table] of byName) {
      if (table === null || !isWanted(table)) continue;
      // Tables of two databases may have the same name too.
      if (databases.some((other) => other.byName !== byName && other.byName.has(name))) continue;
      offered.push({ name, table });
    }
  }
  return offered;
}

/** tableFilter compiles the patterns of the configuration (`mcp.tables`) that select tables. */
export function tableFilter(patterns: readonly string[]): (table: Table) => boolean {
  const compiled = patterns.map((pattern) => {
    const parts = pattern.split('.').map(partPattern);
    const table = parts.pop()!;
    const schema = parts.pop()!;
    return { alias: parts.pop(), schema, table };
  });
  return (table) =>
    compiled.some(
      (one) =>
        (one.alias?.test(table.alias) ?? true) &&
        one.schema.test(table.schema) &&
        one.table.test(table.name),
    );
}

function partPattern(part: string): RegExp {
  const escaped = part
    .split(/\*+/)
    .map((text) => text.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${escaped}$`, 'su');
}
