/** The proof of a job: on its databases, one after the other, until it is not broken on one. */
import { ServiceError } from '../../base/errors.js';
import { StatementFailure } from '../../postgres/statement/queryable.js';
import { isLoss } from '../branches/interruption.js';
import { plainRecord, type AnalysedRecord } from '../branches/proof-record.js';
import { proveInTurn, unanswered } from '../text-proof.js';
import { NOTHING_SHOWN, type CatalogFingerprint, type ProofRecord } from '../../messages/proofs.js';
import { placeOf } from '../../script/script-error.js';
import type { ScriptText } from '../../script/script-text.js';
import { problemOf } from '../../script/files/script-files.js';
import { namesUsed } from './dependencies.js';
import type { ProofStore } from './proof-store.js';
import type { ProofJob } from './proof-jobs.js';
import type { WatchedDatabase } from './watched-database.js';

export interface JobProof {
  /** The database whose proof it is. */
  readonly alias: string;
  readonly record: ProofRecord;
  /** Undefined when the proof is to be repeated. */
  readonly basis: readonly CatalogFingerprint[] | undefined;
}

/** On one database. */
interface Attempt extends Omit<JobProof, 'basis'> {
  /** Undefined when a statement was not parsed in time. */
  readonly basis: CatalogFingerprint | undefined;
}

export class JobProver {
  readonly #databases: ReadonlyMap<string, WatchedDatabase>;
  readonly #shared: ProofStore | undefined;

  constructor(databases: ReadonlyMap<string, WatchedDatabase>, shared: ProofStore | undefined) {
    this.#databases = databases;
    this.#shared = shared;
  }

  /** prove resolves to undefined while the first database of the job does not answer. */
  async prove(job: ProofJob): Promise<JobProof | undefined> {
    const { compiled, aliases } = job;
    if (compiled instanceof ServiceError)
      return { alias: aliases[0]!, record: unusable(job.script, compiled), basis: [] };
    const bases: (CatalogFingerprint | undefined)[] = [];
    const proof = await proveInTurn(aliases, async (alias) => {
      const attempt = await this.#proveOn(alias, job, compiled);
      if (attempt !== undefined) bases.push(attempt.basis);
      return attempt;
    });
    if (proof === undefined) return undefined;
    const basis = bases.every((one) => one !== undefined) ? bases : undefined;
    return { ...proof.chosen, basis };
  }

  async #proveOn(alias: string, job: ProofJob, text: ScriptText): Promise<Attempt | undefined> {
    const database = this.#databases.get(alias)!;
    if (!database.isAvailable) return undefined;
    const shared = await this.#shared?.find(alias, job);
    if (shared !== undefined && database.isCurrent(shared.basis, job.text))
      return { alias, ...shared };
    try {
      const { record: analysed, isCut } = await database.prove(job.script, text);
      const basis = database.basis(namesOf(analysed), job.text);
      const record = plainRecord(analysed);
      if (!isCut) await this.#shared?.keep(alias, job, { record, basis });
      return { alias, record, basis };
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      if (!isLoss(error)) return { alias, record: unanswered(error), basis: undefined };
      database.lose(error.reason);
      return undefined;
    }
  }
}

/** The names that a proof depends on; undefined when every change may concern it. */
function namesOf(record: AnalysedRecord): readonly string[] | undefined {
  const { verdict, relations, functions, objects } = record;
  if (verdict === 'broken' || relations === undefined) return undefined;
  return namesUsed({ relations, functions: functions!, objects: objects! });
}

/** The record of a text that cannot be used. */
function unusable(script: string, error: ServiceError): ProofRecord {
  // The position is a field of its own.
  const message = problemOf(script, error).message.replace(/^template: \S+ /, '');
  const finding = { message, code: error.code, ...placeOf(error), when: 'always' };
  return { ...NOTHING_SHOWN, verdict: 'broken', findings: [finding] };
}

/** The proof of a job that cannot be proved because of an error of the prover itself. */
export function unprovable({ aliases }: ProofJob): JobProof {
  const open = [{ what: 'all of it: the prover failed' }];
  return {
    alias: aliases[0]!,
    record: { ...NOTHING_SHOWN, verdict: 'unproved', open },
    basis: undefined,
  };
}
