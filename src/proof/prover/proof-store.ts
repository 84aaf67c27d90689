/** Where services share the proofs of their scripts, so that several do not repeat them. */
import type { CatalogFingerprint, ProofRecord } from '../../messages/proofs.js';
import type { ProofJob } from './proof-jobs.js';

export interface SharedProof {
  readonly record: ProofRecord;
  readonly basis: CatalogFingerprint;
}

/** Nothing of it rejects: what cannot be shared is proved again. */
export interface ProofStore {
  /** find gives the proof of a text on a database, whatever the catalogs were then. */
  find(alias: string, job: ProofJob): Promise<SharedProof | undefined>;
  keep(alias: string, job: ProofJob, proof: SharedProof): Promise<void>;
  /** clean removes the proofs of scripts that are gone, and those that were not renewed for long. */
  clean(): Promise<void>;
}
