/**
 * Folders, user and programs of the clusters of embedded-postgres.mjs: folders that the server's user can access, a template
 * cluster from which new ones are copied, and the removal of clusters of dead processes.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Time limit for a server to stop, in milliseconds; then it is killed. */
export const STOP_LIMIT = 15_000;

/** A file system in memory, and the bytes that must be free in it for clusters. */
const MEMORY = '/dev/shm';
const LEAST_MEMORY = 4 * 1024 ** 3;

/**
 * Locales of clusters, explicitly: the locale of LANG may not exist on this machine, and the encoding would then be ASCII.
 * Installed servers may be older than the provider `builtin` (17), and have the locale of the C library.
 */
const BUILTIN_LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
const LIBC_LOCALE = ['--locale=C.UTF-8'];

let clusters = 0;

/** stopLeftover stops a server that a killed process has left running on this data, and removes its postmaster.pid. */
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
  // PostgreSQL does not start if another program has that process id now.
  fs.rmSync(path.join(data, 'postmaster.pid'), { force: true });
}

/** serves tells whether a process is the postmaster of this data: its working directory is the data directory. */
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

/** Runs under a lock: of two concurrent useradd, the second would change the user's id. */
const MAKE_USER = 'id -u postgres >/dev/null 2>&1 || exec useradd "$@"';

/** serverUser is the user that the server runs as: the current one, or for root, the user postgres, created if needed. */
export function serverUser(say) {
  if (process.getuid() !== 0) return { uid: process.getuid(), ids: {} };
  const id = (flag) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout?.trim();
  if (!id('-u')) {
    say('PostgreSQL does not run as root: making the system user postgres');
    // As Debian's packages create it, in case one of them is installed later.
    const account = ['--system', '--user-group', '--no-create-home', '--shell', '/bin/bash'];
    const useradd = [...account, '--home-dir', '/var/lib/postgresql', 'postgres'];
    const locked = ['/etc/passwd', 'sh', '-c', MAKE_USER, 'sh', ...useradd];
    const made = spawnSync('flock', locked, { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`useradd postgres failed: ${made.error ?? made.stderr}`);
  }
  const uid = Number(id('-u'));
  return { uid, ids: { uid, gid: Number(id('-g')) } };
}

/** baseFolder is the folder of this user's clusters: in the project, or elsewhere if the user cannot access that. */
export function baseFolder(owner) {
  const name = `u${owner.uid}`;
  const local = path.join(PROJECT, '.embedded');
  makeFolder(local, 0o755);
  if (hasAccess(owner, '-x', local)) return makeFolder(path.join(local, name), 0o700, owner);
  if (!owner.ids.uid)
    throw new Error(`${local} belongs to another user: remove it and start again`);
  makeFolder('/var/lib/sql-rest-service', 0o755);
  return makeFolder(path.join('/var/lib/sql-rest-service', keyOf(owner)), 0o700, owner);
}

/**
 * runsFolder is the folder of clusters that are not kept: `base`, or with TEST_POSTGRES_IN_MEMORY a folder in memory if that has
 * room. Tests make and drop hundreds of databases of 300 files, for which ext4 needs several times the processor time.
 */
export function runsFolder(owner, base) {
  if (!process.env.TEST_POSTGRES_IN_MEMORY || !fs.existsSync(MEMORY)) return base;
  const { bsize, bavail } = fs.statfsSync(MEMORY);
  if (bsize * bavail < LEAST_MEMORY) return base;
  return makeFolder(path.join(MEMORY, `sql-rest-service-${keyOf(owner)}`), 0o700, owner);
}

/** keyOf names the clusters of a user and this project. */
function keyOf(owner) {
  return `u${owner.uid}-${createHash('sha256').update(PROJECT).digest('hex').slice(0, 12)}`;
}

/** Creates a folder; several processes may do so concurrently. */
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

/** shortFolder creates a folder for a unix socket, whose path is limited to 107 bytes. */
export function shortFolder(owner) {
  const folder = fs.mkdtempSync('/tmp/sql-rest-');
  if (owner.ids.uid) fs.chownSync(folder, owner.ids.uid, owner.ids.gid);
  return folder;
}

/**
 * binariesFor finds the programs of PostgreSQL: those in the folder `bin`, otherwise the embedded ones, which are copied for a
 * user who cannot read them, with missing links added.
 */
export function binariesFor(owner, base, say, bin) {
  if (bin) return { bin, version: versionOf(bin), locale: LIBC_LOCALE };
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
  if (linked && hasAccess(owner, '-x', path.join(native, 'bin/postgres'))) {
    return { bin: path.join(native, 'bin'), version, locale: BUILTIN_LOCALE };
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
  return { bin: path.join(copy, 'bin'), version, locale: BUILTIN_LOCALE };
}

/** versionOf asks a server in a folder for its version: `15.18`. */
function versionOf(bin) {
  const { stdout, error } = spawnSync(path.join(bin, 'postgres'), ['-V'], { encoding: 'utf8' });
  const version = /\(PostgreSQL\) ([\w.]+)/.exec(stdout ?? '')?.[1];
  if (!version) throw new Error(`no PostgreSQL server in ${bin}: ${error?.message ?? stdout}`);
  return `installed-${version}`;
}

/** templateCluster creates the template once: initdb takes a second, a copy a fraction of that. */
export async function templateCluster(owner, base, binaries, say) {
  const template = path.join(base, `template-${binaries.version}`);
  if (fs.existsSync(template)) return template;
  say('making an empty PostgreSQL cluster (once)');
  const part = makeFolder(`${template}.${process.pid}`, 0o700, owner);
  const password = path.join(part, 'password');
  runAs(
    owner,
    'sh',
    ['-c', 'umask 077; cat >"$1"', 'sh', password],
    randomBytes(18).toString('hex'),
  );
  const locale = ['--encoding=UTF8', ...binaries.locale];
  const access = ['--username=postgres', `--pwfile=${password}`, '--auth=scram-sha-256'];
  const data = ['--no-sync', '-D', path.join(part, 'data')];
  runAs(owner, path.join(binaries.bin, 'initdb'), [...locale, ...access, ...data]);
  placeFolder(part, template);
  return template;
}

/** placeFolder renames a finished folder, unless another process was faster. */
function placeFolder(part, name) {
  try {
    fs.renameSync(part, name);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    fs.rmSync(part, { recursive: true });
  }
}

export function copyCluster(owner, template, folder) {
  runAs(owner, 'rm', ['-rf', folder]);
  const part = `${folder}.${process.pid}`;
  runAs(owner, 'cp', ['-a', '--reflink=auto', template, part]);
  fs.renameSync(part, folder);
}

/** runFolder returns the folder for a new cluster of this process, and removes the folders of dead processes. */
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

/** startTime is the start time of a process, in kernel ticks; with it a process id is unique. */
function startTime(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** hasAccess runs test(1) as the user: file modes alone do not tell. */
function hasAccess(owner, test, file) {
  return spawnSync('test', [test, file], { ...owner.ids, cwd: '/' }).status === 0;
}

/** runAs runs a program as the server's user, and throws with its output when it fails. */
export function runAs(owner, program, args, input = '') {
  const env = serverEnvironment('/nonexistent');
  const done = spawnSync(program, args, { ...owner.ids, cwd: '/', env, input, encoding: 'utf8' });
  if (done.status === 0) return;
  const output = done.error?.message ?? `${done.stdout}${done.stderr}`;
  throw new Error(`${path.basename(program)} failed:\n${output.trim()}`);
}

/** serverEnvironment is an environment without PGDATA, LD_LIBRARY_PATH and locale settings. */
export function serverEnvironment(home) {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: home, LC_ALL: 'C', TZ: 'UTC' };
}
