/**
 * The figures of a sample, and what several samples of the same thing come to. Pure functions.
 */

/** Figures is what one sample, or the median of several, says. Absent: this contestant has no such figure. */
export interface Figures {
  /** Answers per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
  /** Microseconds of CPU per answer, of all processes of the server. */
  readonly serverCpu?: number;
  /** The same, of PostgreSQL. */
  readonly databaseCpu: number;
  /** Most bytes that the server's processes had resident during the sample. */
  readonly resident?: number;
  /** Most bytes that its sessions in PostgreSQL held by themselves, shared buffers not included. */
  readonly sessionMemory?: number;
  /** Answers that were errors. */
  readonly errors: number;
  /** CPUs kept busy by what is not part of the benchmark. */
  readonly otherLoad: number;
}

export type FigureName = keyof Figures;

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export type Summary = Readonly<Partial<Record<FigureName, Spread>>>;

const NAMES: readonly FigureName[] = [
  'rate',
  'p50',
  'p99',
  'serverCpu',
  'databaseCpu',
  'resident',
  'sessionMemory',
  'errors',
  'otherLoad',
];

/** summarise is median, least and most of every figure that the samples have. */
export function summarise(samples: readonly Figures[]): Summary {
  const entries: [FigureName, Spread][] = [];
  for (const name of NAMES) {
    const values = samples.map((sample) => sample[name]).filter((value) => value !== undefined);
    if (values.length > 0) entries.push([name, spread(values)]);
  }
  return Object.fromEntries(entries);
}

/** spread is median, least and most of at least one number. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
