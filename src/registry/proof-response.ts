/** Proofs in responses: JSON with a member for each verb. */
import type { RecordedPoint, Verdict } from '../proofs.js';
import type { RegistryResponse } from '../tasks.js';
import type { VerbProofs } from './script-proofs.js';

/** How far a text is proved. */
export interface ProofExtent {
  readonly verdict: Verdict;
  /** What cannot be decided; left out when there is nothing. */
  readonly open: readonly RecordedPoint[] | undefined;
}

/** The member `proof` of a response, by verb. */
export type ProofExtents = Readonly<Record<string, ProofExtent>>;

export function extentsOf(proofs: VerbProofs): ProofExtents {
  return Object.fromEntries(
    [...proofs].map(([verb, { verdict, open }]) => [
      verb,
      { verdict, open: open.length === 0 ? undefined : open },
    ]),
  );
}

/** validResponse is the response to a validation after which nothing is stored. */
export function validResponse(
  proofs: VerbProofs,
  headers: RegistryResponse['headers'] = [],
): RegistryResponse {
  const body = JSON.stringify({ valid: true, proof: extentsOf(proofs) });
  return { status: 200, body, headers };
}

export function proofsResponse(proofs: VerbProofs): RegistryResponse {
  return { status: 200, body: JSON.stringify(Object.fromEntries(proofs)), headers: [] };
}
