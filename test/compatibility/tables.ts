/** What tables of the database `postgres` look like, in a line. */
import type { Postgres } from '../support/postgres.js';

/** columnsOf is the columns of a table with their types, in their order. */
export async function columnsOf(postgres: Postgres, table: string): Promise<string> {
  const columns = await postgres.sql<{ column: string }>(
    `SELECT format('%s %s%s', column_name, data_type,
       CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END) AS column
     FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position`,
    [table],
  );
  return columns.map(({ column }) => column).join(', ');
}

/** tablesOf is the names of all tables. */
export async function tablesOf(postgres: Postgres): Promise<string> {
  const tables = await postgres.sql<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  );
  return tables.map(({ name }) => name).join(', ') || 'none';
}
