/**
 * The users table: looks users up for a login, renews their hashes, and runs the `user` commands. It stores hashes and
 * never sees a password. A name that several rows have is ambiguous and is reported as such.
 */
import {
  rowsOf,
  runKnown,
  runStatement,
  StatementFailure,
  type Queryable,
  type Rows,
} from '../../postgres/statement/queryable.js';
import type { StatementResult } from '../../postgres/statement/job.js';
import { lacksFeature } from '../../postgres/statement/sql-failure.js';
import type { UsersTable } from '../../messages/database-settings.js';
import type { MadeUsersTable, StoredUser } from '../../messages/tasks.js';
import type { TypeOperators } from '../../postgres/statement/type-operators.js';
import { statementsOf, type UserStatements } from './statements.js';

/** Optional columns of a new user. */
export interface NewUser {
  readonly name?: string | undefined;
  /** JSON. */
  readonly metadata?: string | undefined;
}

export interface ListedUser {
  readonly id: unknown;
  readonly username: string;
  readonly name: string;
}

/** Users reads and changes one users table. All methods reject with StatementFailure if the database fails. */
export class Users {
  readonly #table: UsersTable;
  readonly #sql: UserStatements;
  readonly #database: Queryable;

  constructor(table: UsersTable, database: Queryable) {
    this.#table = table;
    this.#sql = statementsOf(table);
    this.#database = database;
  }

  /** find looks a user up by name, in whose case the table's may differ: `ambiguous` if several rows match. */
  async find(username: string): Promise<StoredUser | 'ambiguous' | undefined> {
    let rows: Rows;
    try {
      rows = await this.#find(username);
    } catch (error) {
      // The column cannot hold the value, so no user has that name.
      if (error instanceof StatementFailure && error.state.startsWith('22')) return undefined;
      throw error;
    }
    const [row] = rows;
    if (row === undefined) return undefined;
    if (rows.length > 1) return 'ambiguous';
    const [stored = null, password = null, id = null, name = null, metadata = null] = row;
    // Types and collations that equate further texts would multiply the guesses at a password.
    if (stored?.toLowerCase() !== username.toLowerCase()) return undefined;
    return {
      id: idOf(id),
      name: textOfJson(name),
      username: stored,
      password,
      metadata: metadata === null ? null : (JSON.parse(metadata) as unknown),
    };
  }

  async #find(username: string): Promise<Rows> {
    return this.#rows(this.#sql.find(await this.#operators()), [username]);
  }

  /** renew replaces a hash, unless it has changed since. */
  async renew(username: string, from: string, to: string): Promise<void> {
    await this.#run(this.#sql.renew(await this.#operators()), [username, from, to]);
  }

  /** make creates the table if it does not exist, and lists the columns it lacks. An existing table is never altered. */
  async make(): Promise<MadeUsersTable> {
    let columns = await this.#columns();
    const made = columns.size === 0;
    if (made) {
      await runKnown(this.#database, this.#sql.make);
      columns = await this.#columns();
    }
    const { username, password, metadata } = this.#table;
    const lacks = (name: string): boolean => !columns.has(name);
    return { made, needed: [username, password].filter(lacks), metadata: metadata.filter(lacks) };
  }

  async exists(): Promise<boolean> {
    return (await this.#columns()).size > 0;
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#rows(this.#sql.any)).length === 0;
  }

  async drop(): Promise<void> {
    await this.#run(this.#sql.drop);
  }

  async list(): Promise<ListedUser[]> {
    const rows = await this.#rows(this.#sql.list);
    return rows.map(([id = null, username = null, name = null]) => ({
      id: idOf(id),
      username: textOfJson(username),
      name: textOfJson(name),
    }));
  }

  async add(username: string, hash: string, { name, metadata }: NewUser): Promise<boolean> {
    const given = { name: name !== undefined, metadata: metadata !== undefined };
    const values = [username, hash, name, metadata].filter((value) => value !== undefined);
    try {
      return (await this.#run(this.#sql.add(given), values)).affected > 0;
    } catch (error) {
      // Another column may be unique too, so look for the name.
      if (error instanceof StatementFailure && error.state === '23505')
        if ((await this.#find(username)).length > 0) return false;
      throw error;
    }
  }

  /** setPassword stores a hash and returns the number of rows with that name. */
  async setPassword(username: string, hash: string): Promise<number> {
    const sql = this.#sql.setPassword(await this.#operators());
    return (await this.#run(sql, [username, hash])).affected;
  }

  async remove(username: string): Promise<number> {
    return (await this.#run(this.#sql.remove(await this.#operators()), [username])).affected;
  }

  /** Read each time: the type of the column may change. Other engines have no other operators. */
  async #operators(): Promise<TypeOperators | undefined> {
    try {
      const json = (await this.#rows(this.#sql.operators))[0]?.[0];
      return json == null ? undefined : (JSON.parse(json) as TypeOperators);
    } catch (error) {
      if (error instanceof StatementFailure && lacksFeature(error)) return undefined;
      throw error;
    }
  }

  async #columns(): Promise<Set<string | null | undefined>> {
    return new Set((await this.#rows(this.#sql.columns)).map(([name]) => name));
  }

  #rows(sql: string, values: string[] = []): Promise<Rows> {
    return rowsOf(this.#database, sql, values);
  }

  #run(sql: string, values: string[] = []): Promise<StatementResult> {
    return runStatement(this.#database, sql, values);
  }
}

/** The value of an id, 0 for none. A number that JSON readers would round stays text. */
function idOf(json: string | null): unknown {
  if (json === null) return 0;
  const id = JSON.parse(json) as unknown;
  return typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER ? json : (id ?? 0);
}

function textOfJson(json: string | null): string {
  const name = json === null ? null : (JSON.parse(json) as unknown);
  if (name === null) return '';
  return typeof name === 'string' ? name : json!;
}
