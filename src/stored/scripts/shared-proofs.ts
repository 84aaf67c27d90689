/**
 * The proofs of stored scripts in a table beside theirs, so that several services do not repeat them. The table is never
 * required: without it, or without the privileges on it, proofs are not shared. One of another owner is not used, as who
 * may write it decides what is proved.
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Logger } from '../../observe/log.js';
import type { Database } from '../../postgres/lanes/database.js';
import { withTimeout } from '../../postgres/statement/identity.js';
import {
  rowsOf,
  runStatement,
  StatementFailure,
  type Queryable,
} from '../../postgres/statement/queryable.js';
import { VERDICTS } from '../../messages/proofs.js';
import { proofStatementsOf, type ProofStatements } from '../registry/proof-statements.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import type { ProverSettings } from '../../messages/prover-settings.js';
import { version } from '../../base/version.js';
import type { ProofStore, SharedProof } from '../../proof/prover/proof-store.js';
import type { ProofJob } from '../../proof/prover/proof-jobs.js';

/** How long a statement may take, ms: the table may be locked. */
const LIMIT = 2_000;
/** How long nothing is tried after a failure, ms. */
const PAUSE = 300_000;

export class SharedProofs implements ProofStore {
  readonly #database: Queryable;
  readonly #sql: ProofStatements;
  /** Of what a proof depends on besides the text and the catalogs. */
  readonly #settings: string;
  readonly #log: Logger;
  #pausedUntil = -Infinity;

  /** `database` has the table of scripts. */
  constructor(table: ScriptsTable, database: Database, settings: ProverSettings, log: Logger) {
    const options = { identity: withTimeout(undefined, LIMIT), alone: true };
    this.#database = { query: (sql, values) => database.query(sql, values, options) };
    this.#sql = proofStatementsOf(table);
    const { aggregate, maxResult, role } = settings;
    const parts = JSON.stringify([version(), aggregate, maxResult, role]);
    this.#settings = createHash('sha256').update(parts).digest('base64url');
    this.#log = log;
  }

  async find(alias: string, { script, verb, hash }: ProofJob): Promise<SharedProof | undefined> {
    const found = await this.#try(async () => {
      const values = [alias, script, verb, hash, this.#settings];
      const [row] = await rowsOf(this.#database, this.#sql.find, values);
      return row?.[0] ?? undefined;
    });
    return found === undefined ? undefined : readProof(found, alias);
  }

  async keep(alias: string, { script, verb, hash }: ProofJob, proof: SharedProof): Promise<void> {
    await this.#try(async () => {
      const values = [alias, script, verb, hash, this.#settings, JSON.stringify(proof)];
      await runStatement(this.#database, this.#sql.keep, values);
    });
  }

  async clean(): Promise<void> {
    await this.#try(async () => {
      await runStatement(this.#database, this.#sql.clean);
    });
  }

  async #try<Result>(attempt: () => Promise<Result>): Promise<Result | undefined> {
    if (performance.now() < this.#pausedUntil) return undefined;
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      this.#pausedUntil = performance.now() + PAUSE;
      this.#log.debug(`proofs are not shared: ${error.reason}`);
      return undefined;
    }
  }
}

/** readProof reads what `keep` stored; undefined for anything else. */
function readProof(json: string, alias: string): SharedProof | undefined {
  let proof: Partial<SharedProof> | null;
  try {
    proof = JSON.parse(json) as Partial<SharedProof> | null;
  } catch {
    return undefined;
  }
  const { record, basis } = proof ?? {};
  if (!(VERDICTS as readonly unknown[]).includes(record?.verdict) || basis?.alias !== alias)
    return undefined;
  const { findings, open, parameters, columns } = record!;
  if (![findings, open, parameters, columns].every(Array.isArray)) return undefined;
  return { record: record!, basis };
}
