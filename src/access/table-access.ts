/**
 * Permissions for tables (`[access]`). With `restrict`, a table that no entry names is denied to everybody, and a
 * user's own entry for a table overrides the one for everybody. Names are compared exactly.
 */
import type { TableAccessSettings, TableEntry } from '../messages/access-settings.js';

export interface TablePermission {
  readonly read: boolean;
  readonly write: boolean;
  readonly delete: boolean;
  /** The permitted columns; undefined for all. */
  readonly fields: ReadonlySet<string> | undefined;
}

export type TableName = readonly [schema: string, table: string];

const EVERYTHING: TablePermission = { read: true, write: true, delete: true, fields: undefined };
const NOTHING: TablePermission = { read: false, write: false, delete: false, fields: undefined };

type Tables = ReadonlyMap<string, ReadonlyMap<string, TablePermission>>;

export class TableAccess {
  readonly restricted: boolean;
  readonly #everybody: Tables;
  readonly #users = new Map<string, Tables>();
  readonly #readable = new Map<string, readonly TableName[]>();

  constructor({ restrict, tables, users, ignored }: TableAccessSettings) {
    this.restricted = restrict;
    const open = new Map(ignored.map((name) => [name, EVERYTHING]));
    this.#everybody = compile(tables, open);
    const entries = new Map<string, TableEntry[]>();
    for (const user of users)
      entries.set(user.name, [...(entries.get(user.name) ?? []), ...user.tables]);
    for (const [name, own] of entries) this.#users.set(name, compile(own, open));
  }

  /** permission returns a caller's permission for a table; `user` is their name, empty for a caller without one. */
  permission(user: string, schema: string, table: string): TablePermission {
    if (!this.restricted) return EVERYTHING;
    const own = user === '' ? undefined : this.#users.get(user);
    return find(own, schema, table) ?? find(this.#everybody, schema, table) ?? NOTHING;
  }

  /** readable lists the tables that a caller may read, undefined for all; always the same array for the same caller. */
  readable(user: string): readonly TableName[] | undefined {
    if (!this.restricted) return undefined;
    // Callers without entries of their own share one list, so that names which are not configured take no memory.
    const name = this.#users.has(user) ? user : '';
    let list = this.#readable.get(name);
    if (list === undefined) this.#readable.set(name, (list = this.#listReadable(name)));
    return list;
  }

  #listReadable(user: string): TableName[] {
    const own = user === '' ? undefined : this.#users.get(user);
    const list: TableName[] = [];
    for (const [schema, tables] of this.#everybody)
      for (const [table, { read }] of tables)
        if (read && find(own, schema, table) === undefined) list.push([schema, table]);
    for (const [schema, tables] of own ?? [])
      for (const [table, { read }] of tables) if (read) list.push([schema, table]);
    return list;
  }
}

function find(
  tables: Tables | undefined,
  schema: string,
  table: string,
): TablePermission | undefined {
  return tables?.get(schema)?.get(table);
}

/** Compiles entries: the last one for a table counts, and the tables in `open` permit everything. */
function compile(
  entries: readonly TableEntry[],
  open: ReadonlyMap<string, TablePermission>,
): Tables {
  const compiled = new Map<string, Map<string, TablePermission>>();
  const add = (name: string, permission: TablePermission): void => {
    const [schema, table] = tableName(name);
    const tables = compiled.get(schema);
    if (tables === undefined) compiled.set(schema, new Map([[table, permission]]));
    else tables.set(table, permission);
  };
  for (const entry of entries) add(entry.name, permissionOf(entry));
  for (const [name, permission] of open) add(name, permission);
  return compiled;
}

/** tableName splits a configured name at its first dot; without a dot the schema is `public`. */
export function tableName(name: string): TableName {
  const dot = name.indexOf('.');
  return dot < 0 ? ['public', name] : [name.slice(0, dot), name.slice(dot + 1)];
}

function permissionOf({ permissions, fields }: TableEntry): TablePermission {
  const columns = fields === undefined || fields.includes('*') ? undefined : new Set(fields);
  return {
    // Without a permitted column nothing can be read.
    read: permissions.includes('read') && columns?.size !== 0,
    write: permissions.includes('write'),
    delete: permissions.includes('delete'),
    fields: columns,
  };
}
