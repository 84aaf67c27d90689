/** The settings of a query worker. Times are milliseconds, sizes bytes. */
import type {
  AuthSettings,
  ExposeSettings,
  RoleSettings,
  ScriptAccessSettings,
  TableAccessSettings,
} from './access-settings.js';
import type {
  DatabaseSettings,
  ReplicaSettings,
  ReplicationSettings,
  ScriptsTable,
  UsersTable,
} from './database-settings.js';
import type { LogSettings, MetricsPlace, WorkerTraceSettings } from './thread-settings.js';

/** What MCP clients may read through `/_mcp`. */
export interface McpSettings {
  /**
   * The databases of WorkerSettings, in the same order, with read-only connections: `connections` is how many of the
   * worker's own they may borrow. The first is the default database.
   */
  readonly databases: readonly DatabaseSettings[];
  /** Those of WorkerSettings, in the same order, with read-only connections as above. */
  readonly replicas: readonly DatabaseSettings[];
  /** Path of the endpoint for clients, with the context. */
  readonly path: string;
  readonly expose: ExposeSettings;
  /** The tables of users and of stored scripts, which are never shown, in any database. */
  readonly usersTable: ScriptsTable;
  readonly scriptsTable: ScriptsTable;
  /** Whether the names of tools have dots, or only characters that every client accepts. */
  readonly toolNames: 'dotted' | 'plain';
  /** Most tools of scripts and tables in a list. */
  readonly maxTools: number;
  /** Most characters of a list of tools. */
  readonly listBudget: number;
  /** The tables that have tools of their own: `schema.table`, or `alias.schema.table`, with `*` for any characters. */
  readonly tables: readonly string[];
  /** Whether scripts with a text for reads are tools. */
  readonly scripts: boolean;
  /** The permissions on these scripts; undefined when every caller may run all. */
  readonly scriptAccess: ScriptAccessSettings | undefined;
  /** Largest result of one call. */
  readonly maxResult: number;
}

/** What OpenAPI documents depend on, besides scripts and their proofs. */
export interface DocumentSettings {
  /** Undefined when no path needs a token. */
  readonly auth: Pick<AuthSettings, 'whitelist' | 'scripts'> | undefined;
  /** Whether the registry of scripts has the paths of the folder `registry`. */
  readonly registry: boolean;
}

export interface ConfiguredWorker {
  /** HttpSettings.timeout. */
  readonly timeout: number;
  readonly databases: readonly DatabaseSettings[];
  readonly replicas: readonly ReplicaSettings[];
  readonly replication: ReplicationSettings;
  /** Alias of the database for paths without one. */
  readonly defaultAlias: string;
  /** Directory of the script folders, absolute. */
  readonly scripts: string;
  /** The table of stored scripts, in the default database; undefined when scripts are files. */
  readonly scriptsTable: ScriptsTable | undefined;
  readonly aggregate: 'json_agg' | 'jsonb_agg';
  /** Largest result of one statement. */
  readonly maxResult: number;
  /** Whether only the texts are served that the prover has found good. */
  readonly provedOnly: boolean;
  /** How long the registry may take for the proof of one record, ms. */
  readonly proofBudget: number;
  /** The roles that scripts run under; undefined when they run as the user of the connection. */
  readonly role: RoleSettings | undefined;
  /** Most bytes of results in memory: of this worker, with its share of what the HTTP process is sending. */
  readonly resultBudget: number;
  /** Most requests in flight in the HTTP process. */
  readonly queue: number;
  /** Whether errors include the message of the database. */
  readonly debug: boolean;
  /** Whether errors show the lines of scripts, in responses and in the log: in development mode only. */
  readonly development: boolean;
  /** Whether messages that scripts raise (P0001, PTnnn) reach the caller. */
  readonly raised: boolean;
  /** Whether errors of PostgreSQL say what failed, with names of the schema. */
  readonly details: boolean;
  readonly access: TableAccessSettings;
  /** Undefined when logins are disabled. */
  readonly users: UsersTable | undefined;
  /** Whether templates can bind the caller's claims (`sqlVal "claims.<name>"`). */
  readonly claims: boolean;
  /** Whether statements find the caller's claims in the setting `request.jwt.claims`. */
  readonly claimSettings: boolean;
  /** Undefined when `/_mcp` is disabled. */
  readonly mcp: McpSettings | undefined;
  /** Undefined when there are no OpenAPI documents. */
  readonly openapi: DocumentSettings | undefined;
  readonly log: LogSettings;
  readonly serverTiming: boolean;
  /** Time in the database from which a statement is logged as slow; 0: none is. */
  readonly slow: number;
}

/** All settings of a query worker, with what its HTTP process adds: memory that it shares with it. */
export interface WorkerSettings extends ConfiguredWorker {
  /** See worker-deaths.ts. */
  readonly deaths: SharedArrayBuffer;
  /** One Int32: this worker's share of the responses that the HTTP process has yet to send, KiB. */
  readonly sending: SharedArrayBuffer;
  /** The ring of its responses, see native/response-ring.ts. */
  readonly responses: SharedArrayBuffer;
  /** See ServerConnections, for each of allServers. */
  readonly connections: SharedArrayBuffer;
  /** One Int32 for each of allServers: the state that was logged last, of all workers of the HTTP process. */
  readonly serverStates: SharedArrayBuffer;
  /** Undefined where nothing is counted. */
  readonly metrics: MetricsPlace | undefined;
  /** Descriptor of the memory that all query workers of the service share; undefined where the kernel has none. */
  readonly shared: number | undefined;
  /** Undefined where nothing is traced. */
  readonly trace: WorkerTraceSettings | undefined;
}

/** Sizes of the parts of that memory: of worker/timing/plan-times.ts, and of postgres/servers/known-primaries.ts. */
export const PLAN_TIMES_BYTES = 64 << 10;
export const PRIMARIES_BYTES = 64 << 10;
