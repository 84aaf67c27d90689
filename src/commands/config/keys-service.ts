/**
 * The configuration keys of the service itself: address, limits, log, plugins. Data only.
 */
import { availableParallelism } from 'node:os';
import { derived, fixed, unset, type Values } from './key.js';
import {
  DAY,
  MiB,
  SECOND,
  boolean,
  choice,
  duration,
  integer,
  list,
  networks,
  path,
  size,
  text,
  variables,
} from './kind.js';
import { isThisMachine } from '../../base/this-machine.js';
import { defaultParallelism, leastConnections, type Parallelism } from './parallelism.js';

/** parallelism is the defaults of `http.processes` and `pool.threads`, where one of them may be set. */
function parallelism(values: Values): Parallelism {
  const given: { processes?: number; threads?: number } = {};
  if (values['http.processes'] !== undefined) given.processes = values['http.processes'] as number;
  if (values['pool.threads'] !== undefined) given.threads = values['pool.threads'] as number;
  return defaultParallelism(availableParallelism(), leastConnections(values), given);
}

/** The keys of http, pool, log, health, plugins, and those without a section. */
export const SERVICE_KEYS = {
  'http.host': derived(
    text('a host name or address', /^[^\s\0/]+$/),
    '`"127.0.0.1"`; `"0.0.0.0"` with `auth.enabled`',
    (values) => (values['auth.enabled'] === true ? '0.0.0.0' : '127.0.0.1'),
    'Address to listen on. An address that other machines can reach causes a warning while authentication is off.',
  ),
  'http.port': fixed(
    integer(0, 65535),
    3000,
    'Port to listen on; 0 selects a free port and logs it. The environment variable `PORT` sets it too.',
  ),
  'http.timeout': fixed(
    duration(10, DAY),
    60 * SECOND,
    'Time limit of a request; then it is answered with 504 and its statement is cancelled.',
  ),
  'http.grace': fixed(
    duration(0, DAY),
    30 * SECOND,
    'Grace period for requests in flight after SIGTERM or SIGINT.',
  ),
  'http.processes': derived(
    integer(1, 256),
    'a quarter of the cores, at least 1',
    (values) => parallelism(values).processes,
    'Number of HTTP processes that share the port. The number times `pool.threads` may not exceed `pg.maxopenconn` or the `maxopenconn` of any database.',
  ),
  'http.max_body': fixed(
    size(0, 1024 * MiB),
    MiB,
    'Maximum size of a request body; a larger one is answered with 413. The limit for `/auth` is 16 KiB and for the registry and `/_mcp` 1 MiB, if that is less. Bodies of plugin, registry, MCP and login requests, and of requests to scripts that use them, are buffered; all others are read and discarded.',
  ),
  'http.server_timing': fixed(
    boolean(),
    false,
    'Send `Server-Timing` with the times of waiting, rendering and the database in responses of scripts and listings, as with `debug`.',
  ),
  'http.trusted_proxies': fixed(
    networks(),
    [],
    'Proxies whose X-Forwarded-For is trusted for counting login attempts by address.',
  ),
  context: fixed(
    text(
      'a path prefix such as "/" or "/api", without dot segments',
      /^\/$|^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)+\/?$/,
    ),
    '/',
    'Path prefix of every route.',
  ),
  'pool.threads': derived(
    integer(1, 64),
    '1 with up to 4 cores, otherwise 2',
    (values) => parallelism(values).threads,
    'Number of query workers (threads) in each HTTP process.',
  ),
  'pool.queue': fixed(
    integer(1, 1_000_000),
    10_000,
    'Maximum number of requests in flight in one HTTP process; further ones are answered with 503 and Retry-After.',
  ),
  'log.level': fixed(
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'Least severe level that is logged.',
  ),
  'log.access': derived<boolean | undefined>(
    boolean(),
    '`true` where standard output is a terminal, otherwise `false`',
    () => undefined,
    'Log one line for each request, without its query string.',
  ),
  'log.slow': fixed(
    duration(0, DAY),
    500,
    'Time in the database from which a statement of a script, a listing or an MCP tool is logged as [slow](observability.md#slow-statements), with its plan; 0 logs none.',
  ),
  debug: fixed(
    boolean(),
    false,
    "Add the database's message, detail, hint and position to error responses, and show [the SQL of scripts](docs-page.md#the-sql-of-a-script) to callers who may run them. Not for production.",
  ),
  'docs.openapi': derived(
    boolean(),
    '`true` while only this machine can reach `http.host`',
    (values) => isThisMachine(values['http.host'] as string),
    'Serve the [OpenAPI documents](openapi.md) `/_QUERIES/openapi.json` and `/_QUERIES/{database}/openapi.json`, and the [clients](clients.md) `client.ts` beside them: each caller gets what they may run.',
  ),
  'docs.page': derived(
    boolean(),
    '`true` while only this machine can reach `http.host`',
    (values) => isThisMachine(values['http.host'] as string),
    'Serve [the page](docs-page.md) `/_docs`, which lists the scripts of `docs.openapi` and runs them. While only this machine can reach `http.host`, `/` is the page too.',
  ),
  'health.ready': unset(
    list('a list of database aliases'),
    'Databases required for `/_ready`; by default all.',
  ),
  'health.ready_proof': derived(
    boolean(),
    'true when `queries.proof` is `"require"`',
    (values) => values['queries.proof'] === 'require',
    'Whether `/_ready` is 503 until every script has been proved once.',
  ),
  'json.agg.type': fixed(
    choice('json_agg', 'jsonb_agg'),
    'json_agg',
    'Function that converts the rows of a GET to JSON. `jsonb_agg` reorders columns and drops duplicates.',
  ),
  pluginpath: fixed(path(), './lib', 'Folder of the plugin libraries.'),
  'plugins.isolation': fixed(
    choice('process', 'thread'),
    'process',
    'Where plugins run: in a plugin host beside each HTTP process, or in the HTTP process itself, which is faster but requires trusted code.',
  ),
  'plugins.threads': fixed(
    integer(1, 256),
    4,
    'Maximum number of concurrent plugin calls in each HTTP process.',
  ),
  'plugins.timeout': derived(
    duration(10, DAY),
    '`http.timeout`',
    (values) => values['http.timeout'] as number,
    'Time limit of a plugin call; then it is answered with 504.',
  ),
  'plugins.max_response': fixed(
    size(1, 1024 * MiB),
    8 * MiB,
    'Maximum size of a plugin response; a larger one is answered with 502.',
  ),
  'plugins.max_memory': fixed(
    size(32 * MiB, 1024 * 1024 * MiB),
    1024 * MiB,
    'Resident memory beyond which a plugin host is replaced once its calls have ended; beyond twice that it is killed.',
  ),
  'plugins.environment': fixed(
    variables(),
    [],
    'Environment variables that a plugin host gets in addition to PATH, HOME, USER, LOGNAME, LANG, LC_*, TZ, TMPDIR and LD_LIBRARY_PATH.',
  ),
};
