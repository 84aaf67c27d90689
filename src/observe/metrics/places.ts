/** The blocks in the memory of an HTTP process: of its event loop, of each query worker, and of the prover. */
import type { MetricsPlace } from '../../messages/thread-settings.js';

export class ProcessPlaces {
  readonly http: MetricsPlace;
  readonly prover: MetricsPlace;
  readonly #memory: number;
  readonly #process: number;

  /** `memory` is its descriptor, `process` the index of the HTTP process, which has so many query workers. */
  constructor(memory: number, process: number, workers: number) {
    this.#memory = memory;
    this.#process = process;
    this.http = this.#place(0, 'http');
    this.prover = this.#place(workers + 1, 'prover');
  }

  query(worker: number): MetricsPlace {
    return this.#place(worker + 1, `query_${worker}`);
  }

  #place(block: number, thread: string): MetricsPlace {
    return { memory: this.#memory, block, process: this.#process, thread };
  }
}

/** blocksOf is how many blocks an HTTP process has. */
export function blocksOf(workers: number): number {
  return workers + 2;
}
