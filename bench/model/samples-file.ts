/** The samples of a run of the model, as its file has them. Throws an error for another file. */
import { readJson } from './costs-file.js';
import { PARTS, type Sample } from './sample.js';

export interface Recorded {
  /** The machine, for a reader. */
  readonly machine: string;
  readonly cores: number;
  /** Connections of each service to PostgreSQL. */
  readonly pool: number;
  readonly samples: readonly Sample[];
}

/** readSamples reads a file. */
export function readSamples(file: string): Recorded {
  const content = readJson(file) as Partial<Recorded> | null;
  const valid =
    typeof content?.machine === 'string' &&
    isCount(content.cores) &&
    isCount(content.pool) &&
    Array.isArray(content.samples) &&
    content.samples.length > 0 &&
    content.samples.every(isSample);
  if (!valid) throw new Error(`${file} has no samples of the model`);
  return content as Recorded;
}

function isSample(value: unknown): value is Sample {
  const sample = value as Partial<Sample> | null;
  return (
    typeof sample?.case === 'string' &&
    [sample.layout?.processes, sample.layout?.threads, sample.connections].every(isCount) &&
    [sample.rate, sample.p50, sample.p99].every((figure) => isFigure(figure) && figure > 0) &&
    isFigure(sample.otherLoad) &&
    PARTS.every((part) => {
      const { cpu, sleeps } = sample.parts?.[part] ?? {};
      return isFigure(cpu) && cpu > 0 && isFigure(sleeps);
    })
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isFigure(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
