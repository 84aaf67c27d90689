/** How many scripts have which result of their proof: counted anew only when the proofs have changed. */
import { PROOFS } from '../../../observe/metrics/catalogue.js';
import { counts } from '../../../observe/metrics/thread.js';
import type { ProofBook } from '../../../messages/proof-book.js';

export class ProofCounts {
  readonly #book: ProofBook;
  #version = 0;

  constructor(book: ProofBook) {
    this.#book = book;
  }

  sample(): void {
    if (this.#book.version === this.#version) return;
    this.#version = this.#book.version;
    for (const at of Object.values(PROOFS)) counts[at] = 0;
    for (const { record } of this.#book.proofs) counts[PROOFS[record.verdict]]! += 1;
  }
}
