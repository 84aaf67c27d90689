/**
 * Gives a request for a listing its statement: the catalog's, wrapped as a script's read is. It knows what a listing
 * costs, and prepares a bounded number of texts, which leaves room for scripts: callers combine filters without
 * end.
 */
import { Listings } from './listings.js';
import { asOwn } from '../../postgres/statement/identity.js';
import { ScriptCost } from '../../postgres/statement/script-cost.js';
import type { ListingRequest } from '../../messages/batch.js';
import type { TableAccessSettings } from '../../messages/access-settings.js';
import { parseQueryString } from '../../script/request/query-string.js';
import type { ScriptStatement, StatementBuilder } from '../../script/statement/statement.js';
import type { Query } from '../query.js';

/** The first so many texts are remembered, and so prepared when they recur; longer ones than LONGEST never. */
const REMEMBERED = 64;
const LONGEST = 2_000;

export class ListingRunner {
  readonly #listings: Listings;
  readonly #builder: StatementBuilder;
  readonly #statements = new Map<string, ScriptStatement>();
  /** By name of the listing. */
  readonly #costs = new Map<string, ScriptCost>();

  constructor(access: TableAccessSettings, builder: StatementBuilder) {
    this.#listings = new Listings(access);
    this.#builder = builder;
  }

  /** prepare gives a query its statement, values, form and cost. Throws ServiceError. */
  prepare(query: Query, { name, query: queryString, user }: ListingRequest): void {
    const { text, values } = this.#listings.query(name, parseQueryString(queryString), user);
    query.statement = this.#statement(text);
    query.values = values;
    query.form = query.valueForm;
    query.cannotWrite = true;
    query.identity = asOwn(query.identity);
    query.cost = this.#costs.get(name);
    if (query.cost === undefined) this.#costs.set(name, (query.cost = new ScriptCost()));
  }

  #statement(text: string): ScriptStatement {
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
