/**
 * Stored scripts as records: lists, reads, conditional changes, and earlier versions. The caller checks the content of
 * records.
 */
import { arrayLiteral } from '../../base/quote.js';
import {
  rowsOf,
  StatementFailure,
  type Queryable,
  type Rows,
} from '../../postgres/statement/queryable.js';
import type { Page } from '../../postgres/statement/page.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { RowVersions } from '../scripts/row-versions.js';
import { CONTENT, type ScriptKey } from '../scripts/scripts-table.js';
import {
  RECORD,
  statementsOf,
  VERSION,
  type RegistryStatements,
  type Terms,
} from './statements.js';

/** The content of a record; empty members are absent. */
export interface RecordContent {
  readonly read_sql?: string | undefined;
  readonly write_sql?: string | undefined;
  readonly update_sql?: string | undefined;
  readonly delete_sql?: string | undefined;
  readonly description?: string | undefined;
}

export interface StoredRecord extends ScriptKey, RecordContent {
  /** A number that JSON readers would round is text. */
  readonly id: number | string;
  readonly created_by?: string | undefined;
  /** RFC 3339, UTC; empty when the table has no time. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Changes with each update; with the id it makes the record's entity tag. */
  readonly version: string;
}

/** A state of a record, an earlier one or the current one. */
export interface RecordVersion extends RecordContent {
  readonly version: number;
  /** What caused it; `found`: it existed before the history; `delete`: the last state before the record was removed. */
  readonly operation: 'insert' | 'update' | 'delete' | 'found';
  readonly created_by?: string | undefined;
  readonly changed_by: string;
  /** RFC 3339, UTC. */
  readonly changed_at: string;
}

export interface RecordFilter {
  readonly database?: string | undefined;
  readonly location?: string | undefined;
  readonly page?: Page | undefined;
}

/** The condition of a change: entity tags (`<id>-<version>`, without quotes), or `*` for any record. */
export interface Condition {
  readonly match?: readonly string[] | '*' | undefined;
  readonly noneMatch?: readonly string[] | '*' | undefined;
}

export function tagOf({ id, version }: StoredRecord): string {
  return `${id}-${version}`;
}

/** The records of one table. All methods reject with StatementFailure when the database fails. */
export class Records {
  readonly #versions: RowVersions<RegistryStatements>;
  readonly #database: Queryable;

  constructor(table: ScriptsTable, database: Queryable) {
    this.#versions = new RowVersions((version) => statementsOf(table, version));
    this.#database = database;
  }

  /** list gives records in the order of database, location and name: those that match the filter, or a page of them. */
  async list(filter: RecordFilter = {}): Promise<StoredRecord[]> {
    const { database, location, page } = filter;
    const filters = {
      database: database !== undefined,
      location: location !== undefined,
      page: page !== undefined,
    };
    const values = [database, location, ...valuesOfPage(page)].filter((one) => one !== undefined);
    return (await this.#rows(({ list }) => list(filters), values)).map(recordOf);
  }

  async get(key: ScriptKey): Promise<StoredRecord | undefined> {
    const [row] = await this.#rows(({ get }) => get, valuesOf(key));
    return row && recordOf(row);
  }

  /** put creates a record, or replaces all its content; `created_by` and `created_at` stay. */
  async put(
    key: ScriptKey,
    content: RecordContent,
    editor: string,
    condition: Condition = {},
  ): Promise<{ readonly record: StoredRecord; readonly created: boolean } | 'mismatch'> {
    const terms = termsOf(condition);
    if (terms === 'never') return 'mismatch';
    const [row] = await this.#rows(
      ({ put }) => put(terms),
      [
        ...valuesOf(key),
        ...CONTENT.map((name) => content[name] ?? ''),
        editor,
        ...tagsOf(condition),
      ],
    );
    if (row === undefined) return 'mismatch';
    return { record: recordOf(row), created: row[RECORD.length] === 't' };
  }

  /** remove removes the record with exactly this key; `mismatch` when it does not meet the condition. */
  async remove(
    key: ScriptKey,
    editor: string,
    condition: Condition = {},
  ): Promise<'removed' | 'missing' | 'mismatch'> {
    const terms = termsOf(condition);
    if (terms === 'never' || terms.before === 'missing')
      return (await this.get(key)) === undefined ? 'missing' : 'mismatch';
    const values = [...valuesOf(key), editor, ...tagsOf(condition)];
    const [row] = await this.#rows(({ remove }) => remove(terms), values);
    const [removed, there] = row!;
    if (removed === 't') return 'removed';
    // Without tags only a concurrent removal can have come first.
    return there === 't' && (terms.match || terms.noneMatch) ? 'mismatch' : 'missing';
  }

  /** history gives the versions of a key, newest first, or a page of them; undefined without a history. */
  async history(key: ScriptKey, page?: Page): Promise<RecordVersion[] | undefined> {
    try {
      const values = [...valuesOf(key), ...valuesOfPage(page)];
      return (await this.#rows((sql) => sql.history(page !== undefined), values)).map(versionOf);
    } catch (error) {
      if (isNoHistory(error)) return undefined;
      throw error;
    }
  }

  /** version gives one version of a key, or `missing`; undefined without a history. */
  async version(key: ScriptKey, version: number): Promise<RecordVersion | 'missing' | undefined> {
    const number = Number.isSafeInteger(version) ? version : 0; // no version has this number
    try {
      const values = [...valuesOf(key), String(number)];
      const [row] = await this.#rows((sql) => sql.version, values);
      return row === undefined ? 'missing' : versionOf(row);
    } catch (error) {
      if (isNoHistory(error)) return undefined;
      throw error;
    }
  }

  #rows(statement: (sql: RegistryStatements) => string, values: string[]): Promise<Rows> {
    return this.#versions.run((sql) => rowsOf(this.#database, statement(sql), values));
  }
}

type Row = Rows[number];

function valuesOf({ database, location, name }: ScriptKey): string[] {
  return [database, location, name];
}

function valuesOfPage(page: Page | undefined): string[] {
  return page === undefined ? [] : [page.limit, page.offset];
}

/** The terms of a condition; `never` when no record can meet it. */
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
    id: Number.isSafeInteger(Number(id)) ? Number(id) : (id ?? ''),
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

/** The nonempty values of a row by name. */
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

/** Whether a statement failed because the history does not exist, or is another kind of table. */
function isNoHistory(error: unknown): boolean {
  return error instanceof StatementFailure && ['42P01', '42703'].includes(error.state);
}
