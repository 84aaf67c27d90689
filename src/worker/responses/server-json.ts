/**
 * Has the database convert returned values to JSON whose types are not plain (row-json.ts): it queries the name of a type
 * once, then converts all values of that type at once. The conversion runs a type's own code (casts, checks of domains),
 * so it runs under the identity of the statement that returned the values. Values that cannot be converted are left to the
 * caller, who writes them as text.
 */
import { arrayLiteral } from '../../base/quote.js';
import type { Rows, ServiceDatabase } from '../../postgres/statement/queryable.js';
import type { Identity } from '../../postgres/statement/identity.js';
import type { InternalOptions } from '../../postgres/statement/internal-job.js';
import type { ResultColumn } from '../../postgres/statement/job.js';
import { serverTypes, type JsonOf } from './row-json.js';

/** The name of a type, quoted, with its schema. It reads catalogs only, so that it needs no identity. */
const TYPE_NAME = `SELECT quote_ident(n.nspname) || '.' || quote_ident(t.typname)
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = $1::oid`;

export class ServerJson {
  readonly #database: ServiceDatabase;
  readonly #names = new Map<number, string>();

  constructor(database: ServiceDatabase) {
    this.#database = database;
  }

  /** of gives the JSON of every value that is not plain, by row and column. Rejects when the database does not convert them. */
  async of(
    columns: readonly ResultColumn[],
    rows: Rows,
    identity: Identity | undefined,
  ): Promise<JsonOf> {
    const found = new Map<string, string>();
    for (const type of serverTypes(columns)) {
      const places: string[] = [];
      const values: string[] = [];
      columns.forEach((column, c) => {
        if (column.type !== type) return;
        rows.forEach((row, r) => {
          const value = row[c];
          if (value === null || value === undefined) return;
          places.push(`${r} ${c}`);
          values.push(value);
        });
      });
      if (values.length === 0) continue;
      const texts = await this.#convert(await this.#nameOf(type), values, identity);
      texts.forEach((text, i) => {
        if (text !== null) found.set(places[i]!, text);
      });
    }
    return (row, column) => found.get(`${row} ${column}`);
  }

  /**
   * With its schema, as the search path may differ between roles. The name from the catalog also has no length, while a
   * cast to plain `character` or `bit` has the length 1.
   */
  async #nameOf(type: number): Promise<string> {
    const known = this.#names.get(type);
    if (known !== undefined) return known;
    const [row] = await this.#rows(TYPE_NAME, [String(type)]);
    const name = row?.[0];
    if (typeof name !== 'string') throw new Error('the type has no name');
    this.#names.set(type, name);
    return name;
  }

  async #convert(
    name: string,
    values: string[],
    identity: Identity | undefined,
  ): Promise<(string | null)[]> {
    const sql = `SELECT pg_catalog.to_json(v::${name}) FROM pg_catalog.unnest($1::pg_catalog.text[]) WITH ORDINALITY AS u(v, n) ORDER BY n`;
    const rows = await this.#rows(sql, [arrayLiteral(values)], { identity, asScript: true });
    return rows.map(([text = null]) => text);
  }

  async #rows(sql: string, values: string[], options?: InternalOptions): Promise<Rows> {
    const { result, failure } = await this.#database.query(sql, values, options);
    if (result !== undefined) return result.rows ?? [];
    const why = 'state' in failure ? failure.state : failure.code;
    throw new Error(`the database did not convert the values (${why})`);
  }
}
