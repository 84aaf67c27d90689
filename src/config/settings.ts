/**
 * From a configuration to what each front end is started with. Shares the connections out so that all processes and
 * threads together never hold more than configured.
 */
import type {
  AuthSettings,
  CorsSettings,
  DatabaseSettings,
  ExposeSettings,
  FrontEndSettings,
  LogSettings,
  LoginLimits,
  RegistrySettings,
  RoleSettings,
  ScriptAccessSettings,
  ScriptEntry,
  ScriptsTable,
  TableAccessSettings,
  TableEntry,
  UsersTable,
} from '../protocol.js';
import { needsToken } from './authentication.js';
import { conninfo } from './conninfo.js';
import type { Config } from './schema.js';

/** settingsOf gives one FrontEndSettings for each front-end process; `pretty` chooses readable log lines over JSON. */
export function settingsOf(config: Config, pretty: boolean): FrontEndSettings[] {
  const processes = config['http.processes'];
  const threads = config['pool.threads'];
  const open = config['pg.maxopenconn'];
  const idle = Math.min(config['pg.maxidleconn'], open);
  const alias = config['pg.database'];
  const log = logSettingsOf(config, pretty);
  return Array.from({ length: processes }, (_, index) => ({
    index,
    host: config['http.host'],
    port: config['http.port'],
    context: config.context.replace(/\/$/, ''),
    timeout: config['http.timeout'],
    grace: config['http.grace'],
    queue: config['pool.queue'],
    maxBody: config['http.max_body'],
    threads,
    accessLog: config['log.access'],
    auth: authOf(config),
    expose: exposeOf(config),
    registry: registryOf(config),
    cors: corsOf(config),
    tls: undefined, // the supervisor reads the files
    migrateUsers: index === 0 && config['auth.login'] && config['auth.migrate_on_startup'],
    trustedProxies: config['http.trusted_proxies'],
    ready: config['health.ready'] ?? [alias],
    worker: {
      databases: [
        databaseOf(config, {
          connections: shareOf(open, processes, threads, index),
          idleConnections: shareOf(idle, processes, threads, index),
          waiting: Math.max(LEAST_WAITING, Math.ceil(config['pool.queue'] / 2 / threads)),
        }),
      ],
      defaultAlias: alias,
      scripts: config['queries.location'],
      scriptsTable: scriptsTableOf(config),
      aggregate: config['json.agg.type'],
      maxResult: config['pg.max_result'],
      resultBudget: Math.floor(config['pg.result_budget'] / threads),
      timeout: config['http.timeout'],
      queue: config['pool.queue'],
      debug: config.debug,
      raised: config['queries.raised_messages'],
      access: tableAccessOf(config),
      users: config['auth.login'] ? usersTableOf(config) : undefined,
      claims: config['auth.claims'],
      claimSettings: config['auth.settings'],
      log,
    },
  }));
}

function authOf(config: Config): AuthSettings | undefined {
  if (!needsToken(config)) return undefined;
  return {
    tokens: {
      algorithm: config['jwt.algo'],
      key: config['jwt.key'],
      jwks: config['jwt.jwks'],
      wellKnown: config['jwt.wellknownurl'],
      lastKeys: undefined,
      issuer: config['jwt.iss'],
      audience: config['jwt.aud'],
      requireExpiry: config['jwt.require_exp'],
    },
    whitelist: config['jwt.whitelist'],
    login: config['auth.login']
      ? { type: config['auth.type'], encrypt: config['auth.encrypt'] }
      : undefined,
    scripts: scriptAccessOf(config),
    role: roleOf(config),
  };
}

/** scriptAccessOf gives who may run which scripts, undefined when every caller may run all of them. */
export function scriptAccessOf(config: Config): ScriptAccessSettings | undefined {
  if (!config['queries.restrict']) return undefined;
  const entries = (value: unknown): ScriptEntry[] => value as ScriptEntry[];
  return {
    scripts: entries(config['queries.scripts']),
    users: config['queries.users'].map(({ name, scripts }) => ({
      name: name as string,
      scripts: entries(scripts),
    })),
  };
}

function tableAccessOf(config: Config): TableAccessSettings {
  const entries = (value: unknown): TableEntry[] => value as TableEntry[];
  return {
    restrict: config['access.restrict'],
    tables: entries(config['access.tables']),
    users: config['access.users'].map(({ name, tables }) => ({
      name: name as string,
      tables: entries(tables),
    })),
    ignored: config['access.ignore_table'],
  };
}

/** usersTableOf gives the table of users. */
export function usersTableOf(config: Config): UsersTable {
  return {
    schema: config['auth.schema'],
    table: config['auth.table'],
    username: config['auth.username'],
    password: config['auth.password'],
    metadata: config['auth.metadata'],
  };
}

/** scriptsTableOf gives the table of stored scripts, undefined when scripts are files. */
export function scriptsTableOf(config: Config): ScriptsTable | undefined {
  return config['queries.storage'] === 'database' ? namedScriptsTableOf(config) : undefined;
}

/** namedScriptsTableOf gives the table of stored scripts as it is called, whether or not it is in use. */
export function namedScriptsTableOf(config: Config): ScriptsTable {
  return { schema: config['queries.schema'], table: config['queries.table'] };
}

function registryOf(config: Config): RegistrySettings | undefined {
  if (!config['queries.register_enabled']) return undefined;
  return { admins: config['queries.register_admins'] };
}

/** loginLimitsOf gives how many logins may fail. */
export function loginLimitsOf(config: Config): LoginLimits {
  return {
    perUser: config['auth.max_failures'],
    perAddress: config['auth.max_failures_address'],
    window: config['auth.failure_window'],
  };
}

function roleOf(config: Config): RoleSettings | undefined {
  const claim = config['auth.db_role'];
  if (claim === undefined) return undefined;
  return { claim, allowed: config['auth.db_roles'], anonymous: config['auth.anonymous_role'] };
}

function exposeOf(config: Config): ExposeSettings {
  const hidden = config['expose.enabled'];
  return {
    databases: !hidden || config['expose.databases'],
    schemas: !hidden || config['expose.schemas'],
    tables: !hidden || config['expose.tables'],
  };
}

function corsOf(config: Config): CorsSettings | undefined {
  const origins = config['cors.alloworigin'];
  if (origins.length === 0) return undefined;
  return {
    origins,
    headers: config['cors.allowheaders'],
    methods: config['cors.allowmethods'],
    credentials: config['cors.allowcredentials'],
  };
}

/** certificateOf gives the files of the certificate and its key (absolute paths), undefined without HTTPS. */
export function certificateOf(config: Config): { cert: string; key: string } | undefined {
  const { 'https.cert': cert, 'https.key': key } = config;
  return config['https.mode'] && cert !== undefined && key !== undefined
    ? { cert, key }
    : undefined;
}

/** Slow statements that may wait in each thread, however small the queue is. */
const LEAST_WAITING = 100;

/** logSettingsOf gives the settings of the log. */
export function logSettingsOf(config: Config, pretty: boolean): LogSettings {
  return { level: config['log.level'], pretty };
}

/** databaseOf gives the default database with a share of its connections and of what may wait (one, when not said). */
export function databaseOf(
  config: Config,
  share: Pick<DatabaseSettings, 'connections' | 'idleConnections' | 'waiting'> = {
    connections: 1,
    idleConnections: 1,
    waiting: 1,
  },
): DatabaseSettings {
  const target = {
    host: config['pg.host'],
    port: config['pg.port'],
    user: config['pg.user'],
    password: config['pg.pass'],
    database: config['pg.database'],
    connectTimeout: config['pg.conntimeout'],
    statementTimeout: config['pg.statement_timeout'],
    channelBinding: config['pg.channel_binding'],
    sslMode: config['pg.ssl.mode'],
    sslCert: config['pg.ssl.cert'],
    sslKey: config['pg.ssl.key'],
    sslRootCert: config['pg.ssl.rootcert'],
  };
  return {
    alias: target.database,
    conninfo: conninfo(target),
    host: target.host,
    port: target.port,
    idleTime: config['pg.idle_time'],
    connectTimeout: target.connectTimeout,
    statementTimeout: target.statementTimeout,
    prepared: config['pg.prepared'],
    ...share,
  };
}

/**
 * shareOf is what each thread of one front end gets of a number of connections. The threads of a front end get the
 * same, so the shares differ by at most one and up to `threads - 1` connections are not handed out.
 */
export function shareOf(total: number, processes: number, threads: number, index: number): number {
  const workers = processes * threads;
  const least = Math.floor(total / workers);
  const withOneMore = Math.floor((total - least * workers) / threads);
  return index < withOneMore ? least + 1 : least;
}
