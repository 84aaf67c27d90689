/**
 * The settings that processes and threads start with, each with no more than it needs. commands/config/settings.ts makes them from
 * the configuration. Times are milliseconds, sizes bytes.
 */

/**
 * Int32 for each server in WorkerSettings.connections: the connections allowed, the connections open, and how many of those
 * allowed are lent to the prover.
 */
export const CONNECTION_STRIDE = 3;

/** One database of one query worker. */
export interface DatabaseSettings {
  readonly alias: string;
  /** libpq connection string, password included: never logged. */
  readonly conninfo: string;
  /** Of a server that may be a replica: the same for connections whose transactions are READ ONLY. */
  readonly readOnlyConninfo?: string | undefined;
  /** Name of the database on its server. */
  readonly database: string;
  /** A host name or address, or the folder of a unix socket. */
  readonly host: string;
  readonly port: number;
  /** Most connections of this worker (its quota of `pg.maxopenconn`) at start; WorkerSettings.connections has later changes. */
  readonly connections: number;
  /** Most connections kept open while idle (its quota of `pg.maxidleconn`). */
  readonly idleConnections: number;
  /** Most statements in the fair queue: beyond it a script may only fill its part of the queue. */
  readonly waiting: number;
  /** How long connections beyond `idleConnections` stay open while idle. */
  readonly idleTime: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  /** Whether statements may be prepared by name (false behind poolers that cannot). */
  readonly prepared: boolean;
}

/** One replica of a database. Its alias names its connections only: that of the database, a NUL and a number. */
export interface ReplicaSettings extends DatabaseSettings {
  /** Alias of the database. */
  readonly of: string;
}

/** shownAlias names a server in metrics: `shop`, and its replicas `shop~1`, `shop~2`. */
export function shownAlias({ alias }: Pick<DatabaseSettings, 'alias'>): string {
  return alias.replace('\0', '~');
}

/** How replicas are used. */
export interface ReplicationSettings {
  /** How far a replica may be behind: bytes of WAL, or a time. */
  readonly maxLag: { readonly bytes?: number | undefined; readonly time?: number | undefined };
  /** How long a request waits for a replica that has replayed the position that it brings. */
  readonly lsnWait: number;
  /** How long a statement waits for a primary. */
  readonly failoverWait: number;
  /** Undefined when positions are not set as cookies too. */
  readonly cookies: PositionCookies | undefined;
}

/** Attributes of the cookies with positions. */
export interface PositionCookies {
  readonly path: string;
  /** Whether browsers send them over HTTPS only. */
  readonly secure: boolean;
}

/** allServers lists the databases and their replicas, in the order of WorkerSettings.connections. */
export function allServers({
  databases,
  replicas,
}: Pick<WorkerSettings, 'databases' | 'replicas'>): readonly DatabaseSettings[] {
  return [...databases, ...replicas];
}

/** A table in `[access]`, and what it permits. */
export interface TableEntry {
  /** As in the configuration: `table` or `schema.table`. */
  readonly name: string;
  /** Any of read, write, delete. */
  readonly permissions: readonly string[];
  /** The columns permitted; undefined, or with `*` among them, all columns. */
  readonly fields: readonly string[] | undefined;
}

/** The permissions on tables (`[access]`). */
export interface TableAccessSettings {
  /** Whether unlisted tables are denied; otherwise everything is permitted. */
  readonly restrict: boolean;
  /** For all callers. */
  readonly tables: readonly TableEntry[];
  /** A user's own entries override those for all callers. */
  readonly users: readonly { readonly name: string; readonly tables: readonly TableEntry[] }[];
  /** Tables to which `restrict` does not apply. */
  readonly ignored: readonly string[];
}

/** The users table and the names of its columns. */
export interface UsersTable {
  readonly schema: string;
  readonly table: string;
  readonly username: string;
  readonly password: string;
  /** Columns that make up a user's metadata; when empty, the column `metadata` if it exists. */
  readonly metadata: readonly string[];
}

/** The name of a table, such as that of stored scripts. */
export interface ScriptsTable {
  readonly schema: string;
  readonly table: string;
}

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
  /** Whether the paths of the folder `registry` are those of the registry of scripts. */
  readonly registry: boolean;
}

/** How metrics are served. */
export interface MetricsSettings {
  /** Where the supervisor serves them; undefined: nowhere. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  /** What a scrape needs; undefined: nothing. Never logged. */
  readonly token: string | undefined;
}

/** Which requests are traced. */
export interface TraceSettings {
  /** Part of the requests whose spans are kept, from 0 to 1. */
  readonly ratio: number;
  /** Most requests a second whose spans are kept because their caller asks for it; 0: callers decide nothing. */
  readonly callers: number;
  /** Duration from which the spans of a request are kept in any case; 0: of none. */
  readonly slow: number;
  /** Whether `application_name` of statements has the trace id. */
  readonly applicationName: boolean;
}

/** How a query worker traces. */
export interface WorkerTraceSettings extends Pick<TraceSettings, 'slow' | 'applicationName'> {
  /** A random text of the HTTP process, from which the ids of traces are derived. */
  readonly seed: string;
}

/** Where the supervisor sends spans. */
export interface TraceExportSettings {
  readonly url: string;
  /** Never logged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name of the service. */
  readonly service: string;
}

/** Where a thread counts for metrics, see observe/metrics/thread.ts. */
export interface MetricsPlace {
  /** Descriptor of the memory that its process shares with the supervisor. */
  readonly memory: number;
  /** Number of its block there. */
  readonly block: number;
  /** Index of its HTTP process. */
  readonly process: number;
  /** Its name in that process. */
  readonly thread: string;
}

/** The settings of a query worker. */
export interface WorkerSettings {
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
  /** Most bytes of results in memory: those of this worker, and its share of what the HTTP process is sending. */
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
  /** Whether responses have Server-Timing. */
  readonly serverTiming: boolean;
  /** Time in the database from which a statement is logged as slow; 0: none is. */
  readonly slow: number;
  /** Two Int32: the length of the current series of deaths of this pool's workers, and the last one (s since epoch). */
  readonly deaths: SharedArrayBuffer;
  /** One Int32: this worker's share of the responses that the HTTP process has yet to send, KiB. */
  readonly sending: SharedArrayBuffer;
  /** The ring of its responses, see native/response-ring.ts. */
  readonly responses: SharedArrayBuffer;
  /** CONNECTION_STRIDE Int32 for each of allServers. */
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

export interface LogSettings {
  /** pino's level names, or `silent`. */
  readonly level: string;
  /** Readable lines instead of JSON. */
  readonly pretty: boolean;
}

/** Scripts in `[queries]`, and what is permitted: a member that is undefined or `*` matches any. */
export interface ScriptEntry {
  readonly database: string | undefined;
  readonly location: string | undefined;
  readonly name: string | undefined;
  /** Any of read, write, delete. */
  readonly permissions: readonly string[];
}

/** The permissions on scripts (`queries.restrict`). */
export interface ScriptAccessSettings {
  /** For all callers. */
  readonly scripts: readonly ScriptEntry[];
  /** A user's own matching entries override those for all callers. */
  readonly users: readonly { readonly name: string; readonly scripts: readonly ScriptEntry[] }[];
}

/** How tokens are verified. */
export interface TokenSettings {
  /** The only accepted algorithm, by its name in tokens. */
  readonly algorithm: string;
  /** A secret or a PEM: never logged. */
  readonly key: string | undefined;
  /** A key set: JSON, an absolute path or a URL. */
  readonly jwks: string | undefined;
  /** URL of an OpenID configuration, which names a key set. */
  readonly wellKnown: string | undefined;
  /** The key set that was loaded last from the same URL. Set by the supervisor; never logged. */
  readonly lastKeys: string | undefined;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly requireExpiry: boolean;
}

/** How `POST /auth` reads and checks passwords. */
export interface LoginSettings {
  readonly type: 'body' | 'basic';
  /** How passwords are stored. */
  readonly encrypt: 'bcrypt' | 'md5' | 'sha1';
}

/** Most failed logins in any `window`, for one user and for one address. */
export interface LoginLimits {
  readonly perUser: number;
  readonly perAddress: number;
  readonly window: number;
}

/** The database roles that statements run under. */
export interface RoleSettings {
  /** The claim with the name of the role; dots lead into objects. */
  readonly claim: string;
  /** The roles that a claim may name. */
  readonly allowed: readonly string[];
  /** The role of callers without the claim; undefined when they are refused. */
  readonly anonymous: string | undefined;
}

/** The registry of stored scripts. */
export interface RegistrySettings {
  /** The users who may use it. */
  readonly admins: readonly string[];
}

/** Authentication and authorization of callers. */
export interface AuthSettings {
  readonly tokens: TokenSettings;
  /** Regular expressions for the paths that need no token. */
  readonly whitelist: readonly string[];
  /** Whether a path in it refuses an invalid token, which otherwise counts as none there. */
  readonly refusesInvalid: boolean;
  /** Undefined when `/auth` is disabled. */
  readonly login: LoginSettings | undefined;
  /** Undefined when every caller may run every script. */
  readonly scripts: ScriptAccessSettings | undefined;
  /** Undefined when statements run as the user of the connection. */
  readonly role: RoleSettings | undefined;
}

/** The listings that are enabled. */
export interface ExposeSettings {
  readonly databases: boolean;
  readonly schemas: boolean;
  readonly tables: boolean;
}

/** Cross-origin requests of browsers. */
export interface CorsSettings {
  /** Origins, or `*`. */
  readonly origins: readonly string[];
  readonly headers: readonly string[];
  readonly methods: readonly string[];
  readonly credentials: boolean;
}

/** A certificate chain and its key (PEM). The key is never logged. */
export interface TlsSettings {
  readonly cert: string;
  readonly key: string;
}

/** The settings of the prover thread. */
export interface ProverSettings {
  readonly mode: 'warn' | 'require';
  /** The databases of WorkerSettings, in the same order; one connection each. */
  readonly databases: readonly DatabaseSettings[];
  /** Alias of the database for paths without one. */
  readonly defaultAlias: string;
  /** Directory of the script folders, absolute. */
  readonly scripts: string;
  /** The table of stored scripts, in the default database; undefined when scripts are files. */
  readonly scriptsTable: ScriptsTable | undefined;
  readonly aggregate: 'json_agg' | 'jsonb_agg';
  /** Largest result of one statement. */
  readonly maxResult: number;
  /** The database roles that scripts may run under; undefined when they run as the user of the connection. */
  readonly role: RoleSettings | undefined;
  /** Whether changes are looked for at short intervals, and findings show the lines of scripts. */
  readonly development: boolean;
  readonly log: LogSettings;
  /** WorkerSettings.connections of the worker that lends. */
  readonly connections: SharedArrayBuffer;
  /** One Int32, which changes whenever requests go to the query workers. */
  readonly activity: SharedArrayBuffer;
  /** Undefined where nothing is counted. */
  readonly metrics: MetricsPlace | undefined;
}

/** How plugins are run. */
export interface PluginSettings {
  /** Folder of the libraries, absolute. */
  readonly path: string;
  /** In a process of their own, or in threads of the HTTP process. */
  readonly isolation: 'process' | 'thread';
  /** Most calls that run at the same time. */
  readonly threads: number;
  /** Time limit of one call. */
  readonly timeout: number;
  /** Largest body of a response. */
  readonly maxResponse: number;
  /** A plugin host with more resident memory is replaced. */
  readonly maxMemory: number;
  /** Names of the environment variables that a plugin host gets besides a fixed list. */
  readonly environment: readonly string[];
}

/** The settings of an HTTP process. It adds the memory that its workers share with it. */
export interface HttpSettings {
  /** 0 for the first HTTP process. */
  readonly index: number;
  readonly host: string;
  readonly port: number;
  /** Prefix of all paths: empty, or `/` and segments without a trailing slash. */
  readonly context: string;
  /** Time limit of a request. */
  readonly timeout: number;
  /** How long requests in flight may still take after SIGTERM. */
  readonly grace: number;
  /** Most requests in flight; further ones get 503. */
  readonly queue: number;
  /** Largest request body; a larger one gets 413. */
  readonly maxBody: number;
  readonly threads: number;
  readonly accessLog: boolean;
  /** Whether only requests to names of this machine are served, and plugins are loaded again when they are rebuilt. */
  readonly development: boolean;
  /** Undefined when no path needs a token. */
  readonly auth: AuthSettings | undefined;
  readonly expose: ExposeSettings;
  /** Undefined when the registry of scripts is disabled. */
  readonly registry: RegistrySettings | undefined;
  readonly plugins: PluginSettings;
  /** Origins of web pages that may use `/_mcp`, besides local ones. */
  readonly mcpOrigins: readonly string[];
  /** The page `/_docs`, and whether `/` has it too; undefined when it is disabled. */
  readonly page: { readonly atRoot: boolean } | undefined;
  /** Undefined when there are no CORS headers. */
  readonly cors: CorsSettings | undefined;
  /** The token of `/metrics`; undefined when this process does not serve it. Never logged. */
  readonly metricsToken: string | undefined;
  /** Undefined when nothing is traced. */
  readonly trace: TraceSettings | undefined;
  /** Undefined for plain HTTP. Set by the supervisor, so that all HTTP processes have the same, whatever is on disk. */
  readonly tls: TlsSettings | undefined;
  /** Whether this process creates the users table once the database answers. */
  readonly migrateUsers: boolean;
  /** Proxies whose X-Forwarded-For is trusted: addresses, or networks such as 10.0.0.0/8. */
  readonly trustedProxies: readonly string[];
  /** Aliases of the databases that `/_ready` requires. */
  readonly ready: readonly string[];
  /** Whether `/_ready` requires that every script has been proved once. */
  readonly readyProof: boolean;
  /** Undefined when this process does not prove the scripts. */
  readonly prover: Omit<ProverSettings, 'connections' | 'activity' | 'metrics'> | undefined;
  readonly worker: Omit<
    WorkerSettings,
    | 'deaths'
    | 'sending'
    | 'connections'
    | 'responses'
    | 'metrics'
    | 'shared'
    | 'serverStates'
    | 'trace'
  >;
}
