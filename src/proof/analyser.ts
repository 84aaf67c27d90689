/** Analyses the statements of a proof. The names of types, which it takes, are read once. */
import { analyse, type Analysis } from '../analysis/analysis.js';
import type { Database } from '../pg/database.js';
import { typeNames } from './catalog.js';
import type { ParsedStatement } from './statement-check.js';

export class Analyser {
  readonly #database: Database;
  readonly #limit: number;
  readonly #names = new Map<number, string>();

  /** `limit` is how long a statement may wait for locks, ms. */
  constructor(database: Database, limit: number) {
    this.#database = database;
    this.#limit = limit;
  }

  /** analyse resolves to undefined when the statement cannot be analysed; rejects with StatementFailure. */
  async analyse({ sql, parameters }: ParsedStatement): Promise<Analysis | undefined> {
    const unknown = new Set(parameters.filter((type) => !this.#names.has(type)));
    for (const [type, name] of await typeNames(this.#database, unknown))
      this.#names.set(type, name);
    const types = parameters.map((type) => this.#names.get(type) ?? 'text');
    return analyse(this.#database, { sql, parameters: types }, this.#limit);
  }
}
