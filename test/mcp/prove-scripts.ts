/** Proves the texts of scripts on a test's PostgreSQL, as the service does beside its requests. */
import { createHash } from 'node:crypto';
import { ServiceError } from '#app/base/errors.js';
import type { Database } from '#app/postgres/lanes/database.js';
import type { ProofRecord, ServedProof } from '#app/messages/proofs.js';
import { proveText } from '#app/proof/text-proof.js';
import { Prover, USUAL_LIMITS } from '#app/proof/branches/prover.js';
import { compileText } from '#app/script/script-text.js';

const PATIENCE = 250_000;

/** proofOf proves a text of a read script. */
export async function proofOf(database: Database, text: string): Promise<ProofRecord> {
  const compiled = compileText(text, 'shop/script', 'read');
  if (compiled instanceof ServiceError) throw compiled;
  const prover = new Prover(database, {
    aggregate: 'json_agg',
    maxResult: 32 << 20,
    limits: { ...USUAL_LIMITS, time: PATIENCE },
    patience: PATIENCE,
    analysis: database,
  });
  return (await proveText(prover, database, 'shop/script', compiled)).record;
}

/** servedProof is the proof of a script's text (`<folder>/<script>`) as the service keeps it. */
export function servedProof(
  script: string,
  text: string,
  record: ProofRecord,
  alias = 'main',
): ServedProof {
  const hash = createHash('sha256').update(text).digest('base64url');
  return { alias, script, verb: 'read', text: hash, own: undefined, record, serves: undefined };
}

/** proofsOf proves scripts by their paths. */
export async function proofsOf(
  database: Database,
  texts: Readonly<Record<string, string>>,
): Promise<ServedProof[]> {
  const proofs: ServedProof[] = [];
  for (const [script, text] of Object.entries(texts))
    proofs.push(servedProof(script, text, await proofOf(database, text)));
  return proofs;
}
