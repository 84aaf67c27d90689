/**
 * The users table: looks users up for a login, renews their hashes, and does what the commands ask. It knows nothing of
 * passwords but what is stored. It refuses names that several rows have: nobody could say whose password counts.
 */
import { rowsOf, runStatement, StatementFailure, type Asked, type Rows } from '../pg/asked.js';
import type { StatementResult } from '../pg/job.js';
import type { MadeUsersTable, StoredUser, UsersTable } from '../protocol.js';
import { statementsOf, type Statements } from './statements.js';

/** What a new user is given besides name and password. */
export interface NewUser {
  readonly name?: string | undefined;
  /** JSON. */
  readonly metadata?: string | undefined;
}

/** A user in a list. */
export interface ListedUser {
  readonly id: unknown;
  readonly username: string;
  readonly name: string;
}

/** Users are the rows of one table. All methods reject with StatementFailure when the database fails. */
export class Users {
  readonly #table: UsersTable;
  readonly #sql: Statements;
  readonly #database: Asked;

  constructor(table: UsersTable, database: Asked) {
    this.#table = table;
    this.#sql = statementsOf(table);
    this.#database = database;
  }

  /** find looks a user up by exactly that name, apart from its case: `ambiguous` when several rows have it. */
  async find(username: string): Promise<StoredUser | 'ambiguous' | undefined> {
    let rows: Rows;
    try {
      rows = await this.#rows(this.#sql.find, [username]);
    } catch (error) {
      // A value that the column cannot hold is no user's name.
      if (error instanceof StatementFailure && error.state.startsWith('22')) return undefined;
      throw error;
    }
    const [row] = rows;
    if (row === undefined) return undefined;
    if (rows.length > 1) return 'ambiguous';
    const [stored = null, password = null, id = null, name = null, metadata = null] = row;
    // Types and collations that take more than one text for the same would multiply the guesses at a password.
    if (stored?.toLowerCase() !== username.toLowerCase()) return undefined;
    return {
      id: idOf(id),
      name: nameOf(name),
      username: stored,
      password,
      metadata: metadata === null ? null : (JSON.parse(metadata) as unknown),
    };
  }

  /** renew puts a new hash in the place of an old one; it does nothing when another is there by now. */
  async renew(username: string, from: string, to: string): Promise<void> {
    await this.#run(this.#sql.renew, [username, from, to]);
  }

  /** make makes the table unless it is there, and tells which columns it lacks. An existing one is never altered. */
  async make(): Promise<MadeUsersTable> {
    let columns = await this.#columns();
    const made = columns.size === 0;
    if (made) {
      await this.#run(this.#sql.make);
      columns = await this.#columns();
    }
    const { username, password, metadata } = this.#table;
    const lacks = (name: string): boolean => !columns.has(name);
    return { made, needed: [username, password].filter(lacks), metadata: metadata.filter(lacks) };
  }

  /** exists tells whether the table is there. */
  async exists(): Promise<boolean> {
    return (await this.#columns()).size > 0;
  }

  /** isEmpty tells whether there is no user. */
  async isEmpty(): Promise<boolean> {
    return (await this.#rows(this.#sql.any)).length === 0;
  }

  /** drop ends the table with all users. */
  async drop(): Promise<void> {
    await this.#run(this.#sql.drop);
  }

  /** list gives all users, by name. */
  async list(): Promise<ListedUser[]> {
    const rows = await this.#rows(this.#sql.list);
    return rows.map(([id = null, username = null, name = null]) => ({
      id: idOf(id),
      username: nameOf(username),
      name: nameOf(name),
    }));
  }

  /** add adds a user; false when the name is there already. */
  async add(username: string, hash: string, { name, metadata }: NewUser): Promise<boolean> {
    const given = { name: name !== undefined, metadata: metadata !== undefined };
    const values = [username, hash, name, metadata].filter((value) => value !== undefined);
    try {
      return (await this.#run(this.#sql.add(given), values)).affected > 0;
    } catch (error) {
      // Something else may have to be unique too, so it has to be seen.
      if (error instanceof StatementFailure && error.state === '23505')
        if ((await this.#rows(this.#sql.find, [username])).length > 0) return false;
      throw error;
    }
  }

  /** setPassword stores a hash and returns how many rows have that name. */
  async setPassword(username: string, hash: string): Promise<number> {
    return (await this.#run(this.#sql.setPassword, [username, hash])).affected;
  }

  /** remove removes a user and returns how many rows had that name. */
  async remove(username: string): Promise<number> {
    return (await this.#run(this.#sql.remove, [username])).affected;
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

/** A number of more digits than a JSON reader keeps stays a text. */
function idOf(json: string | null): unknown {
  if (json === null) return 0;
  const id = JSON.parse(json) as unknown;
  return typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER ? json : (id ?? 0);
}

function nameOf(json: string | null): string {
  const name = json === null ? null : (JSON.parse(json) as unknown);
  if (name === null) return '';
  return typeof name === 'string' ? name : json!;
}
