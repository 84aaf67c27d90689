/** The proofs of the scripts that are served, as a process or a thread of the service knows them. */
import { createHash } from 'node:crypto';
import type { ProofKey, ProofUpdate, ProofRecord, ServedProof } from './proofs.js';

export class ProofCache {
  /** Whether every script has been proved once since the service started. */
  complete = false;
  /** Changes with the proofs: what is made of them is out of date then. */
  version = 0;
  readonly #proofs = new Map<string, ServedProof>();
  readonly #hashes = new WeakMap<object, string>();

  apply({ proofs, gone, complete }: ProofUpdate): void {
    for (const key of gone) this.#proofs.delete(keyOf(key));
    for (const proof of proofs) this.#proofs.set(keyOf(proof), proof);
    if (proofs.length + gone.length > 0) this.version++;
    this.complete ||= complete;
  }

  /** of gives the proof of the text that a script has, or had a moment ago, for a verb. */
  of(key: ProofKey): ServedProof | undefined {
    return this.#proofs.get(keyOf(key));
  }

  /** recordOf gives the proof of exactly this text of a script; undefined when there is none. */
  recordOf(key: ProofKey, template: { readonly text: string }): ProofRecord | undefined {
    const proof = this.of(key);
    if (proof === undefined) return undefined;
    return proof.text === this.#hashOf(template) ? proof.record : undefined;
  }

  /** In no particular order. */
  get proofs(): Iterable<ServedProof> {
    return this.#proofs.values();
  }

  /** contents gives everything, for a cache that begins. */
  contents(): ProofUpdate {
    return { proofs: [...this.#proofs.values()], gone: [], complete: this.complete };
  }

  #hashOf(template: { readonly text: string }): string {
    let hash = this.#hashes.get(template);
    if (hash === undefined) this.#hashes.set(template, (hash = textHash(template.text)));
    return hash;
  }
}

/** textHash gives what ServedProof.text is for the text of a template. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function keyOf({ alias, script, verb }: ProofKey): string {
  return `${alias}/${script}.${verb}`;
}
