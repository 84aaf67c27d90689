/**
 * Sets of tables: all of a database that a role may read, and the subset that `[access]` permits a caller. Sets are
 * immutable. Callers without entries of their own in the configuration share one.
 */
import { compareText } from '../../base/text.js';
import type { TableAccess, TableName } from '../../access/table-access.js';
import type { LoadedTable } from './loaded-table.js';
import type { Column, ForeignKey, Table, TableKeys, VisibleTables } from './table.js';

export class TableSet<Kind extends Table = Table> implements VisibleTables {
  readonly tables: readonly Kind[];
  readonly #byName = new Map<string, Kind>();
  #keys: KeyIndex | undefined;
  #byId: ReadonlyMap<string, Kind> | undefined;

  constructor(tables: Iterable<Kind>) {
    this.tables = sorted([...tables]);
    for (const table of this.tables) this.#byName.set(key(table.schema, table.name), table);
  }

  find(schema: string, name: string): Kind | undefined {
    return this.#byName.get(key(schema, name));
  }

  parentOf({ parent }: Table): Kind | undefined {
    if (parent === undefined) return undefined;
    this.#byId ??= new Map(this.tables.map((table) => [table.id, table]));
    return this.#byId.get(parent);
  }

  named(name: string): readonly Kind[] {
    return this.tables.filter((table) => table.name === name);
  }

  keysOf(table: Table): TableKeys {
    return (this.#keys ??= new KeyIndex(this.tables)).keysOf(table);
  }
}

export class ReadableTables extends TableSet<LoadedTable> {
  readonly #permitted = new WeakMap<readonly TableName[], TableSet>();

  /** permitted is the subset that a caller may read; `user` is their name, empty for a caller without one. */
  permitted(access: TableAccess, user: string): VisibleTables {
    const names = access.readable(user);
    if (names === undefined) return this;
    let set = this.#permitted.get(names);
    if (set === undefined) {
      set = new TableSet(this.#among(names, access, user));
      this.#permitted.set(names, set);
    }
    return set;
  }

  *#among(names: readonly TableName[], access: TableAccess, user: string): Generator<Table> {
    for (const [schema, name] of names) {
      const table = this.find(schema, name);
      const { fields } = access.permission(user, schema, name);
      const permitted = fields === undefined ? table : table?.restrictedTo(fields);
      if (permitted !== undefined) yield permitted;
    }
  }
}

/**
 * The keys between the tables of a set, in both directions: a key with a column that the caller may not read, or between tables
 * of which they may not read one, does not exist for them.
 */
class KeyIndex {
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

/** Names contain no NUL. */
function key(schema: string, name: string): string {
  return `${schema}\0${name}`;
}

/** Sorts by schema and name; compares UTF-16 units, which is faster, if that gives the same order. */
function sorted<Kind extends Table>(tables: Kind[]): Kind[] {
  const odd = tables.some(({ schema, name }) => SURROGATE.test(schema) || SURROGATE.test(name));
  const compare = odd ? compareBytes : compareText;
  return tables.sort((a, b) => compare(a.schema, b.schema) || compare(a.name, b.name));
}

/** A surrogate: its order among UTF-16 units differs from its character's in UTF-8. */
const SURROGATE = /[\ud800-\udfff]/;

/** compareBytes compares texts by their UTF-8 bytes, as PostgreSQL does in collation C. */
export function compareBytes(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  const [x, y] = [a.charAt(i), b.charAt(i)];
  const [above, other] = [SURROGATE.test(x), SURROGATE.test(y)];
  return above === other ? compareText(x, y) : above ? 1 : -1;
}
