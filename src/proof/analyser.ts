/** Analyses the statements of a proof. The names of types, which it takes, are read once. */
import { analyse, type AnalysedStatement, type Analysis } from '../analysis/analysis.js';
import { RightsAnalyser, type NeededRights } from '../analysis/rights.js';
import type { Database } from '../pg/database.js';
import { typeNames } from './catalog.js';
import type { ParsedStatement } from './statement-check.js';

export class Analyser {
  readonly #database: Database;
  readonly #names = new Map<number, string>();

  readonly #rights: RightsAnalyser;

  constructor(database: Database) {
    this.#database = database;
    this.#rights = new RightsAnalyser(database);
  }

  /**
   * analyse resolves to undefined when the statement cannot be analysed; it may wait for locks for `limit` ms. Rejects with
   * StatementFailure.
   */
  async analyse(statement: ParsedStatement, limit: number): Promise<Analysis | undefined> {
    return analyse(this.#database, await this.#named(statement), wholeLimit(limit));
  }

  /** rightsOf is the same for the rights that a statement needs alone. */
  async rightsOf(statement: ParsedStatement, limit: number): Promise<NeededRights | undefined> {
    return this.#rights.analyse(await this.#named(statement), wholeLimit(limit));
  }

  async #named({ sql, parameters }: ParsedStatement): Promise<AnalysedStatement> {
    const unknown = new Set(parameters.filter((type) => !this.#names.has(type)));
    for (const [type, name] of await typeNames(this.#database, unknown))
      this.#names.set(type, name);
    const types = parameters.map((type) => this.#names.get(type) ?? 'text');
    return { sql, parameters: types };
  }
}

/** A time limit of PostgreSQL is in whole ms. */
function wholeLimit(limit: number): number {
  return Math.ceil(limit);
}
