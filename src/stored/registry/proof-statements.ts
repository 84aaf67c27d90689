/** The table in which services share the proofs of stored scripts: one row for each text on each database. */
import { literal } from '../../base/quote.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { namesOf } from '../scripts/table-names.js';

export const PROOF_COLUMNS = `database_alias text NOT NULL, script text NOT NULL, verb text NOT NULL,
  text_hash text NOT NULL, settings_hash text NOT NULL, proof text NOT NULL,
  proved_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (database_alias, script, verb)`;

export interface ProofStatements {
  /** The proof for `$1` alias, `$2` script, `$3` verb, `$4` hash of the text, `$5` hash of the settings. */
  readonly find: string;
  /** Stores `$6` for the same. */
  readonly keep: string;
  /** Removes the proofs of scripts that are gone, and old ones. */
  readonly clean: string;
}

/** Days after which a proof is removed; a service that still needs it has it, and the next one proves again. */
const KEPT_DAYS = 30;

export function proofStatementsOf(scripts: ScriptsTable): ProofStatements {
  const { table, proofs } = namesOf(scripts);
  const owner = (name: string): string =>
    `(SELECT c.relowner FROM pg_catalog.pg_class c WHERE c.oid = pg_catalog.to_regclass(${literal(name)}))`;
  return {
    find: `SELECT p.proof FROM ${proofs} p WHERE p.database_alias = $1::text AND p.script = $2::text
  AND p.verb = $3::text AND p.text_hash = $4::text AND p.settings_hash = $5::text
  AND EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = ${owner(proofs)}
    AND (r.rolsuper OR r.rolname = CURRENT_USER OR r.oid = ${owner(table)}))`,
    keep: `INSERT INTO ${proofs} AS p (database_alias, script, verb, text_hash, settings_hash, proof)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text)
ON CONFLICT (database_alias, script, verb) DO UPDATE SET text_hash = EXCLUDED.text_hash,
  settings_hash = EXCLUDED.settings_hash, proof = EXCLUDED.proof, proved_at = now()`,
    clean: `DELETE FROM ${proofs} p WHERE p.proved_at < now() - interval '${KEPT_DAYS} days'
  OR NOT EXISTS (SELECT FROM ${table} t WHERE t.location || '/' || t.name = p.script)`,
  };
}
