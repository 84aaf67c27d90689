/**
 * Sets of tables: all of a database that a role may read, and the subset that `[access]` permits a caller. Sets are
 * immutable. Callers without entries of their own in the configuration share one.
 */
import { compareText } from '../../base/text.js';
import type { TableAccess, TableName } from '../../access/table-access.js';
import type { LoadedTable } from './loaded-table.js';
import { KeyIndex } from './table-keys.js';
import type { Table, TableKeys, VisibleTables } from './table.js';

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
