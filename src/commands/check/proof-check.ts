/**
 * Proves the scripts for `check`: each on its database, a few at a time, so that the round trips of one overlap with the
 * work on others. Only the results are kept. Nothing of a script is run.
 */
import { performance } from 'node:perf_hooks';
import { configuredDatabases } from '../config/databases.js';
import type { Config } from '../config/schema.js';
import { StatementFailure } from '../../postgres/statement/queryable.js';
import type { SqlType } from '../../proof/branches/catalog.js';
import { heldUp, isLoss } from '../../proof/branches/interruption.js';
import { keptProof, recordOf, typesIn, type KeptProof } from '../../proof/branches/proof-record.js';
import { USUAL_LIMITS, WIDE_LIMITS } from '../../proof/branches/prover.js';
import { NOTHING_SHOWN } from '../../messages/proofs.js';
import { placeOf } from './database-against.js';
import { ProofDatabases, type DatabaseOptions } from './proof-databases.js';
import type { Progress } from '../line/progress.js';
import type { ProofFindings, ProvedScript } from './proof-report.js';
import { ProvableTexts, type ProvableText } from './provable-texts.js';
import type { ScriptSelection } from './script-selection.js';

/** Scripts that are proved at a time. */
const PARALLEL = 4;
/** Most scripts that wait for another attempt, without others beside them. */
const MOST_HELD_UP = 50;

export interface ProofOptions extends DatabaseOptions {
  /** Whether every combination is proved, whatever time that takes. */
  readonly full: boolean;
  readonly selection: ScriptSelection | undefined;
  /** `alias/folder/name` of each stored script; undefined when there is no table that can be read. */
  readonly stored: ReadonlySet<string> | undefined;
  /** How many texts there are, for the progress. */
  readonly total: number;
  readonly progress: Progress;
  /** Called with each text that is to be proved. */
  readonly onText?: (text: ProvableText) => void;
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
interface Proved {
  readonly script: string;
  readonly verb: ProvedScript['verb'];
  readonly file: string;
  readonly database: string;
  readonly proof: KeptProof;
}

class ProofCheck {
  readonly #config: Config;
  readonly #options: ProofOptions;
  readonly #aliases: readonly string[];
  readonly #databases: ProofDatabases;
  readonly #heldUp: { readonly at: number; readonly text: ProvableText }[] = [];
  /** In the order of the texts. */
  readonly #proved: (Proved | undefined)[] = [];
  readonly #warnings: string[] = [];
  #started = 0;
  #unproved = 0;

  constructor(config: Config, options: ProofOptions) {
    this.#config = config;
    this.#options = options;
    const limits = options.full ? WIDE_LIMITS : USUAL_LIMITS;
    this.#databases = new ProofDatabases(config, limits, options);
    const aliases = configuredDatabases(config).map(({ alias }) => alias);
    // With `against`, what is for other databases only is not proved.
    this.#aliases = options.against === undefined ? aliases : aliases.slice(0, 1);
  }

  async run(): Promise<ProofFindings> {
    const { selection, stored } = this.#options;
    const texts = new ProvableTexts(this.#config, this.#aliases, stored, selection);
    const source = texts.read(stored && this.#databases.table());
    const lane = async (): Promise<void> => {
      for (let next = await source.next(); !next.done; next = await source.next()) {
        this.#options.onText?.(next.value);
        await this.#prove(this.#started++, next.value);
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: PARALLEL }, lane));
    for (const ended of lanes) {
      if (ended.status === 'fulfilled') continue;
      const error: unknown = ended.reason;
      if (!(error instanceof StatementFailure)) throw error;
      this.#databases.lose(this.#aliases[0]!, error.reason); // the table cannot be read any more
    }
    for (const { at, text } of this.#heldUp.splice(0)) await this.#prove(at, text, true);
    return this.#findings();
  }

  close(): void {
    this.#databases.close();
  }

  async #prove(at: number, text: ProvableText, again = false): Promise<void> {
    const { file, script, aliases } = text;
    const { verb } = text.text;
    this.#options.progress.show(`proving ${at + 1} of ${this.#options.total}: ${file}`);
    let first: Proved | undefined;
    for (const database of aliases) {
      const proof = await this.#proofOn(database, at, text, again);
      if (proof === 'held up') return;
      if (proof === undefined) {
        if (first === undefined) break;
        continue;
      }
      const proved = { script, verb, file, database, proof };
      if (first === undefined) {
        first = this.#proved[at] = proved;
        if (proof.verdict !== 'broken') return;
      } else if (proof.verdict !== 'broken' && proof.statements > 0) {
        this.#warn(first, database);
        this.#proved[at] = proved;
        return;
      }
    }
    if (first === undefined) this.#unproved++;
  }

  /** The proof on one database; undefined when that cannot be asked. */
  async #proofOn(
    alias: string,
    at: number,
    text: ProvableText,
    again: boolean,
  ): Promise<KeptProof | 'held up' | undefined> {
    const target = this.#databases.of(alias);
    if (target === undefined) return undefined;
    const busy = performance.eventLoopUtilization();
    try {
      // What its statements use is not reported, and needs much memory.
      const kept = keptProof(await target.prover.prove(text.script, text.text));
      const proof = { ...kept, uses: undefined };
      // Renderings of the scripts beside it may have used its time.
      if (!proof.isCut || performance.eventLoopUtilization(busy).utilization < 0.5) return proof;
      return this.#delay(at, text, again) ?? proof;
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      if (isLoss(error)) {
        this.#databases.lose(alias, error.reason);
        return undefined;
      }
      return this.#delay(at, text, again) ?? unanswered(error);
    }
  }

  /** Puts a script off until no other is proved beside it; undefined when it was already. */
  #delay(at: number, text: ProvableText, again: boolean): 'held up' | undefined {
    if (again || this.#heldUp.length === MOST_HELD_UP) return undefined;
    this.#heldUp.push({ at, text });
    return 'held up';
  }

  #warn({ file, database, proof }: Proved, alias: string): void {
    const [finding] = proof.findings;
    this.#warnings.push(
      `${file} is broken on ${database}, and not on ${alias}: ${finding?.message ?? ''}`,
    );
  }

  async #findings(): Promise<ProofFindings> {
    const proved = this.#proved.filter((one) => one !== undefined); // held up or unproved ones leave gaps
    const known = new Map<string, ReadonlyMap<number, SqlType>>();
    for (const alias of new Set(proved.map(({ database }) => database))) {
      const types = new Set<number>();
      for (const { database, proof } of proved) if (database === alias) typesIn(proof, types);
      known.set(alias, await this.#databases.sqlTypes(alias, types));
      this.#warnings.push(...(await this.#databases.warnings(alias)));
    }
    const scripts = proved.map(({ script, verb, file, database, proof }): ProvedScript => ({
      script,
      verb,
      file,
      database,
      ...recordOf(proof, known.get(database)!),
    }));
    const errors = this.#databases.errors();
    const count = (verdict: ProvedScript['verdict']): number =>
      scripts.filter((script) => script.verdict === verdict).length;
    const broken = count('broken');
    return {
      ok: broken + errors.length + this.#unproved === 0,
      full: this.#options.full,
      against: this.#options.against === undefined ? null : placeOf(this.#options.against),
      errors,
      warnings: this.#warnings,
      proved: count('proved'),
      covered: count('covered'),
      open: count('open'),
      broken,
      unproved: count('unproved') + this.#unproved,
      cut: proved.filter(({ proof }) => proof.isCut).map(({ file }) => file),
      scripts,
    };
  }
}

/** The result for a script of which a statement was not parsed in time. */
function unanswered(failure: StatementFailure): KeptProof {
  const open = [{ what: heldUp(failure), place: undefined }];
  return { ...NOTHING_SHOWN, verdict: 'unproved', open, asked: 0, isCut: true };
}
