/** Tools over a test's PostgreSQL: connections that can only read, and tables as its catalog has them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Logger } from '#app/log.js';
import { Call } from '#app/mcp/call.js';
import { ReadOnly } from '#app/mcp/read-only.js';
import type { Catalog, Column, ColumnKind, Table, VisibleTables } from '#app/mcp/table.js';
import { ToolCalls } from '#app/mcp/tool-calls.js';
import type { Arguments, ToolOutcome } from '#app/mcp/tool.js';
import type { McpSettings } from '#app/protocol.js';
import { databaseSettings } from '../support/front-end.js';
import { TestDatabase } from '../support/database.js';
import { startPostgres, type Postgres } from '../support/postgres.js';

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
  readonly catalog: HeldCatalog;
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
    const log = { warn: level('warn'), error: level('error') } as unknown as Logger;
    this.catalog = new HeldCatalog(postgres);
    const readOnly = new ReadOnly(() => this.database.database);
    const all = { ...toolSettings(), ...settings };
    const list = {
      tableOf: async (_: Call, name: string): Promise<Table | undefined> =>
        (await this.catalog.visible()).tables.find(
          (one) => name === `service.select.main.${one.schema}.${one.name}`,
        ),
    };
    this.calls = new ToolCalls(all, {
      catalog: this.catalog,
      list,
      readOnly,
      scripts: undefined,
      log,
    });
  }

  /** run runs a tool for a call of its own. */
  run(name: string, args: Arguments, call = callOf()): Promise<ToolOutcome> {
    return this.calls.run(call, name, args);
  }

  /** running lists what the connections of the tools are doing: once it is nothing, or after two seconds. */
  async running(): Promise<readonly object[]> {
    for (let i = 0; ; i++) {
      const rows = await this.postgres.sql(RUNNING);
      if (rows.length === 0 || i === 40) return rows;
      await sleep(50);
    }
  }

  /** select reads a table of the schema public; gives the answer, or the error. */
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

/** An answer to a select, or what was wrong. */
export interface Selected {
  readonly error?: string;
  readonly columns?: readonly string[];
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly count?: number;
  readonly truncated?: boolean;
  readonly next_offset?: number;
}

/** read reads an outcome. */
export function read(outcome: ToolOutcome): Selected {
  return 'error' in outcome ? outcome : (JSON.parse(outcome.json) as Selected);
}

/** callOf is a message of a caller. */
export function callOf(role = '', claims = ''): Call {
  const request = {
    id: 1,
    method: 'POST',
    alias: 'main',
    folder: '',
    name: 'mcp',
    query: '',
    headers: '',
    requestId: 'r1',
    role,
    claims,
  };
  return new Call(request, claims !== '');
}

/** toolSettings is what the tools are configured with. */
export function toolSettings(): McpSettings {
  return {
    databases: [databaseSettings('main')],
    path: '/_mcp',
    expose: { databases: true, schemas: true, tables: true },
    usersTable: { schema: 'public', table: 'users' },
    scriptsTable: { schema: 'public', table: 'scripts' },
    toolNames: 'dotted',
    maxTools: 100,
    tables: ['*.*'],
    scripts: false,
    scriptAccess: undefined,
    maxResult: 4 << 20,
  };
}

const COLUMNS = `
  SELECT n.nspname AS schema, c.relname AS table, c.relkind::text AS relkind, a.attname AS name, a.attnum AS position,
    pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, b.typcategory::text AS category, b.typname AS base,
    NOT a.attnotnull AS nullable, pg_catalog.col_description(c.oid, a.attnum) AS comment
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type d ON d.oid = a.atttypid
    JOIN pg_catalog.pg_type b ON b.oid = CASE WHEN d.typtype = 'd' THEN d.typbasetype ELSE d.oid END
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^(pg_|information_schema)'
  ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C", a.attnum`;

interface ColumnRow {
  readonly schema: string;
  readonly table: string;
  readonly relkind: string;
  readonly name: string;
  readonly position: number;
  readonly type: string;
  readonly category: string;
  readonly base: string;
  readonly nullable: boolean;
  readonly comment: string | null;
}

const TYPES: Readonly<Record<string, Table['type']>> = {
  r: 'table',
  p: 'partitioned_table',
  v: 'view',
  m: 'materialized_view',
  f: 'foreign_table',
};

/** A catalog that is read when it is to be renewed, and never before. */
export class HeldCatalog implements Catalog {
  readonly databases = [
    { alias: 'main', database: 'postgres' },
    { alias: 'other', database: 'elsewhere' },
  ];
  readonly #postgres: Postgres;
  #held: VisibleTables | undefined;
  #loading: Promise<VisibleTables> | undefined;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  visible(): VisibleTables | Promise<VisibleTables> {
    return this.#held ?? this.#load();
  }

  renewed(): Promise<VisibleTables> {
    return this.#load();
  }

  #load(): Promise<VisibleTables> {
    return (this.#loading ??= this.#read().finally(() => (this.#loading = undefined)));
  }

  async #read(): Promise<VisibleTables> {
    const byTable = new Map<string, ColumnRow[]>();
    for (const row of await this.#postgres.sql<ColumnRow>(COLUMNS)) {
      const key = JSON.stringify([row.schema, row.table]);
      byTable.set(key, [...(byTable.get(key) ?? []), row]);
    }
    const tables = new Map([...byTable].map(([key, rows]) => [key, tableOf(rows)]));
    this.#held = {
      tables: [...tables.values()],
      find: (schema, name) => tables.get(JSON.stringify([schema, name])),
    };
    return this.#held;
  }
}

function tableOf(rows: readonly ColumnRow[]): Table {
  const { schema, table, relkind } = rows[0]!;
  const columns = rows.map(columnOf);
  return {
    alias: 'main',
    schema,
    name: table,
    type: TYPES[relkind]!,
    owner: 'postgres',
    description: undefined,
    columns,
    byName: new Map(columns.map((column) => [column.name, column])),
  };
}

function columnOf(row: ColumnRow): Column {
  const { name, type, position, nullable, category, base, comment } = row;
  return {
    name,
    type,
    kind: kindOf(category, base),
    labels: undefined,
    position,
    nullable,
    maxLength: undefined,
    generated: false,
    updatable: true,
    defaultValue: undefined,
    description: comment ?? undefined,
  };
}

function kindOf(category: string, base: string): ColumnKind {
  if (category === 'A') return 'array';
  if (/^int[248]$/.test(base)) return 'integer';
  return category === 'N' ? 'number' : 'string';
}
