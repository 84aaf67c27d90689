/**
 * `npm start`: sets up and builds the project if needed, then serves in development mode. It uses the configuration in
 * service.toml, DATABASE_URL, SERVICE_CONF or SERVICE_PG_*, if there is one; otherwise an embedded PostgreSQL with example
 * tables and the scripts of examples/queries. It prints the address of the page and a working curl line when ready. All
 * started processes end with it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bootstrap, PROJECT } from './bootstrap.mjs';
import { SetupError, say } from './step.mjs';

const EXAMPLE = '/_QUERIES/products/list?category=tea&_page_size=3';
/** How long to wait for an earlier run to release its port and database, in milliseconds. */
const PATIENCE = 6_000;
const READY_LIMIT = 60_000;
const PARENT_CHECK = 200;
/** Signals within this time after the first one, in milliseconds, are repetitions; a later one stops the service at once. */
const REPEAT = 1_000;

/** Ends the service when the pipe on descriptor 3 closes without a word, as when this process is killed. */
const WATCHED_SERVICE = `
server=$$
( ( trap '' INT HUP TERM
    read -r word <&3
    [ "$word" = gone ] || kill -s TERM "$server"
) </dev/null >/dev/null 2>&1 & )
exec 3<&-
exec "$@"
`;

/** stopRequests handles signals, and the end of npm, which passes no signal on when killed. */
function stopRequests() {
  // Before the service runs, a signal ends this process, and with it all processes it has started.
  const stop = { requested: false, forward: () => process.exit(130) };
  let first;
  const request = () => {
    // One Ctrl-C can arrive several times: from the terminal, from npm, and as the end of npm.
    if (first !== undefined && Date.now() - first < REPEAT) return;
    first ??= Date.now();
    stop.requested = true;
    stop.forward('SIGTERM');
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, request);
  if (process.env.npm_lifecycle_event === 'start') {
    const starters = npmProcesses();
    const timer = setInterval(() => {
      if (npmProcesses() === starters) return;
      clearInterval(timer);
      request();
    }, PARENT_CHECK);
    timer.unref();
  }
  return stop;
}

/** npmProcesses is the ids of the processes up to npm: npm itself, or its shell and npm. */
function npmProcesses() {
  const parent = process.ppid;
  try {
    if (fs.readlinkSync(`/proc/${parent}/exe`) === fs.realpathSync(process.execPath))
      return `${parent}`;
    return `${parent} ${/^PPid:\s*(\d+)/m.exec(fs.readFileSync(`/proc/${parent}/status`, 'utf8'))?.[1]}`;
  } catch {
    return 'gone';
  }
}

/** configurationSource is the file or variable that configures a database, undefined when there is none. */
function configurationSource() {
  if (fs.existsSync(path.join(PROJECT, 'service.toml'))) return 'service.toml';
  return Object.keys(process.env).find(
    (name) =>
      /^(DATABASE_URL(_\d+)?|SERVICE_CONF|SERVICE_PG_(URL|HOST|PORT|USER|PASS|DATABASE))$/.test(
        name,
      ) && process.env[name] !== '',
  );
}

/** waitFor repeats an attempt that fails because an earlier run has not ended yet. */
async function waitFor(attempt, isConflict) {
  let reported = false;
  for (const end = Date.now() + PATIENCE; ; await sleep(100)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || Date.now() > end) throw error;
      if (!reported) say(`${error.message}; waiting in case it is just ending`);
      reported = true;
    }
  }
}

/** checkPort throws when the port is in use, and returns it; for 0, a free one. */
async function checkPort(host, port) {
  const server = net.createServer().listen({ host, port, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error.code !== 'EADDRINUSE')
      throw new SetupError(`cannot listen on ${host}: ${error.message}`);
    throw Object.assign(new SetupError(`port ${port} is taken by another program`), {
      code: error.code,
    });
  }
  const chosen = server.address().port;
  server.close();
  await once(server, 'close');
  return chosen;
}

/** exampleDatabase starts the embedded PostgreSQL, and creates the example tables on the first run. */
async function exampleDatabase() {
  const { start } = await import('./embedded-postgres.mjs');
  const { default: pg } = await import('pg');
  const keep = process.env.EMBEDDED_CLUSTER || 'example';
  const server = await waitFor(
    () => start({ keep, say }),
    (error) => error.code === 'EMBEDDED_IN_USE',
  );
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    const { rows } = await client.query("SELECT to_regclass('public.products') AS there");
    if (rows[0].there === null) {
      say('loading examples/database.sql');
      // Several statements in one string are one transaction.
      await client.query(fs.readFileSync(path.join(PROJECT, 'examples/database.sql'), 'utf8'));
    }
  } finally {
    await client.end();
  }
  say(`embedded PostgreSQL on ${server.host}:${server.port}, data in ${server.dataDir}`);
  return server;
}

/** loadSettings reads the configuration as the service will, to find its address. */
async function loadSettings(env) {
  const { loadConfig } = await import('../dist/commands/config/load.js');
  try {
    return loadConfig({ env, cwd: PROJECT, development: true }).config;
  } catch (error) {
    throw new SetupError(error.message);
  }
}

/** commandFor is the command that serves: never development mode where other machines can reach the service. */
async function commandFor({ 'http.host': host }) {
  const { notForDevelopment } = await import('../dist/commands/config/development.js');
  if (notForDevelopment(host) === undefined) return 'dev';
  say(`http.host is ${host}, which other machines can reach: without development mode`);
  return 'serve';
}

function startService(env, name) {
  const command = [process.execPath, path.join(PROJECT, 'dist/main.js'), name];
  // In its own session: Ctrl-C reaches only this process, which forwards it once.
  const child = spawn('/bin/sh', ['-c', WATCHED_SERVICE, 'sh', ...command], {
    cwd: PROJECT,
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  child.stdio[3].on('error', () => {});
  child.on('exit', () => child.stdio[3].end('gone\n'));
  return child;
}

/** waitForResponse waits for the wanted status of a URL; false when the service ends or a stop is requested first. */
async function waitForResponse(url, wanted, child, stop) {
  for (const end = Date.now() + READY_LIMIT; Date.now() < end; await sleep(25)) {
    if (child.exitCode !== null || child.signalCode !== null || stop.requested) return false;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      await response.text();
      if (wanted(response.status)) return true;
    } catch {
      // Not listening yet.
    }
  }
  say(`${url} has not been answered in ${READY_LIMIT / 1000} s; the log above may say why`);
  return false;
}

async function main() {
  const stop = stopRequests();
  const source = configurationSource();
  await bootstrap();
  const env = { ...process.env };
  let database;
  let exit;
  try {
    if (source) {
      say(`serving the database of ${source}`);
    } else {
      env.SERVICE_QUERIES_LOCATION ||= path.join(PROJECT, 'examples/queries');
      const { 'http.host': host, 'http.port': port } = await loadSettings(env);
      const chosen = await waitFor(
        () => checkPort(host, port),
        (error) => error.code === 'EADDRINUSE',
      );
      env.PORT = String(chosen);
      database = await exampleDatabase();
      env.DATABASE_URL = database.url;
    }
    const settings = await loadSettings(env);
    const child = startService(env, await commandFor(settings));
    stop.forward = (signal) => child.kill(signal);
    const ended = once(child, 'exit');
    await announce(settings, Boolean(source), child, stop);
    const [code, signal] = await ended;
    stop.forward = () => {};
    exit = code ?? 1;
    if (!stop.requested) say(`the service has ended (${signal ?? `exit status ${code}`})`);
  } finally {
    await database?.stop();
  }
  return exit;
}

/** announce prints the page's address and the curl line once it works; with a configured database, that of the health check. */
async function announce(settings, own, child, stop) {
  const host = ['0.0.0.0', '::'].includes(settings['http.host'])
    ? '127.0.0.1'
    : settings['http.host'];
  const name = host.includes(':') ? `[${host}]` : host;
  const base = `http://${name}:${settings['http.port']}${settings.context.replace(/\/$/, '')}`;
  // With port 0 only the service knows the port, and logs it.
  if (settings['http.port'] === 0) return;
  const url = `${base}${own ? '/_health' : EXAMPLE}`;
  const wanted = own ? () => true : (status) => status === 200;
  if (await waitForResponse(url, wanted, child, stop)) {
    if (settings['docs.page'] && host === settings['http.host']) say(`the page: ${base}/`);
    say('ready; Ctrl-C ends it. Try:');
    console.log(`curl '${url}'`);
  }
}

/** Advice for expected failures, by code. */
const ADVICE = {
  EADDRINUSE: 'try PORT=3001 npm start',
  EMBEDDED_IN_USE: 'end the other npm start, or try EMBEDDED_CLUSTER=second PORT=3001 npm start',
};

main().then(
  (code) => process.exit(code),
  (error) => {
    const advice = ADVICE[error.code];
    if (advice) console.error(`\n${error.message}: ${advice}`);
    else console.error(error instanceof SetupError ? `\n${error.message}` : error);
    process.exit(1);
  },
);
