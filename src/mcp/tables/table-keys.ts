/**
 * The keys of tables that a caller may know: a key with a column that the caller may not read, or between tables of which
 * they may not read one, does not exist for them.
 */
import type { Column, ForeignKey, Table, TableKeys } from './table.js';

/** KeyIndex finds the keys between the tables of a set, in both directions. */
export class KeyIndex {
  readonly #byId = new Map<string, Table>();
  /** Tables with foreign keys of their own that reference a table, by its OID. */
  readonly #referencing = new Map<string, Set<Table>>();

  constructor(tables: readonly Table[]) {
    for (const table of tables) this.#byId.set(table.id, table);
    for (const table of tables)
      for (const { table: id, inherited } of table.keys.foreign) {
        if (inherited || !this.#byId.has(id)) continue;
        let referencing = this.#referencing.get(id);
        if (referencing === undefined) this.#referencing.set(id, (referencing = new Set()));
        referencing.add(table);
      }
  }

  keysOf(table: Table): TableKeys {
    const referencing = [...(this.#referencing.get(table.id) ?? [])];
    return {
      primaryKey: columnsAt(table, table.keys.primary) ?? [],
      foreignKeys: this.#foreignKeys(table),
      referencedBy: referencing.flatMap((one) =>
        this.#foreignKeys(one, false).filter(({ referenced }) => referenced.id === table.id),
      ),
    };
  }

  #foreignKeys(table: Table, withInherited = true): ForeignKey[] {
    const keys: ForeignKey[] = [];
    for (const key of table.keys.foreign) {
      const referenced = this.#byId.get(key.table);
      if (referenced === undefined || (key.inherited && !withInherited)) continue;
      const columns = columnsAt(table, key.columns);
      const references = columnsAt(referenced, key.references);
      if (columns && references) keys.push({ table, columns, referenced, references });
    }
    return keys;
  }
}

/** The columns at these positions; undefined if the caller may not read one of them. */
function columnsAt(table: Table, positions: readonly number[]): readonly Column[] | undefined {
  const columns = positions.map((at) => table.columns.find(({ position }) => position === at));
  return columns.every((column) => column !== undefined) ? columns : undefined;
}
