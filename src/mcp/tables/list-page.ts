/** A page of a list of tools or of resources, while it is filled. */
import {
  encodeCursor,
  invalidCursor,
  type ListPosition,
  type TablePosition,
} from '../arguments/list-cursor.js';
import { compareBytes } from './table-set.js';
import type { Table } from './table.js';

/** Maximum of entries on a page, and of their characters, unless a single entry has more. */
const PAGE_ENTRIES = 100;
const PAGE_SIZE = 256 << 10;

/** ListPage collects entries, which have their JSON. */
export class ListPage<Entry extends { readonly json: string }> {
  readonly entries: Entry[] = [];
  #size = 0;
  #last: ListPosition | undefined;

  /** add adds an entry with its sort key, and returns false if there is no room for it. */
  add(entry: Entry, position: ListPosition): boolean {
    const { length } = this.entries;
    const isFull = length === PAGE_ENTRIES || this.#size + entry.json.length > PAGE_SIZE;
    if (isFull && length > 0) return false;
    this.entries.push(entry);
    this.#size += entry.json.length;
    this.#last = position;
    return true;
  }

  /** The cursor of the page after the last entry; there must be one. */
  get next(): string {
    return encodeCursor(this.#last!);
  }
}

export function tablePosition({ alias, schema, name }: Table): TablePosition {
  return ['table', alias, schema, name];
}

/** tablesAfter tells which tables follow a position; `aliases` are the databases in their order. Throws RpcError. */
export function tablesAfter(
  [, alias, schema, name]: TablePosition,
  aliases: readonly string[],
): (table: Table) => boolean {
  const order = new Map(aliases.map((one, i) => [one, i]));
  const rank = order.get(alias);
  if (rank === undefined) throw invalidCursor();
  return (table) => {
    const by = order.get(table.alias)! - rank;
    return (by || compareBytes(table.schema, schema) || compareBytes(table.name, name)) > 0;
  };
}
