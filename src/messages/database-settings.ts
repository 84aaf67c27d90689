/**
 * The databases of a service as its threads connect to them, and the tables of the service in them. Times are milliseconds.
 */

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

/** One replica of a database. Its alias names its connections only: the alias of the database, a NUL and a number. */
export interface ReplicaSettings extends DatabaseSettings {
  readonly of: string;
}

/** shownAlias names a server in metrics: `shop`, and its replicas `shop~1`, `shop~2`. */
export function shownAlias({ alias }: Pick<DatabaseSettings, 'alias'>): string {
  return alias.replace('\0', '~');
}

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

export interface PositionCookies {
  readonly path: string;
  /** Whether browsers send them over HTTPS only. */
  readonly secure: boolean;
}

/** allServers lists the databases and their replicas, in the order of WorkerSettings.connections. */
export function allServers({
  databases,
  replicas,
}: Readonly<
  Record<'databases' | 'replicas', readonly DatabaseSettings[]>
>): readonly DatabaseSettings[] {
  return [...databases, ...replicas];
}

/** The name of a table, such as the table of stored scripts. */
export interface ScriptsTable {
  readonly schema: string;
  readonly table: string;
}

/** The users table and the names of its columns. */
export interface UsersTable extends ScriptsTable {
  readonly username: string;
  readonly password: string;
  /** Columns that make up a user's metadata; when empty, the column `metadata` if it exists. */
  readonly metadata: readonly string[];
}
