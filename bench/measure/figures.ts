/**
 * The figures of a sample, and their medians over several samples. Pure functions.
 */

/** The figures of one sample. A figure that the contestant does not have is absent. */
export interface Figures {
  /** Responses per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
  /** Microseconds of CPU per response, of all processes of the server. */
  readonly serverCpu?: number;
  /** The same, of PostgreSQL. */
  readonly databaseCpu: number;
  /** Maximum resident memory of the server's processes during the sample, in bytes. */
  readonly resident?: number;
  /** Maximum private memory of its sessions in PostgreSQL, without shared buffers, in bytes. */
  readonly sessionMemory?: number;
  readonly errors: number;
  /** Number of CPUs kept busy by other programs. */
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

/** summarise returns the spread of every figure in the samples. */
export function summarise(samples: readonly Figures[]): Summary {
  const entries: [FigureName, Spread][] = [];
  for (const name of NAMES) {
    const values = samples.map((sample) => sample[name]).filter((value) => value !== undefined);
    if (values.length > 0) entries.push([name, spread(values)]);
  }
  return Object.fromEntries(entries);
}

/** spread returns median, minimum and maximum of one or more numbers. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
