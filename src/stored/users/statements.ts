/**
 * The SQL of the users table. Names come from the configuration and are always quoted; values are always bound. An
 * existing table needs only the columns of user names and passwords. All others are read from the row as JSON, in which
 * an absent column is not an error, and from which the password is removed.
 */
import {
  ofType,
  operatorSql,
  typeOperators,
  type TypeOperators,
} from '../../postgres/statement/type-operators.js';
import { identifier, literal, qualifiedName } from '../../base/quote.js';
import type { UsersTable } from '../../messages/database-settings.js';

export interface UserStatements {
  /** TypeOperators of the user names' type as JSON; no row, or NULL, for PostgreSQL's own. */
  readonly operators: string;
  /** $1 user name: at most two rows of user name, password, id, name and metadata, the last three as JSON. */
  readonly find: (operators: TypeOperators | undefined) => string;
  /** $1 user name, $2 the old hash, $3 the new one. */
  readonly renew: (operators: TypeOperators | undefined) => string;
  /** The table's columns, one a row; no row when there is no table. */
  readonly columns: string;
  /** Creates the table if it does not exist, also while others create it; the second one is for servers without locks. */
  readonly make: readonly [string, string];
  /** One row if the table has any. */
  readonly any: string;
  readonly drop: string;
  /** Rows of id, user name and name, as JSON. */
  readonly list: string;
  /** $1 user name, $2 hash, then the optional columns that are given. Inserts nothing if the name exists. */
  readonly add: (given: { readonly name: boolean; readonly metadata: boolean }) => string;
  /** $1 user name, $2 hash. */
  readonly setPassword: (operators: TypeOperators | undefined) => string;
  /** $1 user name. */
  readonly remove: (operators: TypeOperators | undefined) => string;
}

export function statementsOf(users: UsersTable): UserStatements {
  const table = qualifiedName(users);
  const username = `u.${identifier(users.username)}`;
  const password = `u.${identifier(users.password)}`;
  const made = `CREATE TABLE IF NOT EXISTS ${table} (${columnsOf(users)})`;
  const row = `(to_jsonb(u.*) - ${literal(users.password)})`;
  const isUser = (operators: TypeOperators | undefined): string =>
    `${ofType(username, operators)} ${operatorSql('=', operators)} $1`;
  return {
    operators: `WITH RECURSIVE step(type) AS (SELECT a.atttypid FROM pg_attribute a
  WHERE a.attrelid = to_regclass(${literal(table)}) AND a.attname = ${literal(users.username)}
  UNION ALL SELECT d.typbasetype FROM step s JOIN pg_type d ON d.oid = s.type AND d.typtype = 'd')
SELECT ${typeOperators('t')} FROM step s JOIN pg_type t ON t.oid = s.type AND t.typtype <> 'd'`,
    find: (
      operators,
    ) => `SELECT ${username}::text, ${password}::text, ${row} -> 'id', ${row} -> 'name', ${metadataOf(users, row)}
FROM ${table} u WHERE ${isUser(operators)} LIMIT 2`,
    renew: (operators) => `UPDATE ${table} u SET ${identifier(users.password)} = $3
WHERE ${isUser(operators)} AND ${password}::text = $2::text`,
    columns: `SELECT attname FROM pg_attribute
WHERE attrelid = to_regclass(${literal(table)}) AND attnum > 0 AND NOT attisdropped`,
    // No check whether it exists: after the wait for the lock, a catalog lookup may still give a cached result.
    make: [
      `DO ${literal(`BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(${literal(`users table ${table}`)}, 0));
  ${made};
END`)}`,
      made,
    ],
    any: `SELECT 1 FROM ${table} LIMIT 1`,
    drop: `DROP TABLE ${table}`,
    list: `SELECT ${row} -> 'id', to_json(${username}::text), ${row} -> 'name' FROM ${table} u ORDER BY ${username}`,
    add: ({ name, metadata }) => {
      const columns = [identifier(users.username), identifier(users.password)];
      const values = ['$1::text', '$2::text'];
      if (name) values.push(`$${columns.push(identifier('name'))}::text`);
      if (metadata) values.push(`$${columns.push(identifier('metadata'))}::jsonb`);
      return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
WHERE NOT EXISTS (SELECT 1 FROM ${table} u WHERE ${username} = $1::text)`;
    },
    setPassword: (operators) =>
      `UPDATE ${table} u SET ${identifier(users.password)} = $2 WHERE ${isUser(operators)}`,
    remove: (operators) => `DELETE FROM ${table} u WHERE ${isUser(operators)}`,
  };
}

/** The columns of a new table. Those of user name and password replace another column of the same name. */
function columnsOf(users: UsersTable): string {
  const columns = new Map([
    ['id', 'serial PRIMARY KEY'],
    ['name', 'text'],
    ['metadata', 'jsonb'],
  ]);
  columns.set(users.username, 'text UNIQUE').set(users.password, 'text');
  const order = ['id', 'name', users.username, users.password, 'metadata'];
  return [...new Set(order)].map((name) => `${identifier(name)} ${columns.get(name)!}`).join(', ');
}

/** SQL for the metadata of a row: the configured columns that exist, or the column `metadata`. */
function metadataOf({ metadata }: UsersTable, row: string): string {
  if (metadata.length === 0) return `${row} -> 'metadata'`;
  const names = metadata.map((name) => literal(name)).join(', ');
  return `(SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(${row}) WHERE key IN (${names}))`;
}
