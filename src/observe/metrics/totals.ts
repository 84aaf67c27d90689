/**
 * Adds the blocks of threads up. What was counted by processes that have ended stays (Retired), so that counters never go
 * back; their gauges vanish. Which rows there are is bounded over all processes and for as long as the supervisor runs: a
 * row that had no room is part of `other` for good.
 */
import { keyOf, type BlockReader, type Row } from './block.js';
import { TABLES } from './catalogue.js';
import { lengthOf, type Field, type MetricTable } from './metric-table.js';

export interface Total extends Row {
  /** Whether a running thread has it; otherwise its gauges say nothing. */
  live: boolean;
}

export class Totals {
  readonly #names: RowNames;
  readonly #tables: ReadonlyMap<MetricTable, Map<string, Total>>;

  constructor(names: RowNames) {
    this.#names = names;
    this.#tables = new Map(TABLES.map((table) => [table, new Map<string, Total>()]));
  }

  /** rows gives the rows of a table, in the order in which they were added. */
  rows(table: MetricTable): Iterable<Total> {
    return this.#tables.get(table)!.values();
  }

  /** add adds what a running thread has counted. */
  add(block: Pick<BlockReader, 'rows'>): void {
    for (const table of TABLES) for (const row of block.rows(table)) this.#add(table, row, true);
  }

  /** addCounted adds what has no gauges any more. */
  addCounted(block: { rows(table: MetricTable): Iterable<Row> }): void {
    for (const table of TABLES) for (const row of block.rows(table)) this.#add(table, row, false);
  }

  #add(table: MetricTable, { labels, values }: Row, live: boolean): void {
    const [key, admitted] = this.#names.admit(table, labels);
    const rows = this.#tables.get(table)!;
    let total = rows.get(key);
    if (total === undefined)
      rows.set(
        key,
        (total = { labels: admitted, values: new Float64Array(table.length), live: false }),
      );
    for (const field of table.fields)
      if (live || field.kind !== 'gauge') addField(field, total.values, values);
    total.live ||= live;
  }
}

/** Fractions of a second that are added up, some 60 ns: sums of their multiples are exact, in whatever order. */
const GRAIN = 2 ** 24;

function addField(field: Field, to: Float64Array, from: Float64Array): void {
  const end = field.at + lengthOf(field) * (field.label?.values.length ?? 1);
  for (let i = field.at; i < end; i++)
    to[i] =
      field.kind === 'gauge' && field.merge === 'max'
        ? Math.max(to[i]!, from[i]!)
        : to[i]! + Math.floor(from[i]! * GRAIN) / GRAIN;
}

export class RowNames {
  readonly #tables: ReadonlyMap<MetricTable, Map<string, readonly [string, readonly string[]]>>;

  constructor() {
    this.#tables = new Map(
      TABLES.map((table) => [table, new Map<string, readonly [string, readonly string[]]>()]),
    );
  }

  /** admit gives the key and the labels of the row that a row is part of: its own, or the row of `other`. */
  admit(table: MetricTable, labels: readonly string[]): readonly [string, readonly string[]] {
    const known = this.#tables.get(table)!;
    const key = keyOf(labels);
    const found = known.get(key);
    if (found !== undefined) return found;
    // Tables of a few rows for each thread have as many as there are threads.
    const other = table.reserved > 0 && known.size >= table.capacity ? table.other(labels) : labels;
    const admitted = [keyOf(other), other] as const;
    if (other === labels) known.set(key, admitted);
    return admitted;
  }
}

/** Retired is what processes had counted that have ended. */
export class Retired {
  readonly names = new RowNames();
  readonly #totals = new Totals(this.names);

  add(blocks: readonly BlockReader[]): void {
    for (const block of blocks) this.#totals.addCounted(block);
  }

  /** with gives the totals of everything that was ever counted, and the gauges of the threads that run. */
  with(running: Iterable<BlockReader>): Totals {
    const totals = new Totals(this.names);
    totals.addCounted(this.#totals);
    for (const block of running) totals.add(block);
    return totals;
  }
}
