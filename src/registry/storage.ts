/**
 * The table of scripts as a whole: made with its history, dropped, looked at. It makes no schema, and an existing table
 * is never altered: it refuses one that lacks a column or has no unique key, naming what is missing.
 */
import { rowsOf, runStatement, StatementFailure, type Asked } from '../pg/asked.js';
import type { ScriptsTable } from '../protocol.js';
import { KEY, NEEDED } from './columns.js';
import { FOREIGN, storageStatementsOf, type StorageStatements } from './storage-statements.js';

/** What making the table came to, when the database did not fail. */
export interface MadeStorage {
  readonly made: boolean;
  /** Why the table cannot be used; undefined when it can. */
  readonly unusable: string | undefined;
  /** Why its changes are neither kept nor told; undefined when they are. */
  readonly unwatched: string | undefined;
}

const NOT_OURS =
  'what is there as the history, or as the function of the triggers, belongs to somebody else';

/** ScriptStorage is one table. All methods reject with StatementFailure when the database fails. */
export class ScriptStorage {
  readonly #sql: StorageStatements;
  readonly #database: Asked;

  constructor(table: ScriptsTable, database: Asked) {
    this.#sql = storageStatementsOf(table);
    this.#database = database;
  }

  /** make makes the table unless it is there, and its history and triggers where that is permitted. */
  async make(): Promise<MadeStorage> {
    let found = await this.#look();
    const made = found === undefined;
    if (made) {
      await runStatement(this.#database, this.#sql.make);
      found = await this.#look();
    }
    const unusable = unusableOf(found);
    if (unusable !== undefined) return { made, unusable, unwatched: undefined };
    return { made, unusable, unwatched: await this.#keep() };
  }

  /** unusable tells why the table cannot be used; undefined when it can. */
  async unusable(): Promise<string | undefined> {
    return unusableOf(await this.#look());
  }

  /** exists tells whether the table is there. */
  async exists(): Promise<boolean> {
    return (await this.#look()) !== undefined;
  }

  /** isEmpty tells whether there is no script. */
  async isEmpty(): Promise<boolean> {
    return (await rowsOf(this.#database, this.#sql.any)).length === 0;
  }

  /** drop ends the table, with all scripts, and what belongs to it. */
  async drop(): Promise<void> {
    await runStatement(this.#database, this.#sql.drop);
  }

  async #keep(): Promise<string | undefined> {
    try {
      await runStatement(this.#database, this.#sql.keep);
      return undefined;
    } catch (error) {
      if (!(error instanceof StatementFailure) || error.passing) throw error;
      return error.state === FOREIGN ? NOT_OURS : error.reason;
    }
  }

  async #look(): Promise<Found | undefined> {
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
  const lacking = NEEDED.filter((name) => !found.columns.has(name));
  if (lacking.length > 0) return `it has no column ${lacking.join(', ')}`;
  return found.unique ? undefined : `nothing makes ${KEY.join(', ')} unique in it`;
}
