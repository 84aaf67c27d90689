/** Metrics as a scrape shows them: families of samples, from totals and from values of the supervisor. */
import { TABLES } from './catalogue.js';
import { readHistogram, type Histogram } from './histogram.js';
import { lengthOf, type Field, type Kind, type MetricTable, type Unit } from './metric-table.js';
import type { Total, Totals } from './totals.js';

export type Labels = readonly (readonly [name: string, value: string])[];

export interface Sample {
  readonly labels: Labels;
  readonly value: number | Histogram;
}

export interface Family {
  /** Without the suffix of its samples (`_total`, `_info`). */
  readonly name: string;
  readonly kind: Kind | 'info';
  readonly unit: Unit;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** familiesOf lists the families of all tables. One without samples is left out. */
export function familiesOf(totals: Totals): Family[] {
  return TABLES.flatMap((table) =>
    table.fields.map((field) => familyOf(table, field, totals.rows(table))),
  ).filter(({ samples }) => samples.length > 0);
}

function familyOf(table: MetricTable, field: Field, rows: Iterable<Total>): Family {
  const samples: Sample[] = [];
  for (const { labels, values, live } of rows) {
    if (field.kind === 'gauge' && !live) continue;
    const shared = table.labels.map((name, i) => [name, labels[i]!] as const);
    if (field.label === undefined) samples.push({ labels: shared, value: read(field, values, 0) });
    else
      for (const [i, value] of field.label.values.entries())
        samples.push({
          labels: [...shared, [field.label.name, value]],
          value: read(field, values, i),
        });
  }
  const { name, kind, unit, help } = field;
  return { name, kind, unit, help, samples };
}

function read(field: Field, values: Float64Array, i: number): number | Histogram {
  const at = field.at + i * lengthOf(field);
  return field.kind === 'histogram' ? readHistogram(values, at, field.least) : values[at]!;
}
