/**
 * Creates, checks and drops the table of scripts with its history and proofs. It creates no schema and never alters an
 * existing table: a table without a required column or a unique key is refused, naming the missing parts.
 */
import {
  rowsOf,
  runKnown,
  runStatement,
  StatementFailure,
  type Queryable,
} from '../../postgres/statement/queryable.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { KEY, REQUIRED } from './scripts-table.js';
import { FOREIGN, ddlStatementsOf, type DdlStatements } from './ddl-statements.js';

export interface MadeTable {
  readonly made: boolean;
  /** Why the table cannot be used; undefined when it can. */
  readonly unusable: string | undefined;
  /** Why its changes are neither recorded nor notified; undefined when they are. */
  readonly unwatched: string | undefined;
}

const NO_TRIGGERS =
  'it has no triggers, as after a restore of this table alone; sql-rest-service migrate up queries makes them';

const NOT_OURS =
  'what is there as the history, or as the function of the triggers, belongs to somebody else';

/** All methods reject with StatementFailure when the database fails. */
export class ScriptsDdl {
  readonly #sql: DdlStatements;
  readonly #database: Queryable;

  constructor(table: ScriptsTable, database: Queryable) {
    this.#sql = ddlStatementsOf(table);
    this.#database = database;
  }

  /** make creates the table unless it exists, and its history, triggers and proofs where that is permitted. */
  async make(): Promise<MadeTable> {
    let found = await this.#columns();
    const made = found === undefined;
    if (made) {
      await runKnown(this.#database, this.#sql.make);
      found = await this.#columns();
    }
    const unusable = unusableOf(found);
    if (unusable !== undefined) return { made, unusable, unwatched: undefined };
    const unwatched = await this.#keep();
    await this.#share();
    return { made, unusable, unwatched };
  }

  /** unusable gives the reason why the table cannot be used; undefined when it can. */
  async unusable(): Promise<string | undefined> {
    return unusableOf(await this.#columns());
  }

  /** unwatched gives the reason why changes are neither recorded nor notified; undefined when they are. */
  async unwatched(): Promise<string | undefined> {
    const found = await rowsOf(this.#database, this.#sql.watched);
    return found.length > 0 ? undefined : NO_TRIGGERS;
  }

  async exists(): Promise<boolean> {
    return (await this.#columns()) !== undefined;
  }

  async isEmpty(): Promise<boolean> {
    return (await rowsOf(this.#database, this.#sql.any)).length === 0;
  }

  /** drop drops the table with all scripts, its history, its triggers and its proofs. */
  async drop(): Promise<void> {
    await runKnown(this.#database, this.#sql.drop);
  }

  async #keep(): Promise<string | undefined> {
    try {
      await runKnown(this.#database, this.#sql.keep);
      return undefined;
    } catch (error) {
      if (!(error instanceof StatementFailure) || error.passing) throw error;
      return error.state === FOREIGN ? NOT_OURS : error.reason;
    }
  }

  /** Nothing needs the table of proofs, so that lasting failures are ignored. */
  async #share(): Promise<void> {
    try {
      await runStatement(this.#database, this.#sql.share);
    } catch (error) {
      if (!(error instanceof StatementFailure) || error.passing) throw error;
    }
  }

  async #columns(): Promise<Found | undefined> {
    const rows = await rowsOf(this.#database, this.#sql.columns);
    if (rows.length === 0) return undefined;
    return { columns: new Set(rows.map(([name]) => name)), unique: rows[0]![1] === 't' };
  }
}

interface Found {
  readonly columns: ReadonlySet<string | null | undefined>;
  readonly unique: boolean;
}

function unusableOf(found: Found | undefined): string | undefined {
  if (found === undefined) return 'it is not there; sql-rest-service migrate up queries makes it';
  const lacking = REQUIRED.filter((name) => !found.columns.has(name));
  if (lacking.length > 0) return `it has no column ${lacking.join(', ')}`;
  return found.unique ? undefined : `nothing makes ${KEY.join(', ')} unique in it`;
}
