/** Tools over a test's PostgreSQL: read-only connections, and their catalog. */
import type { Test } from 'tap';
import type { Logger } from '#app/observe/log.js';
import { CatalogCache } from '#app/mcp/tables/catalog.js';
import type { McpCall } from '#app/mcp/arguments/call.js';
import { ReadOnly } from '#app/mcp/tables/read-only.js';
import { ToolList } from '#app/mcp/tools/tool-list.js';
import { ToolCalls } from '#app/mcp/tools/tool-calls.js';
import type { Arguments, ToolOutcome } from '#app/mcp/arguments/tool.js';
import type { McpSettings } from '#app/messages/worker-settings.js';
import { databaseSettings } from '../../support/http-process.js';
import { TestDatabase } from '../../support/database.js';
import { startPostgres, type Postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { callWith } from '../tested-call.js';
import { mcpSettings, OPEN } from '../tested-catalog.js';

export type Logged = Readonly<Record<string, unknown>>;

export interface ToolDatabaseOptions {
  readonly setup?: string;
  readonly settings?: Partial<McpSettings>;
  /** Milliseconds. */
  readonly statementTimeout?: number;
  /** Connections. */
  readonly connections?: number;
}

export class ToolDatabase {
  readonly postgres: Postgres;
  readonly database: TestDatabase;
  readonly calls: ToolCalls;
  readonly logged: Logged[] = [];

  constructor(t: Test, postgres: Postgres, options: ToolDatabaseOptions) {
    const { settings, statementTimeout = 20_000, connections = 1 } = options;
    this.postgres = postgres;
    const usual = databaseSettings('main', postgres);
    const sets = `-c default_transaction_read_only=on -c statement_timeout=${statementTimeout}`;
    const conninfo = `${usual.conninfo} application_name=tested options='${sets}'`;
    this.database = new TestDatabase(t, postgres, { conninfo, connections });
    const level = (name: string) => (fields: object, msg: string) =>
      this.logged.push({ level: name, ...fields, msg });
    const log = {
      info: level('info'),
      warn: level('warn'),
      error: level('error'),
    } as unknown as Logger;
    const readOnly = new ReadOnly(() => this.database.database);
    const all = mcpSettings([databaseSettings('main'), databaseSettings('other')], settings);
    const catalog = new CatalogCache(all, OPEN, [], readOnly, log);
    const list = new ToolList(all, catalog, undefined, log);
    this.calls = new ToolCalls(all, catalog, list, undefined, readOnly, log);
  }

  /** run runs a tool with a new call. */
  run(name: string, args: Arguments, call = callOf()): Promise<ToolOutcome> {
    return this.calls.run(call, name, args);
  }

  /** idle waits until no connection of the tools is busy. */
  async idle(): Promise<void> {
    await until(async () => (await this.postgres.sql(RUNNING)).length === 0);
  }

  /** select reads a table of the schema public and returns the result, or the error. */
  async select(table: string, args: Arguments = {}): Promise<Selected> {
    return read(await this.run('service.select_table', { schema: 'public', table, ...args }));
  }
}

const RUNNING = `
  SELECT state, backend_xid::text AS xid FROM pg_stat_activity
  WHERE application_name = 'tested' AND (state <> 'idle' OR backend_xid IS NOT NULL)`;

/** startToolDatabase starts a server with tools over it. */
export async function startToolDatabase(
  t: Test,
  options: ToolDatabaseOptions = {},
): Promise<ToolDatabase> {
  const { setup } = options;
  const postgres = await startPostgres(t, setup === undefined ? {} : { setup });
  return new ToolDatabase(t, postgres, options);
}

/** The result of a select, or its error. */
export interface Selected {
  readonly error?: string;
  readonly columns?: readonly string[];
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly count?: number;
  readonly truncated?: boolean;
  readonly next_offset?: number;
}

/** read parses an outcome. */
export function read(outcome: ToolOutcome): Selected {
  return 'error' in outcome ? outcome : (JSON.parse(outcome.json) as Selected);
}

/** callOf is a call of a caller. */
export function callOf(role = '', claims = ''): McpCall {
  return callWith({ role, claims }, claims !== '');
}
