/** The catalog of MCP clients over a test's PostgreSQL, and calls of several callers. */
import type { Test } from 'tap';
import type { Logger } from '#app/observe/log.js';
import type { McpCall } from '#app/mcp/arguments/call.js';
import { CatalogCache } from '#app/mcp/tables/catalog.js';
import { ReadOnly } from '#app/mcp/tables/read-only.js';
import type { NameForm } from '#app/mcp/arguments/tool-names.js';
import type { Table, VisibleTables } from '#app/mcp/tables/table.js';
import type { TableAccessSettings } from '#app/messages/access-settings.js';
import type { ScriptsTable } from '#app/messages/database-settings.js';
import type { McpSettings } from '#app/messages/worker-settings.js';
import { TestDatabase } from '../support/database.js';
import { databaseSettings } from '../support/http-process.js';
import type { Postgres } from '../support/postgres.js';
import { callWith } from './tested-call.js';

export const OPEN: TableAccessSettings = { restrict: false, tables: [], users: [], ignored: [] };

export const HIDDEN: readonly ScriptsTable[] = [
  { schema: 'public', table: 'service_users' },
  { schema: 'public', table: 'service_scripts' },
  { schema: 'public', table: 'service_scripts_history' },
];

/** mcpSettings are the settings of a service with these databases. */
export function mcpSettings(
  databases: McpSettings['databases'],
  settings: Partial<McpSettings> = {},
): McpSettings {
  return {
    databases,
    replicas: [],
    path: '/_mcp',
    expose: { databases: true, schemas: true, tables: true },
    usersTable: HIDDEN[0]!,
    scriptsTable: HIDDEN[1]!,
    toolNames: 'dotted',
    maxTools: 100,
    listBudget: 1 << 20,
    tables: ['*.*'],
    scripts: false,
    scriptAccess: undefined,
    maxResult: 4 << 20,
    ...settings,
  };
}

export interface Caller {
  readonly user?: string;
  readonly role?: string;
  readonly form?: NameForm;
}

/** callOf is a call of a caller. */
export function callOf({ user = '', role = '', form }: Caller = {}): McpCall {
  const claims = user === '' ? '' : JSON.stringify({ sub: user });
  return callWith({ message: '{}', user, role, claims }, false, form);
}

export interface TestedOptions {
  readonly access?: TableAccessSettings;
  readonly settings?: Partial<McpSettings>;
  /** Aliases, all of the same database. */
  readonly aliases?: readonly string[];
}

export class TestedCatalog {
  readonly catalog: CatalogCache;
  readonly settings: McpSettings;
  /** Messages in the log, and its lines with their fields. */
  readonly logged: string[] = [];
  readonly lines: { readonly level: string; readonly msg: string }[] = [];
  readonly log: Logger;
  readonly databases = new Map<string, TestDatabase>();

  constructor(
    t: Pick<Test, 'teardown'>,
    postgres: Postgres,
    { access = OPEN, settings = {}, aliases = ['main'] }: TestedOptions = {},
  ) {
    for (const alias of aliases)
      this.databases.set(alias, new TestDatabase(t, postgres, { alias, connections: 2 }));
    const line = (level: string) => (fields: object, msg: string) => {
      this.logged.push(msg);
      this.lines.push({ level, ...fields, msg });
    };
    const log = { info: line('info'), warn: line('warn'), error: line('error') };
    this.log = log as unknown as Logger;
    const databases = aliases.map((alias) => databaseSettings(alias, postgres));
    this.settings = mcpSettings(databases, settings);
    const readOnly = new ReadOnly((alias) => this.databases.get(alias)!.database);
    this.catalog = new CatalogCache(this.settings, access, HIDDEN, readOnly, this.log);
  }

  /** tables returns the tables that a caller sees. */
  async tables(caller?: Caller, alias = 'main'): Promise<VisibleTables> {
    return this.catalog.visible(alias, callOf(caller));
  }

  /** renewed returns the tables that a caller sees after a refresh. */
  renewed(caller?: Caller, alias = 'main'): Promise<VisibleTables> {
    return this.catalog.renewed(alias, callOf(caller));
  }

  /** find returns an existing table. */
  async find(schema: string, name: string): Promise<Table> {
    const table = (await this.tables()).find(schema, name);
    if (table === undefined) throw new Error(`no ${schema}.${name}`);
    return table;
  }
}

/** namesIn lists tables as `schema.table`. */
export function namesIn({ tables }: VisibleTables): string[] {
  return tables.map(({ schema, name }) => `${schema}.${name}`);
}
