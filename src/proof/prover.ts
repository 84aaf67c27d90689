/** Proves scripts on one database. Several may be proved at a time: their statements share a connection. */
import { performance } from 'node:perf_hooks';
import type { Database } from '../pg/database.js';
import { ShapedStatements } from '../script/shaped-statements.js';
import type { ScriptText } from '../script/script-text.js';
import { jsonFrame, StatementBuilder, type JsonAggregate } from '../script/statement.js';
import { Analyser } from './analyser.js';
import { tablesOf } from './catalog.js';
import { prove, type Proof } from './proof.js';

/** Limits of the proof of one text. */
export interface ProofLimits {
  /** Combinations; beyond that, pairs. */
  readonly paths: number;
  readonly shapes: number;
  /** Combinations that are tried for pairs. */
  readonly pairs: number;
  /** ms. */
  readonly time: number;
}

export const USUAL_LIMITS: ProofLimits = { paths: 4_096, shapes: 512, pairs: 4_096, time: 10_000 };

/** Limits for a proof of every combination: they only keep one script from taking all memory, or for ever. */
export const WIDE_LIMITS: ProofLimits = {
  paths: 131_072,
  shapes: 32_768,
  pairs: 131_072,
  time: 600_000,
};

export interface ProverSettings {
  /** The service's settings, which are part of the statements of reads. */
  readonly aggregate: JsonAggregate;
  readonly maxResult: number;
  readonly limits: ProofLimits;
  /** How long PostgreSQL may take for one statement, ms: it waits for locks on the tables. */
  readonly patience: number;
  /**
   * Where statements are analysed, so that the proof shows which columns can be NULL and what the statements use: each in a
   * transaction of its own that is rolled back. Undefined for a proof without that.
   */
  readonly analysis?: Database | undefined;
}

export class Prover {
  readonly #database: Database;
  readonly #settings: ProverSettings;
  readonly #statements: StatementBuilder;
  readonly #shaped: ShapedStatements;
  readonly #analyser: Analyser | undefined;
  #tables: Promise<readonly string[]> | undefined;

  constructor(database: Database, settings: ProverSettings) {
    const { aggregate, maxResult, analysis, patience } = settings;
    this.#database = database;
    this.#settings = settings;
    this.#statements = new StatementBuilder(jsonFrame(aggregate, maxResult));
    this.#shaped = new ShapedStatements(aggregate, maxResult);
    this.#analyser = analysis && new Analyser(analysis, patience);
  }

  /** prove proves the text of `script` (`<folder>/<script>`); rejects with StatementFailure when the database cannot be asked. */
  async prove(script: string, text: ScriptText): Promise<Proof> {
    const { limits, patience } = this.#settings;
    const { paths, shapes, pairs, time } = limits;
    const { verb, head } = text;
    const tables = await this.#tablesOnce();
    const end = performance.now() + time;
    return prove(
      text,
      {
        script,
        statements: (verb === 'read' ? this.#shaped.of(head) : undefined) ?? this.#statements,
        describe: (sql) => this.#database.describe(sql, { limit: patience }),
        tables,
        analyse: this.#analyser && ((statement) => this.#analyser!.analyse(statement)),
      },
      { paths, shapes, pairs, isOver: () => performance.now() > end },
    );
  }

  async #tablesOnce(): Promise<readonly string[]> {
    this.#tables ??= tablesOf(this.#database);
    try {
      return await this.#tables;
    } catch (error) {
      this.#tables = undefined; // the next proof asks again
      throw error;
    }
  }
}
