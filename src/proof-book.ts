/** The proofs of the scripts that are served, as a process or a thread of the service knows them. */
import type { ProofKey, ProofNews, ServedProof } from './proofs.js';

export class ProofBook {
  /** Whether every script has been proved once since the service started. */
  complete = false;
  /** Changes with the proofs: what is made of them is out of date then. */
  version = 0;
  readonly #proofs = new Map<string, ServedProof>();

  apply({ proofs, gone, complete }: ProofNews): void {
    for (const key of gone) this.#proofs.delete(keyOf(key));
    for (const proof of proofs) this.#proofs.set(keyOf(proof), proof);
    if (proofs.length + gone.length > 0) this.version++;
    this.complete ||= complete;
  }

  /** of gives the proof of the text that a script has, or had a moment ago, for a verb. */
  of(key: ProofKey): ServedProof | undefined {
    return this.#proofs.get(keyOf(key));
  }

  /** In no particular order. */
  get proofs(): Iterable<ServedProof> {
    return this.#proofs.values();
  }

  /** news gives everything, for a book that begins. */
  news(): ProofNews {
    return { proofs: [...this.#proofs.values()], gone: [], complete: this.complete };
  }
}

function keyOf({ alias, script, verb }: ProofKey): string {
  return `${alias}/${script}.${verb}`;
}
