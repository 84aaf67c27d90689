/**
 * Proves the scripts for `check`: each on its database, a few at a time, so that the round trips of one overlap with the
 * work on others. Only the results are kept. Nothing of a script is run.
 */
import { performance } from 'node:perf_hooks';
import type { Config } from '../config/schema.js';
import { StatementFailure } from '../../postgres/statement/queryable.js';
import { isLoss } from '../../proof/branches/interruption.js';
import { plainRecord } from '../../proof/branches/proof-record.js';
import { USUAL_LIMITS, WIDE_LIMITS } from '../../proof/branches/prover.js';
import { proveInTurn, proveText, unanswered, type TextProof } from '../../proof/text-proof.js';
import { placeOf } from './database-against.js';
import { ProofDatabases, type DatabaseOptions } from './proof-databases.js';
import type { Progress } from '../line/progress.js';
import type { ProofFindings, ProvedScript } from './proof-report.js';
import type { ProvableText } from './provable-texts.js';

/** Scripts that are proved at a time. */
const PARALLEL = 4;
/** Most scripts that wait for another attempt, without others beside them. */
const MOST_BLOCKED = 50;

export interface ProofOptions extends DatabaseOptions {
  /** Whether every combination is proved, whatever time that takes. */
  readonly full: boolean;
  readonly texts: readonly ProvableText[];
  readonly progress: Progress;
}

export async function proveScripts(config: Config, options: ProofOptions): Promise<ProofFindings> {
  const check = new ProofCheck(config, options);
  try {
    return await check.run();
  } finally {
    options.progress.end();
    check.close();
  }
}

/** The proof of a text on a database. */
interface Proved extends TextProof {
  readonly database: string;
}

class ProofCheck {
  readonly #options: ProofOptions;
  readonly #databases: ProofDatabases;
  readonly #blocked: number[] = [];
  /** In the order of the texts. */
  readonly #proved: (Proved | undefined)[] = [];
  readonly #warnings: string[] = [];
  #started = 0;
  #unproved = 0;

  constructor(config: Config, options: ProofOptions) {
    this.#options = options;
    const limits = options.full ? WIDE_LIMITS : USUAL_LIMITS;
    this.#databases = new ProofDatabases(config, limits, options);
  }

  async run(): Promise<ProofFindings> {
    const { length } = this.#options.texts;
    const lane = async (): Promise<void> => {
      while (this.#started < length) await this.#prove(this.#started++);
    };
    await Promise.all(Array.from({ length: PARALLEL }, lane));
    for (const at of this.#blocked.splice(0)) await this.#prove(at, true);
    return this.#findings();
  }

  close(): void {
    this.#databases.close();
  }

  async #prove(at: number, again = false): Promise<void> {
    const { texts, progress } = this.#options;
    const text = texts[at]!;
    progress.show(`proving ${at + 1} of ${texts.length}: ${text.file}`);
    const attempt = { isDelayed: false };
    const proof = await proveInTurn(text.aliases, async (alias) => {
      const proved = attempt.isDelayed ? undefined : await this.#proofOn(alias, text);
      if (proved?.isDoubtful !== true || again) return proved;
      // Until no other is proved beside it.
      attempt.isDelayed = this.#blocked.length < MOST_BLOCKED;
      return attempt.isDelayed ? undefined : proved;
    });
    if (attempt.isDelayed) {
      this.#blocked.push(at);
      return;
    }
    if (proof === undefined) {
      this.#unproved++;
      return;
    }
    const { chosen, first } = proof;
    this.#proved[at] = chosen;
    if (chosen === first) return;
    const { message = '' } = first.record.findings[0] ?? {};
    this.#warnings.push(
      `${text.file} is broken on ${first.database}, and not on ${chosen.database}: ${message}`,
    );
  }

  /** The proof on one database, and whether another attempt may show more; undefined when that cannot be asked. */
  async #proofOn(
    database: string,
    { script, text }: ProvableText,
  ): Promise<(Proved & { readonly isDoubtful: boolean }) | undefined> {
    const target = this.#databases.of(database);
    if (target === undefined) return undefined;
    const busy = performance.eventLoopUtilization();
    try {
      const { record, isCut } = await proveText(target.prover, target.session, script, text);
      // Renderings of the scripts beside it may have used its time.
      const isDoubtful = isCut && performance.eventLoopUtilization(busy).utilization >= 0.5;
      const denied = record.denied === undefined ? {} : { denied: record.denied };
      return { database, record: { ...plainRecord(record), ...denied }, isCut, isDoubtful };
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      if (!isLoss(error))
        return { database, record: unanswered(error), isCut: true, isDoubtful: true };
      this.#databases.lose(database, error.reason);
      return undefined;
    }
  }

  async #findings(): Promise<ProofFindings> {
    const { texts, full, against } = this.#options;
    const cut: string[] = [];
    const scripts: ProvedScript[] = [];
    for (const [at, { script, verb, file }] of texts.entries()) {
      const proved = this.#proved[at];
      if (proved === undefined) continue;
      scripts.push({ script, verb, file, database: proved.database, ...proved.record });
      if (proved.isCut) cut.push(file);
    }
    for (const alias of new Set(scripts.map(({ database }) => database)))
      this.#warnings.push(...(await this.#databases.warnings(alias)));
    const errors = this.#databases.errors();
    const count = (verdict: ProvedScript['verdict']): number =>
      scripts.filter((script) => script.verdict === verdict).length;
    const broken = count('broken');
    return {
      ok: broken + errors.length + this.#unproved === 0,
      full,
      against: against === undefined ? null : placeOf(against),
      errors,
      warnings: this.#warnings,
      proved: count('proved'),
      covered: count('covered'),
      open: count('open'),
      broken,
      unproved: count('unproved') + this.#unproved,
      cut,
      scripts,
    };
  }
}
