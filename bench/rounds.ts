/**
 * Takes the samples of one table in rounds over all contestants. Each round begins with another contestant, so that changes
 * on the machine affect all of them alike.
 */
import type { Figures } from './measure/figures.js';

/** A running server, or a limit. */
export interface Entry {
  readonly name: string;
  /** sample takes one sample; `seed` is different each time. */
  sample(seed: number): Promise<Figures>;
}

export interface Row {
  readonly name: string;
  readonly samples: Figures[];
}

let seed = 0;

/** takeSamples resolves to the samples of each entry, in the order of `entries`. */
export async function takeSamples(
  entries: readonly Entry[],
  rounds: number,
  progress: (round: number, name: string) => void,
): Promise<Row[]> {
  const rows = entries.map(({ name }): Row => ({ name, samples: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < entries.length; turn += 1) {
      const index = (round + turn) % entries.length;
      const entry = entries[index]!;
      progress(round, entry.name);
      seed += 1;
      rows[index]!.samples.push(await entry.sample(seed));
    }
  }
  return rows;
}
