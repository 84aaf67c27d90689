/** Analyses the statements of proofs. Names of types, and facts of the catalogs, are read once. */
import { analyse, type Analysis } from '../analysis/analysis.js';
import { KnownFacts } from '../analysis/known-facts.js';
import type { ServiceDatabase } from '../../postgres/statement/queryable.js';
import { sqlTypes } from './catalog.js';
import type { ParsedStatement } from './statement-check.js';

export class Analyser {
  readonly #database: ServiceDatabase;
  readonly #names = new Map<number, string>();
  readonly #known: KnownFacts;

  constructor(database: ServiceDatabase) {
    this.#database = database;
    this.#known = new KnownFacts(database);
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
    for (const [type, { name }] of await sqlTypes(this.#database, unknown))
      this.#names.set(type, name);
    const types = parameters.map((type) => this.#names.get(type) ?? 'text');
    // A time limit of PostgreSQL is in whole ms.
    const time = Math.ceil(limit);
    return analyse(this.#database, { sql, parameters: types }, time, this.#known);
  }
}
