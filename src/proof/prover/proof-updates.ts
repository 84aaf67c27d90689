/** Collects what is new about proofs, and reports it in chunks. */
import { performance } from 'node:perf_hooks';
import type { ProofKey, ProofUpdate, ServedProof } from '../../messages/proofs.js';
import { keyOf } from './proof-jobs.js';

/** A chunk is reported with so many proofs, or after so much time, ms. */
const PIECE = 50;
const INTERVAL = 250;

export class UpdateCollector {
  readonly #report: (update: ProofUpdate) => void;
  readonly #proofs = new Map<string, ServedProof>();
  readonly #gone = new Map<string, ProofKey>();
  /** Whether it was reported that everything was proved once. */
  isComplete = false;
  #last = -Infinity;

  constructor(report: (update: ProofUpdate) => void) {
    this.#report = report;
  }

  add(proof: ServedProof): void {
    const key = keyOf(proof);
    this.#gone.delete(key);
    this.#proofs.set(key, proof);
  }

  remove({ alias, script, verb }: ProofKey): void {
    const gone = { alias, script, verb };
    const key = keyOf(gone);
    this.#proofs.delete(key);
    this.#gone.set(key, gone);
  }

  /** pass reports a chunk when it is time. */
  pass(): void {
    const size = this.#proofs.size + this.#gone.size;
    if (size >= PIECE || (size > 0 && performance.now() - this.#last >= INTERVAL)) this.#send();
  }

  /** end reports the rest, and that everything was proved once. */
  end(complete: boolean): void {
    const isNew = complete && !this.isComplete;
    this.isComplete ||= complete;
    if (isNew || this.#proofs.size + this.#gone.size > 0) this.#send();
  }

  #send(): void {
    this.#report({
      proofs: [...this.#proofs.values()],
      gone: [...this.#gone.values()],
      complete: this.isComplete,
    });
    this.#proofs.clear();
    this.#gone.clear();
    this.#last = performance.now();
  }
}
