/** Where services share the proofs of their scripts, so that several do not repeat them. */
import type { CatalogBasis, ProofRecord } from '../../messages/proofs.js';
import type { Unit } from './units.js';

export interface SharedProof {
  readonly record: ProofRecord;
  readonly basis: CatalogBasis;
}

/** Nothing of it rejects: what cannot be shared is proved again. */
export interface ProofStore {
  /** find gives the proof of a text on a database, whatever the catalogs were then. */
  find(alias: string, unit: Unit): Promise<SharedProof | undefined>;
  keep(alias: string, unit: Unit, proof: SharedProof): Promise<void>;
  /** clean removes the proofs of scripts that are gone, and those that were not renewed for long. */
  clean(): Promise<void>;
}
