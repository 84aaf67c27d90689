/** The proof of one text as a record: on a database, or on several in turn until it is not broken. */
import { NOTHING_SHOWN, type ProofRecord } from '../messages/proofs.js';
import type { Queryable, StatementFailure } from '../postgres/statement/queryable.js';
import type { ScriptText } from '../script/script-text.js';
import { sqlTypes } from './branches/catalog.js';
import { blockedBy } from './branches/interruption.js';
import { recordOf, type AnalysedRecord } from './branches/proof-record.js';
import type { Prover } from './branches/prover.js';

/** The proof of a text on a database. */
export interface TextProof {
  readonly record: AnalysedRecord;
  /** Whether the time was over before everything was tried. */
  readonly isCut: boolean;
}

/** proveText proves in at most `time` ms; `catalogs` names the types. Rejects with StatementFailure. */
export async function proveText(
  prover: Prover,
  catalogs: Queryable,
  script: string,
  text: ScriptText,
  time?: number,
): Promise<TextProof> {
  const proof = await prover.prove(script, text, time);
  const record = await recordOf(proof, (types) => sqlTypes(catalogs, types));
  return { record, isCut: proof.isCut };
}

/** The proof on the database that counts, and on the first one that answered. */
export interface TurnProof<Attempt> {
  readonly chosen: Attempt;
  readonly first: Attempt;
}

/**
 * proveInTurn proves on one database after the other, until on one the text is not broken; if it is on all, the first counts.
 * `proveOn` gives undefined for a database that does not answer; if that is the first one, so does proveInTurn.
 */
export async function proveInTurn<Attempt extends { readonly record: ProofRecord }>(
  aliases: readonly string[],
  proveOn: (alias: string) => Promise<Attempt | undefined>,
): Promise<TurnProof<Attempt> | undefined> {
  let first: Attempt | undefined;
  for (const alias of aliases) {
    const attempt = await proveOn(alias);
    if (attempt === undefined && first === undefined) return undefined;
    if (attempt === undefined) continue;
    const isFirst = first === undefined;
    first ??= attempt;
    const { verdict, statements } = attempt.record;
    // Without a statement that PostgreSQL was asked about, it shows nothing about a further database.
    if (verdict !== 'broken' && (isFirst || statements > 0)) return { chosen: attempt, first };
  }
  return first && { chosen: first, first };
}

/** unanswered is the record of a text of which PostgreSQL did not parse a statement in time. */
export function unanswered(failure: StatementFailure): ProofRecord {
  return { ...NOTHING_SHOWN, verdict: 'unproved', open: [{ what: blockedBy(failure) }] };
}
