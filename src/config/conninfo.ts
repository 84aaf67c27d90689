/**
 * The connection string given to libpq. Everything libpq would otherwise take from PG* variables is set explicitly,
 * and those variables can be dropped, so that a connection is what the configuration says and nothing else. Contains
 * the password: never logged.
 */

/** ConnectionTarget is one database as configured; times are milliseconds. */
export interface ConnectionTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  /** Whether its transactions can only read, unless they say otherwise. */
  readonly readOnly: boolean;
  readonly channelBinding: string;
  readonly sslMode: string;
  readonly sslCert: string | undefined;
  readonly sslKey: string | undefined;
  readonly sslRootCert: string | undefined;
}

/** The second lets parts of a table that are read one after the other have the same order, also when none is asked for. */
const READ_ONLY = ['default_transaction_read_only=on', 'synchronize_seqscans=off'];

/** conninfo writes a target in libpq's `keyword='value'` form. */
export function conninfo(target: ConnectionTarget): string {
  // What a session answers must not depend on the settings of a role, a database or a server.
  const options = [
    `statement_timeout=${target.statementTimeout}`,
    'datestyle=ISO',
    'intervalstyle=postgres',
    'bytea_output=hex',
    'standard_conforming_strings=on',
    // libpq writes notices to standard error, and what a script raises may hold values.
    'client_min_messages=error',
    ...(target.readOnly ? READ_ONLY : []),
  ];
  const parameters: Readonly<Record<string, string | number>> = {
    host: target.host,
    hostaddr: '',
    port: target.port,
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
    // Where packets are dropped, the kernel would otherwise send what nobody acknowledges for a quarter of an hour.
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
    target_session_attrs: 'any',
  };
  return Object.entries(parameters)
    .map(([keyword, value]) => `${keyword}=${quote(String(value))}`)
    .join(' ');
}

/** quote writes a value as libpq reads it: in single quotes, a backslash before each quote and backslash. */
function quote(value: string): string {
  return `'${value.replace(/['\\]/g, '\\$&')}'`;
}

/**
 * dropLibpqVariables removes PG* variables from an environment. PGSERVICE and what newer versions of libpq know cannot
 * be overridden in a connection string. On `process.env` of the main thread this reaches getenv() and all children.
 */
export function dropLibpqVariables(env: Record<string, string | undefined>): void {
  for (const name of Object.keys(env)) {
    if (name.startsWith('PG')) Reflect.deleteProperty(env, name);
  }
}
