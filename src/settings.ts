/**
 * What processes and threads are started with, each told no more than it needs. Made from the configuration by
 * config/settings.ts; types alone. A leaf: imports nothing.
 */

/** How one database is reached by one query worker. Times are milliseconds, sizes bytes. */
export interface DatabaseSettings {
  readonly alias: string;
  /** libpq connection string, password included: never logged. */
  readonly conninfo: string;
  /** Name of the database on its server. */
  readonly database: string;
  /** Where the server listens: a host name or address, or the path of the folder of a unix socket. */
  readonly host: string;
  readonly port: number;
  /** Most connections this worker may hold to it (its share of `pg.maxopenconn`), unless it is told otherwise. */
  readonly connections: number;
  /** Most connections kept open while idle (its share of `pg.maxidleconn`). */
  readonly idleConnections: number;
  /** Most statements that may wait for a connection to themselves: slow ones leave half of the queue to the others. */
  readonly waiting: number;
  /** How long a connection beyond those may be idle. */
  readonly idleTime: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  /** Whether statements may be prepared by name (false behind poolers that cannot). */
  readonly prepared: boolean;
}

/** What an entry of the configuration lets somebody do with a table. */
export interface TableEntry {
  /** As written: `table` or `schema.table`. */
  readonly name: string;
  /** Of read, write, delete. */
  readonly permissions: readonly string[];
  /** Columns; undefined or `*` among them is all. */
  readonly fields: readonly string[] | undefined;
}

/** Who may do what with tables (`[access]`). */
export interface TableAccessSettings {
  /** Whether what is not listed is denied; otherwise everything is permitted. */
  readonly restrict: boolean;
  /** For everybody. */
  readonly tables: readonly TableEntry[];
  /** A user's own entries decide over those for everybody. */
  readonly users: readonly { readonly name: string; readonly tables: readonly TableEntry[] }[];
  /** Tables to which `restrict` does not apply. */
  readonly ignored: readonly string[];
}

/** The table of users and what its columns are called. */
export interface UsersTable {
  readonly schema: string;
  readonly table: string;
  readonly username: string;
  readonly password: string;
  /** Columns collected into a user's metadata; none: the column `metadata`, where there is one. */
  readonly metadata: readonly string[];
}

/** The name of a table: that of stored scripts, or another one. */
export interface ScriptsTable {
  readonly schema: string;
  readonly table: string;
}

/** What AI clients may read through `/_mcp`, as a query worker needs it. */
export interface McpSettings {
  /**
   * Those of WorkerSettings.databases, in the same order, with connections that can only read: `connections` is how many
   * of the worker's own they may take. The first is the default one.
   */
  readonly databases: readonly DatabaseSettings[];
  /** Path of the endpoint, as clients see it. */
  readonly path: string;
  readonly expose: ExposeSettings;
  /** The tables of users and of stored scripts, as they are called: nobody is ever shown them, in any database. */
  readonly usersTable: ScriptsTable;
  readonly scriptsTable: ScriptsTable;
  /** Whether the names of tools have dots, or only what every client takes. */
  readonly toolNames: 'dotted' | 'plain';
  /** Most tools of scripts and tables that a caller is offered. */
  readonly maxTools: number;
  /** Which tables have tools of their own: `schema.table`, or `alias.schema.table`, with `*` for any characters. */
  readonly tables: readonly string[];
  /** Whether scripts that read are tools. */
  readonly scripts: boolean;
  /** Who may run which of them; undefined: everybody all. */
  readonly scriptAccess: ScriptAccessSettings | undefined;
  /** Largest result of one call, bytes. */
  readonly maxResult: number;
}

/** What a query worker is started with. */
export interface WorkerSettings {
  readonly databases: readonly DatabaseSettings[];
  /** Alias of the database used when the path names none. */
  readonly defaultAlias: string;
  /** Directory of the script folders, absolute. */
  readonly scripts: string;
  /** Where scripts are stored, in the default database; undefined: they are the files of that directory. */
  readonly scriptsTable: ScriptsTable | undefined;
  readonly aggregate: 'json_agg' | 'jsonb_agg';
  /** Largest result of one statement. */
  readonly maxResult: number;
  /** Most bytes of results at one time: what this worker holds, and its share of what the front end is sending. */
  readonly resultBudget: number;
  /** A request's whole time. */
  readonly timeout: number;
  /** Most requests in flight in the front end. */
  readonly queue: number;
  /** Whether the database's own words are added to error answers. */
  readonly debug: boolean;
  /** Whether messages raised by scripts (P0001, PTnnn) reach the caller. */
  readonly raised: boolean;
  readonly access: TableAccessSettings;
  /** Undefined when nobody can log in. */
  readonly users: UsersTable | undefined;
  /** Whether templates may bind the caller's claims (`sqlVal "claims.<name>"`). */
  readonly claims: boolean;
  /** Whether statements run with the caller's claims in the setting `request.jwt.claims`. */
  readonly claimSettings: boolean;
  /** Undefined: `/_mcp` is not offered. */
  readonly mcp: McpSettings | undefined;
  readonly log: LogSettings;
  /** Two Int32: how many workers of this pool died one shortly after the other, and when the last did (s since epoch). */
  readonly deaths: SharedArrayBuffer;
  /** One Int32: KiB of answers that the front end has not sent yet, this worker's share of them. */
  readonly sending: SharedArrayBuffer;
  /** CONNECTION_STRIDE Int32 for each database: how many connections this worker may hold now, and how many it holds. */
  readonly connections: SharedArrayBuffer;
}

export interface LogSettings {
  /** pino's level names, or `silent`. */
  readonly level: string;
  /** Readable lines instead of JSON. */
  readonly pretty: boolean;
}

/** An entry that lets somebody run scripts: a member that is undefined or `*` matches any. */
export interface ScriptEntry {
  readonly database: string | undefined;
  readonly location: string | undefined;
  readonly name: string | undefined;
  /** Of read, write, delete. */
  readonly permissions: readonly string[];
}

/** Who may run which scripts (`queries.restrict`). */
export interface ScriptAccessSettings {
  /** For everybody. */
  readonly scripts: readonly ScriptEntry[];
  /** A user's own matching entries decide over those for everybody. */
  readonly users: readonly { readonly name: string; readonly scripts: readonly ScriptEntry[] }[];
}

/** How tokens are checked. */
export interface TokenSettings {
  /** The only algorithm that is accepted, as tokens name it. */
  readonly algorithm: string;
  /** A secret or a PEM: never logged. */
  readonly key: string | undefined;
  /** A key set: JSON, an absolute path or a URL. */
  readonly jwks: string | undefined;
  /** OpenID configuration that names a key set. */
  readonly wellKnown: string | undefined;
  /** The key set that was loaded last from the same URL. Filled in by the supervisor; never logged. */
  readonly lastKeys: string | undefined;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly requireExpiry: boolean;
}

/** How `POST /auth` checks passwords. */
export interface LoginSettings {
  readonly type: 'body' | 'basic';
  /** How passwords are to be stored. */
  readonly encrypt: 'bcrypt' | 'md5' | 'sha1';
}

/** Failed logins that are allowed: in any `window` (milliseconds), for one user and for one address. */
export interface LoginLimits {
  readonly perUser: number;
  readonly perAddress: number;
  readonly window: number;
}

/** The database role that a request's statements run under. */
export interface RoleSettings {
  /** Name of the claim that names it; dots lead into objects. */
  readonly claim: string;
  /** The roles that a claim may name. */
  readonly allowed: readonly string[];
  /** For callers without the claim; undefined: they are refused. */
  readonly anonymous: string | undefined;
}

/** Who may change stored scripts. */
export interface RegistrySettings {
  /** Names of users. */
  readonly admins: readonly string[];
}

/** Who a caller is, and what that means. */
export interface AuthSettings {
  readonly tokens: TokenSettings;
  /** Regular expressions of the paths that need no token. */
  readonly whitelist: readonly string[];
  /** Undefined: `/auth` is not offered. */
  readonly login: LoginSettings | undefined;
  /** Undefined: every token may run every script. */
  readonly scripts: ScriptAccessSettings | undefined;
  /** Undefined: statements run as the user of the connection. */
  readonly role: RoleSettings | undefined;
}

/** Which listings are offered. */
export interface ExposeSettings {
  readonly databases: boolean;
  readonly schemas: boolean;
  readonly tables: boolean;
}

/** What browsers of other origins may do. */
export interface CorsSettings {
  /** Origins, or `*`. */
  readonly origins: readonly string[];
  readonly headers: readonly string[];
  readonly methods: readonly string[];
  readonly credentials: boolean;
}

/** A certificate, followed by those it depends on, and its key (PEM): the key is never logged. */
export interface TlsSettings {
  readonly cert: string;
  readonly key: string;
}

/** How plugins are run. Times are milliseconds, sizes bytes. */
export interface PluginSettings {
  /** Folder of the libraries, absolute. */
  readonly path: string;
  /** In a process of their own, or in the front end's. */
  readonly isolation: 'process' | 'thread';
  /** Most calls that run at one time. */
  readonly threads: number;
  /** The time one call may take. */
  readonly timeout: number;
  /** Largest body of an answer. */
  readonly maxResponse: number;
  /** A process of plugins that has more resident than this is replaced. */
  readonly maxMemory: number;
  /** Names of the environment variables that such a process gets besides those of a fixed list. */
  readonly environment: readonly string[];
}

/** What a front-end process is started with. What its workers share with it, it makes itself. */
export interface FrontEndSettings {
  /** 0 for the first front end. */
  readonly index: number;
  readonly host: string;
  readonly port: number;
  /** Path prefix of every route: empty, or `/` and segments without a trailing slash. */
  readonly context: string;
  /** A request's whole time. */
  readonly timeout: number;
  /** How long requests in flight may take after SIGTERM. */
  readonly grace: number;
  /** Most requests in flight; one more is answered 503. */
  readonly queue: number;
  /** Largest request body that is read (and discarded). */
  readonly maxBody: number;
  readonly threads: number;
  readonly accessLog: boolean;
  /** Undefined: nobody needs a token. */
  readonly auth: AuthSettings | undefined;
  readonly expose: ExposeSettings;
  /** Undefined: the registry of scripts is not offered. */
  readonly registry: RegistrySettings | undefined;
  readonly plugins: PluginSettings;
  /** Origins of web pages that may use `/_mcp`, besides those of this machine. */
  readonly mcpOrigins: readonly string[];
  /** Undefined: no CORS headers. */
  readonly cors: CorsSettings | undefined;
  /** Undefined: plain HTTP. Filled in by the supervisor, so that all front ends show the same, whatever is on disk. */
  readonly tls: TlsSettings | undefined;
  /** Whether it makes the users table, once the database is there. */
  readonly migrateUsers: boolean;
  /** Proxies whose X-Forwarded-For is believed: addresses, or networks as 10.0.0.0/8. */
  readonly trustedProxies: readonly string[];
  /** Aliases that must answer for `/_ready`. */
  readonly ready: readonly string[];
  readonly worker: Omit<WorkerSettings, 'deaths' | 'sending' | 'connections'>;
}
