/**
 * Derives the settings of HTTP processes, and of other parts, from a configuration. Those of databases are in databases.ts.
 */
import type {
  AuthSettings,
  ExposeSettings,
  RoleSettings,
  ScriptAccessSettings,
  TableAccessSettings,
} from '../../messages/access-settings.js';
import type {
  PositionCookies,
  ScriptsTable,
  UsersTable,
} from '../../messages/database-settings.js';
import type { CorsSettings, HttpSettings, PluginSettings } from '../../messages/http-settings.js';
import type { TraceSettings, LogSettings } from '../../messages/thread-settings.js';
import type { DocumentSettings, McpSettings } from '../../messages/worker-settings.js';
import type {
  LoginLimits,
  MetricsSettings,
  TraceExportSettings,
} from '../../messages/supervisor-settings.js';
import { needsToken } from './authentication.js';
import {
  configuredDatabases,
  databasesOf,
  proverDatabasesOf,
  readOnlyDatabasesOf,
  replicasOf,
  unprovable,
} from './databases.js';
import { isThisMachine } from '../../base/this-machine.js';
import type { Config } from './schema.js';
import type { Item } from './tables.js';

/**
 * settingsOf returns the settings of each HTTP process; `pretty` selects readable log lines instead of JSON, `development`
 * the mode of the command `dev`.
 */
export function settingsOf(config: Config, pretty: boolean, development = false): HttpSettings[] {
  const processes = config['http.processes'];
  const threads = config['pool.threads'];
  const aliases = configuredDatabases(config).map(({ alias }) => alias);
  const log = logSettingsOf(config, pretty);
  return Array.from({ length: processes }, (_, index) => ({
    index,
    host: config['http.host'],
    port: config['http.port'],
    context: contextOf(config),
    timeout: config['http.timeout'],
    grace: config['http.grace'],
    queue: config['pool.queue'],
    maxBody: config['http.max_body'],
    threads,
    accessLog: config['log.access'] ?? pretty,
    development,
    auth: authOf(config),
    expose: exposeOf(config),
    registry: config['queries.register_enabled']
      ? { admins: config['queries.register_admins'] }
      : undefined,
    plugins: pluginsOf(config),
    mcpOrigins: [...config['mcp.origins'], ...config['cors.alloworigin']].filter(
      (one) => one !== '*',
    ),
    page: config['docs.page'] ? { atRoot: isThisMachine(config['http.host']) } : undefined,
    cors: corsOf(config),
    metricsToken: config['metrics.token'],
    trace: traceOf(config),
    tls: undefined, // the supervisor reads the files
    migrateUsers: index === 0 && config['auth.login'] && config['auth.migrate_on_startup'],
    trustedProxies: config['http.trusted_proxies'],
    ready: config['health.ready'] ?? aliases,
    readyProof: config['health.ready_proof'],
    prover: index === 0 ? proverOf(config, log, development) : undefined,
    worker: {
      timeout: config['http.timeout'],
      databases: databasesOf(config, index),
      replicas: replicasOf(config, index),
      replication: {
        maxLag: config['pg.max_lag'],
        lsnWait: config['pg.lsn_wait'],
        failoverWait: config['pg.failover_wait'],
        cookies: positionCookiesOf(config),
      },
      defaultAlias: config['pg.database'],
      scripts: config['queries.location'],
      scriptsTable: scriptsTableOf(config),
      aggregate: config['json.agg.type'],
      maxResult: config['pg.max_result'],
      provedOnly: config['queries.proof'] === 'require',
      proofBudget: config['queries.proof_budget'],
      role: roleOf(config),
      resultBudget: Math.floor(config['pg.result_budget'] / threads),
      queue: config['pool.queue'],
      debug: config.debug || development,
      development,
      raised: config['queries.raised_messages'],
      details: config['queries.error_details'],
      access: tableAccessOf(config),
      users: config['auth.login'] ? usersTableOf(config) : undefined,
      claims: config['auth.claims'],
      claimSettings: config['auth.settings'],
      mcp: config['mcp.enabled'] ? mcpOf(config, index) : undefined,
      openapi: config['docs.openapi'] ? documentsOf(config) : undefined,
      log,
      slow: config['log.slow'],
      serverTiming: config['http.server_timing'] || config.debug || development,
    },
  }));
}

function documentsOf(config: Config): DocumentSettings {
  // Workers get no keys of tokens.
  const auth = needsToken(config)
    ? { whitelist: config['jwt.whitelist'], scripts: scriptAccessOf(config) }
    : undefined;
  return { auth, registry: config['queries.register_enabled'] };
}

/** Undefined when nothing is proved. */
function proverOf(config: Config, log: LogSettings, development: boolean): HttpSettings['prover'] {
  const mode = config['queries.proof'];
  if (mode === 'off' || unprovable(config) !== undefined) return undefined;
  return {
    mode,
    databases: proverDatabasesOf(config),
    defaultAlias: config['pg.database'],
    scripts: config['queries.location'],
    scriptsTable: scriptsTableOf(config),
    aggregate: config['json.agg.type'],
    maxResult: config['pg.max_result'],
    role: roleOf(config),
    development,
    log,
  };
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
      nameClaim: config['jwt.name_claim'],
    },
    whitelist: config['jwt.whitelist'],
    refusesInvalid: config['auth.invalid_token'] === 'reject',
    login: config['auth.login']
      ? { type: config['auth.type'], encrypt: config['auth.encrypt'] }
      : undefined,
    scripts: scriptAccessOf(config),
    role: roleOf(config),
  };
}

/** scriptAccessOf returns the permissions on scripts, undefined when every caller may run all of them. */
export function scriptAccessOf(config: Config): ScriptAccessSettings | undefined {
  if (!config['queries.restrict']) return undefined;
  return entriesOf<ScriptAccessSettings>({
    scripts: config['queries.scripts'],
    users: config['queries.users'],
  });
}

function tableAccessOf(config: Config): TableAccessSettings {
  return {
    restrict: config['access.restrict'],
    ...entriesOf<Pick<TableAccessSettings, 'tables' | 'users'>>({
      tables: config['access.tables'],
      users: config['access.users'],
    }),
    ignored: config['access.ignore_table'],
  };
}

/** Lists of entries, whose members the kinds of these keys have checked. */
function entriesOf<T extends object>(lists: Readonly<Record<keyof T, readonly Item[]>>): T {
  return lists as unknown as T;
}

export function usersTableOf(config: Config): UsersTable {
  return {
    schema: config['auth.schema'],
    table: config['auth.table'],
    username: config['auth.username'],
    password: config['auth.password'],
    metadata: config['auth.metadata'],
  };
}

/** scriptsTableOf returns the table of stored scripts, undefined when scripts are files. */
export function scriptsTableOf(config: Config): ScriptsTable | undefined {
  return config['queries.storage'] === 'database' ? namedScriptsTableOf(config) : undefined;
}

/** namedScriptsTableOf returns the configured table of stored scripts, whether or not it is in use. */
export function namedScriptsTableOf(config: Config): ScriptsTable {
  return { schema: config['queries.schema'], table: config['queries.table'] };
}

/** The prefix of every route, without a slash at its end. */
function contextOf(config: Config): string {
  return config.context.replace(/\/$/, '');
}

/** Undefined when positions are not set as cookies. */
function positionCookiesOf(config: Config): PositionCookies | undefined {
  if (!config['pg.lsn_cookie']) return undefined;
  const context = contextOf(config);
  return { path: context === '' ? '/' : context, secure: certificateOf(config) !== undefined };
}

function mcpOf(config: Config, index: number): McpSettings {
  const { schema, table } = usersTableOf(config);
  return {
    databases: readOnlyDatabasesOf(config, index),
    replicas: replicasOf(config, index, true),
    path: `${contextOf(config)}/_mcp`,
    expose: exposeOf(config),
    // Hidden even when not in use: they may have been in use before, or another service may use them.
    usersTable: { schema, table },
    scriptsTable: namedScriptsTableOf(config),
    toolNames: config['mcp.tool_names'],
    maxTools: config['mcp.max_tools'],
    listBudget: config['mcp.list_budget'],
    tables: config['mcp.tables'],
    scripts: config['mcp.scripts'],
    scriptAccess: scriptAccessOf(config),
    maxResult: Math.min(config['mcp.max_result'], config['pg.max_result']),
  };
}

function pluginsOf(config: Config): PluginSettings {
  return {
    path: config.pluginpath,
    isolation: config['plugins.isolation'],
    threads: config['plugins.threads'],
    timeout: config['plugins.timeout'],
    maxResponse: config['plugins.max_response'],
    maxMemory: config['plugins.max_memory'],
    environment: config['plugins.environment'],
  };
}

export function loginLimitsOf(config: Config): LoginLimits {
  return {
    perUser: config['auth.max_failures'],
    perAddress: config['auth.max_failures_address'],
    window: config['auth.failure_window'],
  };
}

/** The roles that scripts run under; undefined when they run as the user of the connection. */
export function roleOf(config: Config): RoleSettings | undefined {
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

export function metricsOf(config: Config): MetricsSettings {
  return { listen: config['metrics.listen'], token: config['metrics.token'] };
}

/** Undefined when nothing is traced. */
function traceOf(config: Config): TraceSettings | undefined {
  if (config['trace.endpoint'] === undefined) return undefined;
  return {
    ratio: config['trace.ratio'],
    callers: config['trace.callers'],
    slow: config['trace.slow'],
    applicationName: config['trace.postgres'] === 'application_name',
  };
}

/** traceExportOf returns where the supervisor sends traces, undefined when nothing is traced. */
export function traceExportOf(config: Config): TraceExportSettings | undefined {
  const endpoint = config['trace.endpoint'];
  if (endpoint === undefined) return undefined;
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return {
    url: url.href,
    headers: config['trace.headers'] ?? {},
    service: config['trace.service'],
  };
}

/** certificateOf returns the absolute paths of the certificate and its key, undefined without HTTPS. */
export function certificateOf(config: Config): { cert: string; key: string } | undefined {
  const { 'https.cert': cert, 'https.key': key } = config;
  return config['https.mode'] && cert !== undefined && key !== undefined
    ? { cert, key }
    : undefined;
}

export function logSettingsOf(config: Config, pretty: boolean): LogSettings {
  return { level: config['log.level'], pretty };
}
