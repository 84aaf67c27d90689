/**
 * The compared servers: how each is started, and why it cannot be started on this machine.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { bunMissing, bunProgram, fetchBun } from './bun/binary.js';
import { ARENA_CASES, greeting, SQL_CASES } from './cases.js';
import type { Login } from './database.js';
import { onPath } from './load/program.js';
import {
  buildProgram,
  builtProgram,
  C,
  CARGO,
  GO,
  toolchainMissing,
  type Toolchain,
} from './peers/build.js';
import { prestConfiguration } from './prest/configuration.js';
import { fromProject } from './project.js';
import type { Launch } from './server.js';
import { authorization, KEY, READER } from './token.js';

export interface Contestant {
  readonly name: string;
  /** Names of the cases that it takes part in; all when absent. */
  readonly cases?: readonly string[];
  /** missing returns why it cannot be started here. */
  missing?(): string | undefined;
  /** build builds its program, if it has one to build; rejects with the reason in one line. */
  build?(): Promise<void>;
  launch(place: Place): (port: number) => Launch;
}

/** Resources of a contestant. */
export interface Place {
  readonly database: Login;
  /** Limit of connections to PostgreSQL, the same for all. */
  readonly connections: number;
  /** Folder of the plugin, if there is one. */
  readonly plugins: string | undefined;
  /** Folder for its own files. */
  readonly folder: string;
}

/** Name of the service of another revision. */
export const BASE = 'service before';

/** Names of the service with authentication, and with authentication and database roles. */
export const AUTHENTICATED = 'service-auth';
export const AS_ROLE = 'service-role';

/** Names of the service with plugins in the HTTP process, and of the upper limit for plugin calls. */
export const IN_PROCESS = 'service-thread';
export const HELLO = 'uws-hello';

/** Names of the peers in C, Go and Rust, and of their folders below peers/. */
export const FLOOR = 'floor';
export const GO_PEER = 'go-fasthttp';
export const RUST_PEER = 'rust-actix';
export const XITCA_PEER = 'rust-xitca';

/** Configuration with authentication; it begins within `[queries]`. */
const WITH_TOKENS = [
  'restrict = true',
  'scripts = [{ location = "bench", name = "one", permissions = ["read"] }]',
  '[jwt]',
  `key = ${JSON.stringify(KEY)}`,
  '[auth]',
  'enabled = true',
  'login = false',
  'migrate_on_startup = false',
];

const WITH_ROLES = [
  ...WITH_TOKENS,
  'settings = true',
  'db_role = "role"',
  `db_roles = [${JSON.stringify(READER)}]`,
];

/** Name of the service with stored scripts, imported at start. */
export const STORED = 'service-stored';

const QUERIES = fromProject('bench/queries');

/** Processes of a peer that is a cluster. */
const CLUSTER = Math.max(2, availableParallelism());

/** CONTESTANTS in the order of the table. Ratios are to `fastify-pg`. */
export const CONTESTANTS: readonly Contestant[] = [
  service('service', fromProject('.')),
  { ...service(AUTHENTICATED, fromProject('.'), { sections: WITH_TOKENS }), cases: ['one'] },
  { ...service(AS_ROLE, fromProject('.'), { sections: WITH_ROLES }), cases: ['one'] },
  { ...service(STORED, fromProject('.'), { stored: true }), cases: ['one'] },
  {
    ...service(IN_PROCESS, fromProject('.'), { plugins: ['isolation = "thread"'] }),
    cases: ['plugin'],
  },
  peer('fastify-pg', 'fastify-pg/server.js'),
  peer('fastify-pg cluster', 'fastify-pg/server.js', { processes: CLUSTER }),
  peer('uws-postgres', 'uws-postgres/server.js'),
  { ...builtPeer(FLOOR, C), cases: ['one', 'interpolated', 'page', 'insert'] },
  builtPeer(GO_PEER, GO),
  builtPeer(RUST_PEER, CARGO),
  {
    ...builtPeer(XITCA_PEER, CARGO),
    cases: ['one', 'interpolated', 'mixed', 'page', 'megabyte', 'insert'],
  },
  {
    ...peer('bun', 'bun/server.js', { processes: CLUSTER, runtime: bunProgram }),
    missing: bunMissing,
    build: fetchBun,
  },
  { ...peer(HELLO, 'uws-hello/server.js', { answer: greeting(1) }), cases: ['plugin'] },
  {
    name: 'prest',
    cases: SQL_CASES,
    missing: () => (onPath('prestd') ? undefined : 'prestd is not on the PATH'),
    launch:
      ({ database, connections, folder }) =>
      (port) => {
        const file = path.join(folder, 'prest.toml');
        writeFileSync(file, prestConfiguration(database, connections, QUERIES, port));
        // pREST always writes its request log to standard output; the shell discards it.
        return {
          command: '/bin/sh',
          args: ['-c', 'exec prestd >/dev/null'],
          // Nor other lines than errors.
          env: { ...environment(), PREST_CONF: file, PREST_LOG_LEVEL: 'error' },
          cwd: folder,
        };
      },
  },
];

/** Number of HTTP processes, and of query threads in each. */
export interface Layout {
  readonly processes: number;
  readonly threads: number;
}

/** withLayout is the service in a layout, named `service 2x3`. */
export function withLayout(layout: Layout): Contestant {
  const name = `service ${layout.processes}x${layout.threads}`;
  return service(name, fromProject('.'), { layout });
}

/**
 * service is the service built in `project`, with the default configuration except for connections, layout and a log of
 * warnings only. `hooks` are modules that Node imports first, and `env` are variables for them; `sections` are lines of
 * configuration for authenticated requests, beginning within `[queries]`; `plugins` are lines of `[plugins]`; with `stored`
 * the scripts are in a table. `queries` is another folder of scripts, `level` another level of the log.
 */
export function service(
  name: string,
  project: string,
  options: {
    readonly layout?: Layout;
    readonly sections?: readonly string[];
    readonly plugins?: readonly string[];
    readonly stored?: boolean;
    readonly queries?: string;
    readonly level?: string;
    readonly hooks?: readonly string[];
    readonly env?: NodeJS.ProcessEnv;
  } = {},
): Contestant {
  const { layout, sections, plugins = [], stored = false, hooks = [], env = {} } = options;
  const { queries = QUERIES, level = 'warn' } = options;
  return {
    name,
    launch:
      ({ database, connections, plugins: plugin, folder }) =>
      (port) => {
        const file = path.join(folder, 'service.toml');
        writeFileSync(
          file,
          [
            ...(plugin === undefined ? [] : [`pluginpath = ${JSON.stringify(plugin)}`]),
            '[http]',
            'host = "127.0.0.1"',
            `port = ${port}`,
            ...(layout ? [`processes = ${layout.processes}`] : []),
            ...(layout ? ['[pool]', `threads = ${layout.threads}`] : []),
            '[pg]',
            `url = ${JSON.stringify(database.url)}`,
            `maxopenconn = ${connections}`,
            ...(plugins.length > 0 ? ['[plugins]', ...plugins] : []),
            '[log]',
            `level = ${JSON.stringify(level)}`,
            '[queries]',
            `location = ${JSON.stringify(queries)}`,
            ...(stored ? ['storage = "database"'] : []),
            ...(sections ?? []),
            '',
          ].join('\n'),
        );
        const imports = hooks.map((hook) => `--import=${hook}`).join(' ');
        return {
          command: process.execPath,
          args: [path.join(project, 'dist/main.js'), 'serve', '--config', file],
          env: { ...environment(), ...(imports ? { NODE_OPTIONS: imports } : {}), ...env },
          cwd: folder,
          ...(sections ? { authorization: authorization() } : {}),
        };
      },
  };
}

/**
 * peer is a program of bench/ for Node, or another `runtime`, in one process or several; `answer` is its response if it
 * answers all requests alike.
 */
function peer(
  name: string,
  program: string,
  options: {
    readonly processes?: number;
    readonly answer?: unknown;
    readonly runtime?: () => string;
  } = {},
): Contestant {
  const { processes = 1, answer, runtime = () => process.execPath } = options;
  return {
    name,
    cases: [...SQL_CASES, ...ARENA_CASES],
    launch: (place) => (port) => ({
      command: runtime(),
      args: [path.join(import.meta.dirname, program)],
      env: {
        ...peerEnvironment(place, port),
        BENCH_PROCESSES: String(Math.min(processes, place.connections)),
      },
      cwd: place.folder,
      answer,
    }),
  };
}

/** builtPeer is a program that a toolchain builds from bench/peers/NAME. */
function builtPeer(name: string, toolchain: Toolchain): Contestant {
  return {
    name,
    cases: SQL_CASES,
    missing: () => toolchainMissing(toolchain),
    build: () => buildProgram(toolchain, name),
    launch: (place) => (port) => ({
      command: builtProgram(toolchain, name),
      args: [],
      env: peerEnvironment(place, port),
      cwd: place.folder,
    }),
  };
}

/** peerEnvironment has the settings that every peer reads. */
function peerEnvironment({ database, connections }: Place, port: number): NodeJS.ProcessEnv {
  return {
    ...environment(),
    BENCH_PORT: String(port),
    BENCH_DATABASE: database.url,
    BENCH_CONNECTIONS: String(connections),
  };
}

/** environment is that of this process, without variables that change a server's settings. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(SERVICE_|PREST_|PG|DATABASE_|PORT$|NODE_OPTIONS$)/.test(name),
  );
  return { ...Object.fromEntries(kept), NODE_ENV: 'production' };
}

/** placeFor creates a folder for a contestant below `folder`. */
export function placeFor(contestant: Contestant, { folder, ...rest }: Place): Place {
  const own = path.join(folder, contestant.name.replaceAll(/[^\w.-]/g, '-'));
  mkdirSync(own, { recursive: true });
  return { ...rest, folder: own };
}
