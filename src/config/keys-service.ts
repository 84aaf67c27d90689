/**
 * The configuration keys of the service itself: where it listens, how much runs at once, what it logs. Data only.
 */
import { availableParallelism } from 'node:os';
import { derived, fixed, unset, type Values } from './key.js';
import {
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
import { defaultParallelism, leastConnections, type Parallelism } from './parallelism.js';

const MiB = 1024 ** 2;
const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;

/** parallelism is what `http.processes` and `pool.threads` default to, given what is set already. */
function parallelism(values: Values): Parallelism {
  const given: { processes?: number; threads?: number } = {};
  if (values['http.processes'] !== undefined) given.processes = values['http.processes'] as number;
  if (values['pool.threads'] !== undefined) given.threads = values['pool.threads'] as number;
  return defaultParallelism(availableParallelism(), leastConnections(values), given);
}

/** SERVICE_KEYS are the keys of http, pool, log, health, plugins and those without a section. */
export const SERVICE_KEYS = {
  'http.host': derived(
    text('a host name or address', /^[^\s\0/]+$/),
    '`"127.0.0.1"`; `"0.0.0.0"` with `auth.enabled`',
    (values) => (values['auth.enabled'] === true ? '0.0.0.0' : '127.0.0.1'),
    'Address to listen on. An address that other machines reach while authentication is off gets a warning.',
  ),
  'http.port': fixed(
    integer(0, 65535),
    3000,
    'Port to listen on; 0 picks a free one and prints it. The environment variable `PORT` sets it too.',
  ),
  'http.timeout': fixed(
    duration(10, DAY),
    60 * SECOND,
    'The whole time a request may take; then it is answered 504 and its statement is cancelled.',
  ),
  'http.grace': fixed(
    duration(0, DAY),
    30 * SECOND,
    'How long requests in flight may take after SIGTERM or SIGINT.',
  ),
  'http.processes': derived(
    integer(1, 256),
    'from the cores: one in four, at least 1',
    (values) => parallelism(values).processes,
    'Front-end processes that share the port. Processes times `pool.threads` is at most `pg.maxopenconn`, and the `maxopenconn` of every database.',
  ),
  'http.max_body': fixed(
    size(0, 1024 * MiB),
    MiB,
    'Largest request body; a larger one is answered 413. Plugins get it; that of `/auth` has at most 16 KiB, and those of the registry 1 MiB; all others are read and discarded.',
  ),
  'http.trusted_proxies': fixed(
    networks(),
    [],
    'Proxies whose X-Forwarded-For is believed when login attempts are counted by address.',
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
    '1 on up to 4 cores, otherwise 2',
    (values) => parallelism(values).threads,
    'Query threads in each front-end process.',
  ),
  'pool.queue': fixed(
    integer(1, 1_000_000),
    10_000,
    'Most requests in flight in one front-end process; one more is answered 503 with Retry-After.',
  ),
  'log.level': fixed(
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'The least severe lines that are written.',
  ),
  'log.access': fixed(
    boolean(),
    false,
    'Write one line for each request, without its query string.',
  ),
  debug: fixed(
    boolean(),
    false,
    "Add the database's message, detail, hint and position to error answers. Not for production.",
  ),
  'health.ready': unset(
    list('a list of database aliases'),
    'Databases that must answer for `/_ready`; all of them when not set.',
  ),
  'json.agg.type': fixed(
    choice('json_agg', 'jsonb_agg'),
    'json_agg',
    'How PostgreSQL makes the rows of a GET into JSON. `jsonb_agg` reorders columns and drops repeated ones.',
  ),
  pluginpath: fixed(path(), './lib', 'Folder of the plugin libraries.'),
  'plugins.isolation': fixed(
    choice('process', 'thread'),
    'process',
    'Where plugins run: in a process beside each front end, which they may crash, or, for code that is trusted and faster so, in the front end itself.',
  ),
  'plugins.threads': fixed(
    integer(1, 256),
    4,
    'Most plugin calls that run at one time, for each front end.',
  ),
  'plugins.timeout': derived(
    duration(10, DAY),
    '`http.timeout`',
    (values) => values['http.timeout'] as number,
    'The time one plugin call may take; then it is answered 504.',
  ),
  'plugins.max_response': fixed(
    size(1, 1024 * MiB),
    8 * MiB,
    'Largest answer of a plugin; a larger one is answered 502.',
  ),
  'plugins.max_memory': fixed(
    size(32 * MiB, 1024 * 1024 * MiB),
    1024 * MiB,
    'Resident memory of a process of plugins, beyond which it is replaced once its calls are done; beyond twice that it is killed.',
  ),
  'plugins.environment': fixed(
    variables(),
    [],
    'Environment variables that a process of plugins gets besides PATH, HOME, USER, LOGNAME, LANG, LC_*, TZ, TMPDIR and LD_LIBRARY_PATH.',
  ),
};
