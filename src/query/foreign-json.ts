/**
 * Asks the database for the JSON of returned values whose types are not plain (row-json.ts): once for a type's name,
 * then for all values of that type at once. The conversion runs a type's own code (casts, checks of domains), so it has
 * the rights and the claims of the statement that gave the values, never more. It refuses nothing: what cannot be had is
 * written as text by its caller.
 */
import { arrayLiteral } from '../pg/array-literal.js';
import type { Database } from '../pg/database.js';
import type { Identity } from '../pg/identity.js';
import type { Column, StatementResult } from '../pg/job.js';
import { foreignTypes } from './row-json.js';

type Rows = readonly (readonly (string | null)[])[];

/** The name of a type, quoted, with its schema. It reads catalogs alone, so that it needs nobody's identity. */
const TYPE_NAME = `SELECT quote_ident(n.nspname) || '.' || quote_ident(t.typname)
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = $1::oid`;

/** ForeignJson knows the type names of one database. */
export class ForeignJson {
  readonly #database: Database;
  readonly #names = new Map<number, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * of looks up the JSON of every value of a foreign type, as the identity that got the values. Rejects when the database
   * does not give it.
   */
  async of(
    columns: readonly Column[],
    rows: Rows,
    identity: Identity | undefined,
  ): Promise<(row: number, column: number) => string | undefined> {
    const found = new Map<string, string>();
    for (const type of foreignTypes(columns)) {
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
   * With its schema, because which types are found without one may differ from role to role. A catalog's name has no
   * length either, which `character` and `bit` have in a cast when none is written.
   */
  async #nameOf(type: number): Promise<string> {
    const known = this.#names.get(type);
    if (known !== undefined) return known;
    const result = await this.#query(TYPE_NAME, [String(type)], undefined);
    const name = result.rows?.[0]?.[0];
    if (typeof name !== 'string') throw new Error('the type has no name');
    this.#names.set(type, name);
    return name;
  }

  async #convert(
    name: string,
    values: string[],
    identity: Identity | undefined,
  ): Promise<(string | null)[]> {
    const result = await this.#query(
      `SELECT to_json(v::${name}) FROM unnest($1::text[]) WITH ORDINALITY AS u(v, n) ORDER BY n`,
      [arrayLiteral(values)],
      identity,
    );
    return (result.rows ?? []).map((row) => row[0] ?? null);
  }

  async #query(
    sql: string,
    values: string[],
    identity: Identity | undefined,
  ): Promise<StatementResult> {
    const { result, failure } = await this.#database.ask(sql, values, identity);
    if (result !== undefined) return result;
    const why = 'state' in failure ? failure.state : failure.code;
    throw new Error(`the database did not convert the values (${why})`);
  }
}
