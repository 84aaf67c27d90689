/**
 * Proves the scripts for `check`: each on its database, a few at a time, so that the round trips of one overlap with the
 * work on others. Only the results are kept. Nothing of a script is run.
 */
import { configuredDatabases, databasesOf } from '../config/databases.js';
import type { Config } from '../config/schema.js';
import { openSession, type Database } from '../pg/database.js';
import { StatementFailure } from '../pg/queryable.js';
import { typeNames } from '../proof/catalog.js';
import { keptProof, recordOf, typesIn, type KeptProof } from '../proof/proof-record.js';
import { Prover, USUAL_LIMITS, WIDE_LIMITS } from '../proof/prover.js';
import type { Progress } from './progress.js';
import type { ProofFindings, ProvedScript } from './proof-report.js';
import { ProvableTexts, type ProvableText } from './provable-texts.js';
import type { ScriptSelection } from './script-selection.js';

/** Scripts that are proved at a time. */
const PARALLEL = 4;
/** How long PostgreSQL may take to parse one statement, ms. */
const PATIENCE = 5_000;
/** Most scripts that wait for another attempt, without others beside them. */
const MOST_HELD_UP = 50;

export interface ProofOptions {
  /** Whether every combination is proved, whatever time that takes. */
  readonly full: boolean;
  readonly selection: ScriptSelection | undefined;
  /** Aliases of the databases that answer. */
  readonly available: ReadonlySet<string>;
  /** Whether the scripts table can be read. */
  readonly readsTable: boolean;
  /** How many texts there are, for the progress. */
  readonly total: number;
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
interface Proved {
  readonly script: string;
  readonly verb: ProvedScript['verb'];
  readonly file: string;
  readonly database: string;
  readonly proof: KeptProof;
}

/** A database that scripts are proved on. */
interface Target {
  readonly database: Database;
  readonly prover: Prover;
}

class ProofCheck {
  readonly #config: Config;
  readonly #options: ProofOptions;
  readonly #aliases: readonly string[];
  readonly #targets = new Map<string, Target>();
  /** By alias, why a database cannot be asked any more. */
  readonly #lost = new Map<string, string>();
  readonly #heldUp: { readonly at: number; readonly text: ProvableText }[] = [];
  /** In the order of the texts. */
  readonly #proved: (Proved | undefined)[] = [];
  readonly #warnings: string[] = [];
  #started = 0;
  #unproved = 0;

  constructor(config: Config, options: ProofOptions) {
    this.#config = config;
    this.#options = options;
    this.#aliases = configuredDatabases(config).map(({ alias }) => alias);
  }

  async run(): Promise<ProofFindings> {
    const { selection, readsTable } = this.#options;
    const texts = new ProvableTexts(this.#config, this.#aliases, selection);
    const table = readsTable ? this.#targetOf(this.#aliases[0]!)?.database : undefined;
    const source = texts.read(table);
    const lane = async (): Promise<void> => {
      for (let next = await source.next(); !next.done; next = await source.next())
        await this.#prove(this.#started++, next.value);
    };
    try {
      await Promise.all(Array.from({ length: PARALLEL }, lane));
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      this.#lost.set(this.#aliases[0]!, error.reason);
    }
    for (const { at, text } of this.#heldUp.splice(0)) await this.#prove(at, text, true);
    return this.#findings();
  }

  close(): void {
    for (const { database } of this.#targets.values()) database.close();
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
      first ??= proved;
      if (proof.verdict === 'broken') continue;
      if (first !== proved) this.#warn(first, database);
      this.#proved[at] = proved;
      return;
    }
    if (first === undefined) this.#unproved++;
    else this.#proved[at] = first;
  }

  /** The proof on one database; undefined when that cannot be asked. */
  async #proofOn(
    alias: string,
    at: number,
    text: ProvableText,
    again: boolean,
  ): Promise<KeptProof | 'held up' | undefined> {
    const target = this.#targetOf(alias);
    if (target === undefined) return undefined;
    try {
      return keptProof(await target.prover.prove(text.script, text.text));
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      if (isLoss(error)) {
        this.#lost.set(alias, error.reason);
        return undefined;
      }
      if (again || this.#heldUp.length === MOST_HELD_UP) return unanswered(error.reason);
      this.#heldUp.push({ at, text });
      return 'held up';
    }
  }

  #targetOf(alias: string): Target | undefined {
    if (!this.#options.available.has(alias) || this.#lost.has(alias)) return undefined;
    let target = this.#targets.get(alias);
    if (target === undefined) {
      const settings = databasesOf(this.#config).find((one) => one.alias === alias)!;
      // Waiting for a lock is bounded by PATIENCE, which leaves the connection as it is.
      const database = openSession({ ...settings, statementTimeout: Infinity });
      const prover = new Prover(database, {
        aggregate: this.#config['json.agg.type'],
        maxResult: this.#config['pg.max_result'],
        limits: this.#options.full ? WIDE_LIMITS : USUAL_LIMITS,
        patience: PATIENCE,
      });
      this.#targets.set(alias, (target = { database, prover }));
    }
    return target;
  }

  #warn({ file, database, proof }: Proved, alias: string): void {
    const [finding] = proof.findings;
    this.#warnings.push(
      `${file} is broken on ${database}, and not on ${alias}: ${finding?.message ?? ''}`,
    );
  }

  async #findings(): Promise<ProofFindings> {
    const proved = this.#proved.filter((one) => one !== undefined); // held up or unproved ones leave gaps
    const names = new Map<string, ReadonlyMap<number, string>>();
    for (const [alias] of this.#targets) {
      const types = new Set<number>();
      for (const { database, proof } of proved) if (database === alias) typesIn(proof, types);
      names.set(alias, await this.#typeNames(alias, types));
    }
    const scripts = proved.map(({ script, verb, file, database, proof }): ProvedScript => ({
      script,
      verb,
      file,
      database,
      ...recordOf(proof, names.get(database)!),
    }));
    const errors = [...this.#lost].map(
      ([alias, reason]) => `database ${alias} does not answer any more: ${reason}`,
    );
    const count = (verdict: ProvedScript['verdict']): number =>
      scripts.filter((script) => script.verdict === verdict).length;
    const broken = count('broken');
    return {
      ok: broken === 0 && errors.length === 0,
      full: this.#options.full,
      errors,
      warnings: this.#warnings,
      proved: count('proved'),
      covered: count('covered'),
      open: count('open'),
      broken,
      unproved: this.#unproved,
      scripts,
    };
  }

  async #typeNames(
    alias: string,
    types: ReadonlySet<number>,
  ): Promise<ReadonlyMap<number, string>> {
    const target = this.#targetOf(alias);
    if (target === undefined) return new Map();
    try {
      return await typeNames(target.database, types);
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      this.#lost.set(alias, error.reason);
      return new Map();
    }
  }
}

/** Whether other scripts cannot be proved either. */
function isLoss({ state }: StatementFailure): boolean {
  return /^(?:08|57P|53300)/.test(state);
}

/** The result for a script of which a statement was not parsed in time. */
function unanswered(reason: string): KeptProof {
  const what = `PostgreSQL did not parse a statement of it, which may wait for a lock on a table: ${reason}`;
  return {
    verdict: 'open',
    findings: [],
    open: [{ what, place: undefined }],
    parameters: [],
    columns: [],
    asked: 0,
    isCut: true,
    combinations: 0,
    texts: 0,
    statements: 0,
  };
}
