/**
 * Versions of records: PostgreSQL's version of the row (xmin) or, in views and on other engines, which have none, a hash of
 * its columns. The first statement that is refused decides it for all that follow.
 */
import { StatementFailure } from '../../postgres/statement/queryable.js';
import { lacksFeature } from '../../postgres/statement/sql-failure.js';
import { STATE } from './scripts-table.js';

/** SQL about rows of the table of scripts, of which `row` is the alias. */
export interface RowVersion {
  /** The version of a row, as text. */
  readonly of: (row: string) => string;
  /** An aggregate that differs when the ids or the versions of all rows do. */
  readonly ofAll: (row: string) => string;
  /** Of a row that a statement has inserted or updated: whether it was inserted. */
  readonly isNew: (row: string) => string;
}

const ROW_VERSION: RowVersion = {
  of: (row) => `${row}.xmin::text`,
  ofAll: (row) => `sum(hashtextextended(${row}.id::text || ' ' || ${row}.xmin::text, 0)::numeric)`,
  isNew: (row) => `${row}.xmax::text = '0'`,
};

const HASH: RowVersion = {
  of: hashOf,
  ofAll: (row) =>
    `md5(string_agg(${row}.id::text || ' ' || ${hashOf(row)}, ',' ORDER BY ${row}.id))`,
  isNew: (row) => `${row}.created_at::timestamptz = now()`,
};

/** The length of each value is before it, so that no two rows have the same text. */
function hashOf(row: string): string {
  const times = ['created_at', 'updated_at'].map(
    (name) => `(${row}.${name}::timestamptz AT TIME ZONE 'UTC')::text`,
  );
  const values = [...STATE.map((name) => `${row}.${name}::text`), ...times];
  const parts = values.map((value) => `octet_length(${value})::text, ':', ${value}`);
  return `md5(concat(${parts.join(', ')}))`;
}

export class RowVersions<Statements> {
  readonly #make: (version: RowVersion) => Statements;
  #sql: Statements;
  #isHashed = false;

  /** `make` makes statements with versions. */
  constructor(make: (version: RowVersion) => Statements) {
    this.#make = make;
    this.#sql = make(ROW_VERSION);
  }

  /** run gives what `work` does with the statements; it runs again with hashes when rows have no versions. */
  async run<Result>(work: (sql: Statements) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.#sql);
    } catch (error) {
      if (this.#isHashed || !(error instanceof StatementFailure) || !lacksFeature(error))
        throw error;
      const sql = this.#make(HASH);
      const result = await work(sql);
      this.#sql = sql;
      this.#isHashed = true;
      return result;
    }
  }
}
