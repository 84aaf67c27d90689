/** Analyses the statements of a proof. The names of types, which it takes, are read once. */
import { analyse, type Analysis } from '../analysis/analysis.js';
import type { Database } from '../pg/database.js';
import { typeNames } from './catalog.js';
import type { ParsedStatement } from './statement-check.js';

export class Analyser {
  readonly #database: Database;
  readonly #names = new Map<number, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * analyse resolves to undefined when the statement cannot be analysed; it may wait for locks for `limit` ms. Rejects with
   * StatementFailure.
   */
  async analyse(
    { sql, parameters }: ParsedStatement,
    limit: number,
  ): Promise<Analysis | undefined> {
    const unknown = new Set(parameters.filter((type) => !this.#names.has(type)));
    for (const [type, name] of await typeNames(this.#database, unknown))
      this.#names.set(type, name);
    const types = parameters.map((type) => this.#names.get(type) ?? 'text');
    // A time limit of PostgreSQL is in whole ms.
    return analyse(this.#database, { sql, parameters: types }, Math.ceil(limit));
  }
}
