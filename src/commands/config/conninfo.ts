/**
 * The connection string for libpq. It sets every parameter that libpq would otherwise read from PG* variables, so that
 * connections depend on the configuration only. It contains the password and is never logged.
 */

/** One database as configured; times are milliseconds. */
export interface ConnectionTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  /** Whether transactions are READ ONLY by default. */
  readonly readOnly: boolean;
  readonly channelBinding: string;
  readonly sslMode: string;
  readonly sslCert: string | undefined;
  readonly sslKey: string | undefined;
  readonly sslRootCert: string | undefined;
  /** Further servers of the same database: connections are to the primary, whichever of all these that is. */
  readonly others: readonly { readonly host: string; readonly port: number }[];
}

/** Without synchronized scans, pages of a table have the same order even without ORDER BY. */
const READ_ONLY = ['default_transaction_read_only=on', 'synchronize_seqscans=off'];

/** conninfo is the connection string of a target, in the `keyword='value'` form. */
export function conninfo(target: ConnectionTarget): string {
  // Results must not depend on settings of a role, a database or the server.
  const options = [
    `statement_timeout=${target.statementTimeout}`,
    'datestyle=ISO',
    'intervalstyle=postgres',
    'bytea_output=hex',
    'standard_conforming_strings=on',
    // libpq writes notices to standard error, and a script's notices may contain values.
    'client_min_messages=error',
    ...(target.readOnly ? READ_ONLY : []),
  ];
  const servers = [target, ...target.others];
  const parameters: Readonly<Record<string, string | number>> = {
    host: servers.map(({ host }) => host).join(','),
    hostaddr: '',
    port: servers.map(({ port }) => port).join(','),
    user: target.user,
    password: target.password,
    passfile: '',
    dbname: target.database,
    connect_timeout: Math.ceil(target.connectTimeout / 1000),
    application_name: 'sql-rest-service',
    client_encoding: 'UTF8',
    options: options.map((option) => `-c ${option}`).join(' '),
    keepalives: 1,
    keepalives_idle: 30,
    keepalives_interval: 10,
    keepalives_count: 3,
    // Where packets are dropped, the kernel would otherwise retransmit for a quarter of an hour.
    tcp_user_timeout: 30_000,
    sslmode: target.sslMode,
    sslcert: target.sslCert ?? '',
    sslkey: target.sslKey ?? '',
    sslrootcert: target.sslRootCert ?? '',
    sslcrl: '',
    sslcrldir: '',
    sslcompression: 0,
    sslsni: 1,
    ssl_min_protocol_version: 'TLSv1.2',
    ssl_max_protocol_version: '',
    channel_binding: target.channelBinding,
    gssencmode: 'disable',
    requirepeer: '',
    target_session_attrs: target.others.length > 0 ? 'primary' : 'any',
  };
  return Object.entries(parameters)
    .map(([keyword, value]) => `${keyword}=${quoteValue(String(value))}`)
    .join(' ');
}

/** quoteValue quotes a value of a connection string: single quotes, and a backslash before each quote and backslash. */
function quoteValue(value: string): string {
  return `'${value.replace(/['\\]/g, '\\$&')}'`;
}

/**
 * dropLibpqVariables removes PG* variables from an environment, because PGSERVICE and variables of newer libpq versions
 * cannot be overridden in a connection string. On `process.env` of the main thread it affects getenv() and child processes.
 */
export function dropLibpqVariables(env: Record<string, string | undefined>): void {
  for (const name of Object.keys(env)) {
    if (name.startsWith('PG')) Reflect.deleteProperty(env, name);
  }
}
