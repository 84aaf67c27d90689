/**
 * A block: the memory of one thread for all tables. Only that thread writes it, so that counting is adding to a number of
 * an array, without a lock or a message; the supervisor reads it at any time. A row is complete before the number of rows
 * in its table includes it, and rows are never removed. A thread that replaces another one continues its block.
 *
 * Of each table: a header, whose first word is the number of rows; then the rows: the numbers, and the values of the labels
 * as a length in bytes and UTF-8 with NUL between them.
 */
import { TABLES } from './catalogue.js';
import { OTHER, type MetricTable } from './metric-table.js';

const HEADER_BYTES = 64;

/** For the labels of a row; longer ones are cut off. The path of a script with its database has at most 203 characters. */
const LABEL_BYTES = 256;

/** A multiple of every size of pages. */
const ALIGNMENT = 65_536;

interface TableLayout {
  readonly at: number;
  readonly rowBytes: number;
}

let end = 0;
const LAYOUTS: ReadonlyMap<MetricTable, TableLayout> = new Map(
  TABLES.map((table) => {
    const rowBytes = table.length * Float64Array.BYTES_PER_ELEMENT + LABEL_BYTES;
    const layout = { at: end, rowBytes };
    end += HEADER_BYTES + table.capacity * rowBytes;
    return [table, layout];
  }),
);

/** Bytes of a block. */
export const BLOCK_BYTES = Math.ceil(end / ALIGNMENT) * ALIGNMENT;

/** A row: the values of its table's labels, and its numbers. */
export interface Row {
  readonly labels: readonly string[];
  readonly values: Float64Array;
}

export function keyOf(labels: readonly string[]): string {
  return labels.join('\0');
}

class Rows {
  readonly #table: MetricTable;
  readonly #memory: ArrayBuffer;
  readonly #count: Int32Array;
  readonly #at: number;
  readonly #rowBytes: number;
  readonly #read: Row[] = [];

  constructor(table: MetricTable, memory: ArrayBuffer, block: number) {
    const { at, rowBytes } = LAYOUTS.get(table)!;
    this.#table = table;
    this.#memory = memory;
    this.#count = new Int32Array(memory, block + at, 1);
    this.#at = block + at + HEADER_BYTES;
    this.#rowBytes = rowBytes;
  }

  /** all gives the rows that are complete: the same objects each time. */
  all(): readonly Row[] {
    const count = Math.min(Atomics.load(this.#count, 0), this.#table.capacity);
    while (this.#read.length < count) this.#read.push(this.#row(this.#read.length));
    return this.#read;
  }

  /** add adds a row; undefined when there is no room. */
  add(labels: readonly string[]): Row | undefined {
    const index = this.all().length;
    if (index >= this.#table.capacity) return undefined;
    const values = this.#values(index);
    const text = this.#text(index);
    const { written } = new TextEncoder().encodeInto(keyOf(labels), text);
    new Int32Array(this.#memory, text.byteOffset - Int32Array.BYTES_PER_ELEMENT, 1)[0] = written;
    Atomics.store(this.#count, 0, index + 1);
    const row = { labels, values };
    this.#read.push(row);
    return row;
  }

  #row(index: number): Row {
    const text = this.#text(index);
    const [length = 0] = new Int32Array(this.#memory, text.byteOffset - 4, 1);
    const labels = new TextDecoder().decode(text.subarray(0, length)).split('\0');
    return {
      labels: this.#table.labels.map((_, i) => labels[i] ?? ''),
      values: this.#values(index),
    };
  }

  #values(index: number): Float64Array {
    return new Float64Array(this.#memory, this.#at + index * this.#rowBytes, this.#table.length);
  }

  #text(index: number): Uint8Array {
    const begin = this.#at + (index + 1) * this.#rowBytes - LABEL_BYTES;
    const { BYTES_PER_ELEMENT: length } = Int32Array;
    return new Uint8Array(this.#memory, begin + length, LABEL_BYTES - length);
  }
}

/** BlockReader reads the block that begins at a byte of the memory. */
export class BlockReader {
  readonly #rows: ReadonlyMap<MetricTable, Rows>;

  constructor(memory: ArrayBuffer, at: number) {
    this.#rows = new Map(TABLES.map((table) => [table, new Rows(table, memory, at)]));
  }

  /** rows gives the rows of a table; their numbers change while their thread runs. */
  rows(table: MetricTable): readonly Row[] {
    return this.#rows.get(table)!.all();
  }
}

/** Clears the gauges of a row after its thread has ended. */
function clearGauges(table: MetricTable, values: Float64Array): void {
  for (const { kind, at, label } of table.fields)
    if (kind === 'gauge') values.fill(0, at, at + (label?.values.length ?? 1));
}

export class BlockWriter {
  /** Undefined: the rows are in memory of this thread alone. */
  readonly #rows: ReadonlyMap<MetricTable, Rows> | undefined;
  readonly #known: ReadonlyMap<MetricTable, Map<string, Float64Array>>;

  /** `memory` is a block's; without it, the counts can be read in this thread only. */
  constructor(memory?: ArrayBuffer) {
    this.#known = new Map(TABLES.map((table) => [table, new Map<string, Float64Array>()]));
    if (memory === undefined) return;
    this.#rows = new Map(TABLES.map((table) => [table, new Rows(table, memory, 0)]));
    for (const [table, rows] of this.#rows)
      for (const { labels, values } of rows.all()) {
        clearGauges(table, values);
        this.#known.get(table)!.set(keyOf(labels), values);
      }
  }

  /**
   * row gives the numbers of a row, which it makes if it is not there. When the table is full but for the reserved rows, it
   * is the row of `other`. Slow: to be called once, and its result kept.
   */
  row(table: MetricTable, labels: readonly string[] = []): Float64Array {
    const known = this.#known.get(table)!;
    const found = known.get(keyOf(labels));
    if (found !== undefined) return found;
    const isOther = labels[table.bounded] === OTHER;
    const room = table.capacity - (isOther ? 1 : table.reserved);
    if (known.size < room || labels.length === 0) return this.#add(table, labels, known);
    return isOther ? this.#last(table, known) : this.row(table, table.other(labels));
  }

  /** The row of everything else that found no room, which the last place of a table is for. */
  #last(table: MetricTable, known: Map<string, Float64Array>): Float64Array {
    const labels = table.labels.map(() => OTHER);
    return known.get(keyOf(labels)) ?? this.#add(table, labels, known);
  }

  #add(
    table: MetricTable,
    labels: readonly string[],
    known: Map<string, Float64Array>,
  ): Float64Array {
    const rows = this.#rows?.get(table);
    const values = rows === undefined ? new Float64Array(table.length) : rows.add(labels)!.values;
    known.set(keyOf(labels), values);
    return values;
  }
}
