/** Proofs in responses: JSON with a member for each verb, and what a new text changes for callers. */
import type { RecordedPoint, Verdict } from '../../messages/proofs.js';
import type { RegistryResponse } from '../../messages/tasks.js';
import type { ContractChanges } from './contract-changes.js';
import type { VerbProofs } from './script-proofs.js';

/** How far a text is proved. */
export interface ProofExtent {
  readonly verdict: Verdict;
  /** What cannot be decided; left out when there is nothing. */
  readonly open: readonly RecordedPoint[] | undefined;
}

/** What is known of a script that was validated. */
export interface Validated {
  readonly proofs: VerbProofs;
  /** Undefined when nothing is replaced. */
  readonly changes?: ContractChanges | undefined;
}

/** Members of a response to a validation; empty lists are left out. */
export interface ValidationMembers {
  /** By verb. */
  readonly proof: Readonly<Record<string, ProofExtent>>;
  readonly changes: ContractChanges['changes'] | undefined;
  readonly unknown: ContractChanges['unknown'] | undefined;
}

export function membersOf({ proofs, changes }: Validated): ValidationMembers {
  const proof = Object.fromEntries(
    [...proofs].map(([verb, { verdict, open }]) => [verb, { verdict, open: nonEmpty(open) }]),
  );
  return { proof, ...changeMembers(changes) };
}

export function changeMembers(
  found: ContractChanges | undefined,
): Omit<ValidationMembers, 'proof'> {
  return { changes: nonEmpty(found?.changes), unknown: nonEmpty(found?.unknown) };
}

function nonEmpty<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/** validResponse is the response to a validation after which nothing is stored. */
export function validResponse(
  validated: Validated,
  headers: RegistryResponse['headers'] = [],
): RegistryResponse {
  const body = JSON.stringify({ valid: true, ...membersOf(validated) });
  return { status: 200, body, headers };
}

export function proofsResponse(proofs: VerbProofs): RegistryResponse {
  return { status: 200, body: JSON.stringify(Object.fromEntries(proofs)), headers: [] };
}
