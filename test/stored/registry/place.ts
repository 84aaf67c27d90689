/** The table of scripts over a test's PostgreSQL. */
import type { Test } from 'tap';
import type { Database } from '#app/postgres/lanes/database.js';
import type { ScriptsTable } from '#app/messages/database-settings.js';
import { Records } from '#app/stored/registry/records.js';
import type { ScriptKey } from '#app/stored/scripts/scripts-table.js';
import { ScriptsDdl } from '#app/stored/scripts/ddl.js';
import { TestDatabase } from '../../support/database.js';
import { databaseSettings } from '../../support/http-process.js';
import type { Postgres } from '../../support/postgres.js';

/** USUAL is the table as it is called unless configured. */
export const USUAL: ScriptsTable = { schema: 'public', table: 'service_queries' };

/** A table of scripts, and how it is reached. */
export interface Place {
  readonly table: ScriptsTable;
  readonly database: Database;
  readonly ddl: ScriptsDdl;
  readonly records: Records;
}

/** placeOf is a table, as the settings name it; `more` is added to the connection string. */
export function placeOf(
  t: Pick<Test, 'teardown'>,
  server: Postgres,
  named: Partial<ScriptsTable> = {},
  more = '',
): Place {
  const conninfo = `${databaseSettings('scripts', server).conninfo} ${more}`;
  const { database } = new TestDatabase(t, server, { conninfo });
  const table = { ...USUAL, ...named };
  return {
    table,
    database,
    ddl: new ScriptsDdl(table, database),
    records: new Records(table, database),
  };
}

/** keyOf is a script of no database, or of one: `shop/list`, `main/shop/list`. */
export function keyOf(path: string): ScriptKey {
  const parts = path.split('/');
  const [database = '', location = '', name = ''] = parts.length === 2 ? ['', ...parts] : parts;
  return { database, location, name };
}

/** AS_PREST_MAKES_IT is a table and its index as pREST 2.4.2 makes them; `%` stands for its name. */
export const AS_PREST_MAKES_IT = `CREATE TABLE % (
  id bigserial PRIMARY KEY, database_alias text NOT NULL DEFAULT '', location text NOT NULL,
  name text NOT NULL, read_sql text, write_sql text, update_sql text, delete_sql text,
  description text, created_by text, created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(), UNIQUE (database_alias, location, name));
CREATE INDEX ON % (location);`;
