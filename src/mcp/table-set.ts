/**
 * The tables of a database that a database role may read, and the part of them that `[access]` leaves to a caller. A set
 * never changes. Callers for whom the configuration has no entries of their own share one.
 */
import type { TableAccess, TableName } from '../access/table-access.js';
import type { LoadedTable } from './loaded-table.js';
import type { Table, VisibleTables } from './table.js';

export class TableSet<Kind extends Table = Table> implements VisibleTables {
  readonly tables: readonly Kind[];
  readonly #byName = new Map<string, Kind>();

  constructor(tables: Iterable<Kind>) {
    this.tables = sorted([...tables]);
    for (const table of this.tables) this.#byName.set(key(table.schema, table.name), table);
  }

  find(schema: string, name: string): Kind | undefined {
    return this.#byName.get(key(schema, name));
  }
}

/** ReadableTables are those that a role may read. */
export class ReadableTables extends TableSet<LoadedTable> {
  readonly #permitted = new WeakMap<readonly TableName[], TableSet>();

  /** permitted is what of them a caller may read; `user` is empty for one without a name. */
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
      const permitted = fields === undefined ? table : table?.only(fields);
      if (permitted !== undefined) yield permitted;
    }
  }
}

/** No name has a NUL in it. */
function key(schema: string, name: string): string {
  return `${schema}\0${name}`;
}

/** By schema and name; many of them in a few milliseconds. */
function sorted<Kind extends Table>(tables: Kind[]): Kind[] {
  const odd = tables.some(({ schema, name }) => SURROGATE.test(schema) || SURROGATE.test(name));
  const compare = odd ? compareBytes : compareUnits;
  return tables.sort((a, b) => compare(a.schema, b.schema) || compare(a.name, b.name));
}

/** Half of a character beyond all that are a single unit: among others its own value tells nothing. */
const SURROGATE = /[\ud800-\udfff]/;

function compareUnits(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** compareBytes compares texts by the bytes of their UTF-8, as PostgreSQL does in collation C. */
export function compareBytes(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  const [x, y] = [a.charAt(i), b.charAt(i)];
  const [above, other] = [SURROGATE.test(x), SURROGATE.test(y)];
  return above === other ? compareUnits(x, y) : above ? 1 : -1;
}
