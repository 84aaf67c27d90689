/**
 * Stored scripts as records: listed, read, changed under a condition, and the versions that they had. It refuses nothing
 * that the table takes: what a record may hold is for whoever writes it to see to.
 */
import { arrayLiteral } from '../pg/array-literal.js';
import { rowsOf, StatementFailure, type Asked, type Rows } from '../pg/asked.js';
import type { Page } from '../pg/page.js';
import type { ScriptsTable } from '../protocol.js';
import { CONTENT } from './columns.js';
import type { ScriptKey } from './scripts-table.js';
import { RECORD, statementsOf, VERSION, type Statements, type Terms } from './statements.js';

/** What a record holds for whoever writes it; empty members are absent. */
export interface RecordContent {
  readonly read_sql?: string | undefined;
  readonly write_sql?: string | undefined;
  readonly update_sql?: string | undefined;
  readonly delete_sql?: string | undefined;
  readonly description?: string | undefined;
}

/** A record as it is stored. */
export interface StoredRecord extends ScriptKey, RecordContent {
  readonly id: number;
  readonly created_by?: string | undefined;
  /** RFC 3339, UTC; empty where the table has none. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Another one after each change; with the id it is the record's entity tag. */
  readonly version: string;
}

/** An earlier state of a record, or the one it has. */
export interface RecordVersion extends RecordContent {
  readonly version: number;
  /** What made it; `found`: it was there before there was a history; `delete`: the last state, before it was removed. */
  readonly operation: 'insert' | 'update' | 'delete' | 'found';
  readonly created_by?: string | undefined;
  readonly changed_by: string;
  /** RFC 3339, UTC. */
  readonly changed_at: string;
}

/** Which records are listed. */
export interface RecordFilter {
  readonly database?: string | undefined;
  readonly location?: string | undefined;
  readonly page?: Page | undefined;
}

/** What a change depends on: entity tags (`<id>-<version>`, without quotes), `*` for any record. */
export interface Condition {
  readonly match?: readonly string[] | '*' | undefined;
  readonly noneMatch?: readonly string[] | '*' | undefined;
}

/** tagOf is a record's entity tag, without quotes. */
export function tagOf({ id, version }: StoredRecord): string {
  return `${id}-${version}`;
}

/** Records are the rows of one table. All methods reject with StatementFailure when the database fails. */
export class Records {
  readonly #sql: Statements;
  readonly #database: Asked;

  constructor(table: ScriptsTable, database: Asked) {
    this.#sql = statementsOf(table);
    this.#database = database;
  }

  /** list gives records by database, location and name: all, or those with exactly these, or a page of them. */
  async list(filter: RecordFilter = {}): Promise<StoredRecord[]> {
    const { database, location, page } = filter;
    const sql = this.#sql.list({
      database: database !== undefined,
      location: location !== undefined,
      page: page !== undefined,
    });
    const values = [database, location, ...valuesOfPage(page)].filter((one) => one !== undefined);
    return (await this.#rows(sql, values)).map(recordOf);
  }

  /** get gives the record of exactly that key. */
  async get(key: ScriptKey): Promise<StoredRecord | undefined> {
    const [row] = await this.#rows(this.#sql.get, valuesOf(key));
    return row && recordOf(row);
  }

  /** put makes a record, or replaces all its content; who made it and when stays. */
  async put(
    key: ScriptKey,
    content: RecordContent,
    editor: string,
    condition: Condition = {},
  ): Promise<{ readonly record: StoredRecord; readonly created: boolean } | 'mismatch'> {
    const terms = termsOf(condition);
    if (terms === 'never') return 'mismatch';
    const [row] = await this.#rows(this.#sql.put(terms), [
      ...valuesOf(key),
      ...CONTENT.map((name) => content[name] ?? ''),
      editor,
      ...tagsOf(condition),
    ]);
    if (row === undefined) return 'mismatch';
    return { record: recordOf(row), created: row[RECORD.length] === 't' };
  }

  /** remove removes the record of exactly that key; `mismatch` when it is there in another state. */
  async remove(
    key: ScriptKey,
    editor: string,
    condition: Condition = {},
  ): Promise<'removed' | 'missing' | 'mismatch'> {
    const terms = termsOf(condition);
    if (terms === 'never' || terms.before === 'missing')
      return (await this.get(key)) === undefined ? 'missing' : 'mismatch';
    const values = [...valuesOf(key), editor, ...tagsOf(condition)];
    const [row] = await this.#rows(this.#sql.remove(terms), values);
    const [removed, there] = row!;
    if (removed === 't') return 'removed';
    // Without tags nothing but another removal at the same time can have come before it.
    return there === 't' && (terms.match || terms.noneMatch) ? 'mismatch' : 'missing';
  }

  /** history gives the versions of a key, newest first, or a page of them; undefined when no history is kept. */
  async history(key: ScriptKey, page?: Page): Promise<RecordVersion[] | undefined> {
    try {
      const sql = this.#sql.history(page !== undefined);
      return (await this.#rows(sql, [...valuesOf(key), ...valuesOfPage(page)])).map(versionOf);
    } catch (error) {
      if (isNoHistory(error)) return undefined;
      throw error;
    }
  }

  /** version gives one version of a key, `missing` when there is none; undefined when no history is kept. */
  async version(key: ScriptKey, version: number): Promise<RecordVersion | 'missing' | undefined> {
    const number = Number.isSafeInteger(version) ? version : 0; // none has that
    try {
      const [row] = await this.#rows(this.#sql.version, [...valuesOf(key), String(number)]);
      return row === undefined ? 'missing' : versionOf(row);
    } catch (error) {
      if (isNoHistory(error)) return undefined;
      throw error;
    }
  }

  #rows(sql: string, values: string[]): Promise<Rows> {
    return rowsOf(this.#database, sql, values);
  }
}

type Row = Rows[number];

function valuesOf({ database, location, name }: ScriptKey): string[] {
  return [database, location, name];
}

function valuesOfPage(page: Page | undefined): string[] {
  return page === undefined ? [] : [page.limit, page.offset];
}

/** What a condition asks of the record, or that none can have it. */
function termsOf({ match, noneMatch }: Condition): Terms | 'never' {
  if (noneMatch === '*') {
    if (match !== undefined) return 'never';
    return { match: false, noneMatch: false, before: 'missing' };
  }
  return {
    match: match !== undefined && match !== '*',
    noneMatch: noneMatch !== undefined,
    before: match === undefined ? 'either' : 'there',
  };
}

function tagsOf({ match, noneMatch }: Condition): string[] {
  return [match, noneMatch]
    .filter((tags) => tags !== undefined && tags !== '*')
    .map((tags) => arrayLiteral(tags));
}

function recordOf(row: Row): StoredRecord {
  const { id, database, location, name, created_at, updated_at, version, ...rest } = members(
    RECORD,
    row,
  );
  return {
    id: Number(id),
    database: database ?? '',
    location: location ?? '',
    name: name ?? '',
    ...rest,
    created_at: created_at ?? '',
    updated_at: updated_at ?? '',
    version: version ?? '',
  };
}

function versionOf(row: Row): RecordVersion {
  const { version, operation, changed_by, changed_at, ...rest } = members(VERSION, row);
  return {
    version: Number(version),
    operation: operation as RecordVersion['operation'],
    ...rest,
    changed_by: changed_by ?? '',
    changed_at: changed_at ?? '',
  };
}

/** What a row has under these names, without what is empty. */
function members<Name extends string>(
  names: readonly Name[],
  row: Row,
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  names.forEach((name, i) => {
    const value = row[i];
    if (value != null && value !== '') found[name] = value;
  });
  return found;
}

/** A table that is not there, or is no history. */
function isNoHistory(error: unknown): boolean {
  return error instanceof StatementFailure && ['42P01', '42703'].includes(error.state);
}
