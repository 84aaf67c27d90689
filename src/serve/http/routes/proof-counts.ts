/** How many scripts have which result of their proof: counted anew only when the proofs have changed. */
import { PROOFS } from '../../../observe/metrics/catalogue.js';
import { counts } from '../../../observe/metrics/thread.js';
import type { ProofCache } from '../../../messages/proof-cache.js';

export class ProofCounts {
  readonly #cache: ProofCache;
  #version = 0;

  constructor(cache: ProofCache) {
    this.#cache = cache;
  }

  sample(): void {
    if (this.#cache.version === this.#version) return;
    this.#version = this.#cache.version;
    for (const at of Object.values(PROOFS)) counts[at] = 0;
    for (const { record } of this.#cache.proofs) counts[PROOFS[record.verdict]]! += 1;
  }
}
