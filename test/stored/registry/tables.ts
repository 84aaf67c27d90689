/** The table of scripts for tests, and requests for its scripts. */
import type { Test } from 'tap';
import { ServiceError } from '#app/base/errors.js';
import type { Logger } from '#app/observe/log.js';
import { ResultBudget } from '#app/postgres/connection/result-budget.js';
import type { ScriptsTable } from '#app/messages/database-settings.js';
import { StoredScripts } from '#app/stored/scripts/stored-scripts.js';
import { TestDatabase } from '../../support/database.js';
import type { Postgres } from '../../support/postgres.js';
import type { Logged } from '../../support/query-runner.js';
import { until } from '../../support/until.js';

export const TABLE: ScriptsTable = { schema: 'public', table: 'service_queries' };

/** The table without any trigger. */
export const CREATE = `CREATE TABLE public.service_queries (
  id serial PRIMARY KEY, database_alias text NOT NULL DEFAULT '', location text NOT NULL, name text NOT NULL,
  read_sql text, write_sql text, update_sql text, delete_sql text, description text, created_by text,
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (database_alias, location, name))`;

/** A trigger that notifies of every change. */
export const TELL = `CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN PERFORM pg_notify('service_scripts', '"public"."service_queries"'); RETURN NULL; END $$;
  CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON public.service_queries FOR EACH ROW EXECUTE FUNCTION tell()`;

/** insert is a record: `[database:]location/name`, with its text for GET and others by column. */
export function insert(
  script: string,
  read: string | null,
  more: Readonly<Record<string, string>> = {},
): string {
  const [, database = '', location = '', name = ''] = /^(?:(.*):)?(.*)\/(.*)$/s.exec(script) ?? [];
  const record = { database_alias: database, location, name, read_sql: read, ...more };
  const values = Object.values(record).map((value) =>
    value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`,
  );
  return `INSERT INTO public.service_queries (${Object.keys(record).join(', ')}) VALUES (${values.join(', ')});`;
}

/** TestScripts is the scripts of a worker over a test's PostgreSQL, with what it logs. */
export class TestScripts {
  readonly scripts: StoredScripts;
  readonly logged: Logged[] = [];

  constructor(
    t: Pick<Test, 'teardown'>,
    server: Pick<Postgres, 'host' | 'port' | 'password'>,
    { maxResult = 32 << 20, table = TABLE } = {},
  ) {
    const level = (name: string) => (first: object | string, msg?: string) =>
      typeof first === 'string'
        ? this.logged.push({ level: name, msg: first })
        : this.logged.push({ level: name, ...first, msg: msg! });
    const log = { info: level('info'), warn: level('warn'), error: level('error') };
    const { database } = new TestDatabase(
      t,
      server,
      { connections: 2 },
      new ResultBudget(maxResult, 256 << 20),
    );
    this.scripts = new StoredScripts(table, database, maxResult, log as unknown as Logger);
    t.teardown(() => this.scripts.close());
  }

  /** ask is what a request finds: the text for its method, or the code and message of the refusal. */
  async ask(script: string, method = 'GET', alias = 'main'): Promise<string> {
    const [folder, name] = script.split('/') as [string, string];
    try {
      const found = await this.scripts.find(alias, folder, name);
      if (method === 'OPTIONS') return found.allow;
      return found.select(method).template.render({}).text;
    } catch (error) {
      if (error instanceof ServiceError) return `${error.code} ${error.allow ?? ''}`.trim();
      throw error;
    }
  }

  /** live waits until a script is answered like that. */
  async live(script: string, wanted: string): Promise<void> {
    await until(async () => (await this.ask(script)) === wanted, 5);
  }
}
