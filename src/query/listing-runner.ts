/**
 * Makes a query of a request for a listing: what the catalog says, wrapped as a script's read is. It knows what a listing
 * costs, and which of its texts are worth to be prepared: only as many as leave room for those of scripts, for callers
 * choose from endless combinations of filters.
 */
import { Catalog } from '../catalog/catalog.js';
import { ScriptCost } from '../pg/script-cost.js';
import type { TableAccessSettings } from '../protocol.js';
import { parseQueryString } from '../script/query-string.js';
import type { Statement, StatementBuilder } from '../script/statement.js';
import type { Query } from './query.js';

/** Texts that are remembered, and so prepared when they come again: the first that there were. */
const REMEMBERED = 64;
const LONGEST = 2_000;

export class ListingRunner {
  readonly #catalog: Catalog;
  readonly #builder: StatementBuilder;
  readonly #statements = new Map<string, Statement>();
  /** By listing. */
  readonly #costs = new Map<string, ScriptCost>();

  constructor(access: TableAccessSettings, builder: StatementBuilder) {
    this.#catalog = new Catalog(access);
    this.#builder = builder;
  }

  /** prepare gives a query its statement and all that belongs to it. Throws ServiceError. */
  prepare(query: Query): void {
    const { name, query: queryString, claims } = query.request;
    const { text, values } = this.#catalog.list(name, parseQueryString(queryString), claims);
    query.statement = this.#statement(text);
    query.values = values;
    query.form = 'value';
    query.repeatable = true;
    query.cost = this.#costs.get(name);
    if (query.cost === undefined) this.#costs.set(name, (query.cost = new ScriptCost()));
  }

  #statement(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) {
      known.recurs = true;
      return known;
    }
    const statement = this.#builder.wrapRead(text);
    if (this.#statements.size < REMEMBERED && text.length <= LONGEST)
      this.#statements.set(text, statement);
    return statement;
  }
}
