/**
 * Which tables have tools of their own, and under which names: those that the configuration wants, as long as their names
 * are ones that clients take and belong to no other. A name means the same table whether its tool is listed or not.
 */
import type { Table, VisibleTables } from './table.js';
import { tableToolName, type NameForm } from './tool-names.js';

/** Names are the tools' names of the tables that somebody may read in one database. */
export interface Names {
  /** null where several tables would have the name. */
  readonly byName: ReadonlyMap<string, Table | null>;
  /** Tables without a tool, for the name they would have. */
  readonly unnamed: number;
}

/** namesOf names tables. */
export function namesOf({ tables }: VisibleTables, form: NameForm): Names {
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

/** A table with a tool. */
export interface Offered {
  readonly name: string;
  readonly table: Table;
}

/** offeredTables gives the first `most` tables that have tools, database by database, and in each by schema and name. */
export function offeredTables(
  databases: readonly Names[],
  isWanted: (table: Table) => boolean,
  most: number,
): Offered[] {
  const offered: Offered[] = [];
  for (const { byName } of databases) {
    for (const [name, table] of byName) {
      if (offered.length === most) return offered;
      if (table === null || !isWanted(table)) continue;
      // With several databases, two may come to the same name as well.
      if (databases.some((other) => other.byName !== byName && other.byName.has(name))) continue;
      offered.push({ name, table });
    }
  }
  return offered;
}

/** tableFilter tells by patterns of the configuration (`mcp.tables`) which tables are to have tools. */
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
