/**
 * The users table of pREST: its content, and the copy into a table of this service. Password hashes never leave the
 * database; only their schemes are counted.
 */
import { counted } from '../../base/text.js';
import { rowsOf, type Queryable } from '../../postgres/statement/queryable.js';
import { identifier, literal, qualifiedName } from '../../base/quote.js';
import type { UsersTable } from '../../messages/database-settings.js';
import { Users } from '../../stored/users/users.js';
import type { Draft } from './draft.js';
import { prepareCopy, columnsOf, type TableCopy, type CopySql } from './table-copy.js';

export class PrestUsers {
  readonly name: string;
  readonly #table: UsersTable;
  readonly #qualified: string;
  readonly #database: Queryable;

  constructor(table: UsersTable, database: Queryable) {
    this.#table = table;
    this.#database = database;
    this.name = `${table.schema}.${table.table}`;
    this.#qualified = qualifiedName(table);
  }

  /** exists tells whether the table exists, and reports missing columns. */
  async exists(draft: Draft): Promise<boolean> {
    const columns = await columnsOf(this.#database, this.#qualified);
    if (columns.size === 0) return false;
    const missing = [this.#table.username, this.#table.password].filter(
      (name) => !columns.has(name),
    );
    if (missing.length > 0)
      draft.problems.push(
        `${this.name}: there is no column ${missing.join(', ')}; see auth.username and auth.password`,
      );
    return missing.length === 0;
  }

  /** describe reports the content of the table; `encrypt` is pREST's setting. */
  async describe(encrypt: string, draft: Draft): Promise<void> {
    const [username, password] = [this.#table.username, this.#table.password].map(identifier);
    const [row] = await rowsOf(
      this.#database,
      `SELECT count(*), count(*) FILTER (WHERE p ~ '^[$]2[aby][$]'), count(*) FILTER (WHERE p ~* '^[0-9a-f]{32}$'),
count(*) FILTER (WHERE p ~* '^[0-9a-f]{40}$'), count(*) FILTER (WHERE u <> lower(u)), count(*) - count(u),
count(u) - count(DISTINCT u)
FROM (SELECT ${username}::text AS u, ${password}::text AS p FROM ${this.#qualified}) s`,
    );
    const [all, bcrypt, md5, sha1, upper, nameless, repeated] = row!.map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const other = all - bcrypt - md5 - sha1;
    const kinds = Object.entries({ bcrypt, md5, sha1 }).filter(([, count]) => count > 0);
    const counts = kinds.map(([kind, count]) => `${count} with ${kind}`).join(', ');
    draft.taken(this.name, `${counted(all, 'user')}${counts === '' ? '' : `: ${counts}`}`);
    const report = (
      count: number,
      kind: 'differs' | 'unused' | 'unsupported',
      message: string,
    ): void => {
      if (count > 0) draft[kind](this.name, `${counted(count, 'user')} ${message}`);
    };
    if (encrypt === 'bcrypt')
      report(md5 + sha1, 'differs', 'with md5 or sha1 get a bcrypt hash at the next login here');
    else
      report(
        bcrypt,
        'differs',
        `with bcrypt may log in here; in pREST they cannot while auth.encrypt is ${encrypt}`,
      );
    report(other, 'unused', 'with a password in no known form cannot log in, in pREST neither');
    report(upper, 'unused', 'with capital letters in the name cannot log in, in pREST neither');
    report(nameless, 'unused', 'without a name cannot log in, in pREST neither');
    report(
      repeated,
      'unsupported',
      'too many: several rows have the same name, and none of them can log in here',
    );
  }

  /** copyTo prepares the copy into another table; undefined, with a problem in `draft`, when it is impossible. */
  async copyTo(target: UsersTable, draft: Draft): Promise<TableCopy | undefined> {
    const to = `${identifier(target.schema)}.${identifier(target.table)}`;
    const [own, theirs] = await Promise.all([
      columnsOf(this.#database, this.#qualified),
      columnsOf(this.#database, to),
    ]);
    const type = own.get('id');
    if (type !== undefined && !['smallint', 'integer', 'bigint'].includes(type)) {
      draft.problems.push(`${this.name}: the column id is no number (${type}); use --tables adopt`);
      return undefined;
    }
    const needed = ['id', 'name', 'username', 'password', 'metadata'];
    const missing = theirs.size === 0 ? [] : needed.filter((name) => !theirs.has(name));
    if (missing.length > 0) {
      draft.problems.push(
        `${target.schema}.${target.table}: it is there, without ${missing.join(', ')}`,
      );
      return undefined;
    }
    const users = new Users(target, this.#database);
    return prepareCopy(this.#database, this.#sql(to, type !== undefined), {
      from: this.name,
      to: `${target.schema}.${target.table}`,
      exists: theirs.size > 0,
      create: () => users.make(),
    });
  }

  #sql(to: string, withId: boolean): CopySql {
    const row = `(to_jsonb(o.*) - ${literal(this.#table.password)})`;
    const id = withId ? `(${row} ->> 'id')::int AS id, ` : '';
    return {
      to,
      columns: [...(withId ? ['id'] : []), 'username', 'password', 'name', 'metadata'],
      key: ['username'],
      compared: ['password', 'name', 'metadata', ...(withId ? ['id'] : [])],
      label: 's.username',
      source: `SELECT ${id}o.${identifier(this.#table.username)}::text AS username,
o.${identifier(this.#table.password)}::text AS password, ${row} ->> 'name' AS name,
nullif(${row} -> 'metadata', 'null') AS metadata
FROM ${this.#qualified} o WHERE o.${identifier(this.#table.username)} IS NOT NULL`,
      numbered: withId ? 'id' : undefined,
    };
  }
}
