/**
 * The metrics, declared once: a table has rows, one for each combination of the values of its labels, and each row the
 * same fields, which are numbers at fixed indexes. A table without labels has one row. All threads and processes know the
 * tables from their code (catalogue.ts), so that memory between them holds numbers and the values of labels alone.
 */
import { HISTOGRAM_LENGTH, LEAST } from './histogram.js';

export type Kind = 'counter' | 'gauge' | 'histogram';

/** The last word of a metric's name, before `_total`. */
export type Unit = 'seconds' | 'bytes' | 'ratio' | '';

/** A field of each row, or several, one for each value of a label of their own. */
export interface Field {
  /** As Prometheus knows it, without the suffix `_total` of counters. */
  readonly name: string;
  readonly kind: Kind;
  readonly unit: Unit;
  readonly help: string;
  /** How the gauges of several threads become one. */
  readonly merge: 'sum' | 'max';
  /** Its own label and its values; undefined when it is one field. */
  readonly label: { readonly name: string; readonly values: readonly string[] } | undefined;
  /** Index in the row of the first. */
  readonly at: number;
  /** Exponent of the least bound of a histogram. */
  readonly least: number;
}

/** How many numbers each of a field's values takes. */
export function lengthOf({ kind }: Field): number {
  return kind === 'histogram' ? HISTOGRAM_LENGTH : 1;
}

export interface MetricTableOptions {
  readonly labels?: readonly string[];
  /** Most rows; one without labels. */
  readonly capacity?: number;
  /** Of these, the rows for what has no row of its own. */
  readonly reserved?: number;
  /** Index of the label that is `other` in those. */
  readonly bounded?: number;
}

export class MetricTable {
  readonly labels: readonly string[];
  readonly capacity: number;
  readonly reserved: number;
  readonly bounded: number;
  readonly #fields: Field[] = [];
  #length = 0;

  constructor({ labels = [], capacity = 1, reserved = 0, bounded = 0 }: MetricTableOptions = {}) {
    this.labels = labels;
    this.capacity = capacity;
    this.reserved = reserved;
    this.bounded = bounded;
  }

  get fields(): readonly Field[] {
    return this.#fields;
  }

  /** length is how many numbers a row has. */
  get length(): number {
    return this.#length;
  }

  /** counter declares a field and returns its index in a row. */
  counter(name: string, help: string, unit: Unit = ''): number {
    return this.#add({ name, help, unit, kind: 'counter' });
  }

  /** counters declares one for each value of a label, and returns their indexes. */
  counters<const V extends string>(
    name: string,
    help: string,
    label: string,
    values: readonly V[],
  ): Readonly<Record<V, number>> {
    return this.#addEach({ name, help, kind: 'counter' }, label, values);
  }

  gauge(name: string, help: string, { unit = '', merge = 'sum' }: GaugeOptions = {}): number {
    return this.#add({ name, help, unit, merge, kind: 'gauge' });
  }

  gauges<const V extends string>(
    name: string,
    help: string,
    label: string,
    values: readonly V[],
    merge: Field['merge'] = 'sum',
  ): Readonly<Record<V, number>> {
    return this.#addEach({ name, help, merge, kind: 'gauge' }, label, values);
  }

  /** histogram declares one whose name ends with its unit; one without a unit counts things. */
  histogram(name: string, help: string, unit: 'seconds' | 'bytes' | ''): number {
    return this.#add({ name, help, unit, kind: 'histogram', least: LEAST[unit || 'count'] });
  }

  /** other is the row of what has none of its own. */
  other(labels: readonly string[]): readonly string[] {
    return labels.map((value, i) => (i === this.bounded ? OTHER : value));
  }

  #addEach<const V extends string>(
    declared: Declared,
    label: string,
    values: readonly V[],
  ): Readonly<Record<V, number>> {
    const at = this.#add({ ...declared, label: { name: label, values } });
    return Object.fromEntries(values.map((value, i) => [value, at + i])) as Record<V, number>;
  }

  #add(declared: Declared): number {
    const field: Field = {
      unit: '',
      merge: 'sum',
      label: undefined,
      least: 0,
      ...declared,
      at: this.#length,
    };
    this.#fields.push(field);
    this.#length += lengthOf(field) * (field.label?.values.length ?? 1);
    return field.at;
  }
}

/** The value of a label that stands for everything without a row of its own. */
export const OTHER = 'other';

interface GaugeOptions {
  readonly unit?: Unit;
  readonly merge?: Field['merge'];
}

type Declared = Pick<Field, 'name' | 'help' | 'kind'> & Partial<Omit<Field, 'at'>>;
