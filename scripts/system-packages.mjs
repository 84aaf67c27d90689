/**
 * The system packages for building and testing. Missing ones are installed on Debian and Ubuntu when run as root; otherwise
 * an error lists them.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { installedServers } from './installed-postgres.mjs';
import { SetupError, say, step } from './step.mjs';

/** Needed for building: the Debian package, its name elsewhere, and whether it is installed. */
const NEEDS = [
  { apt: 'g++', other: 'a C++17 compiler (g++)', here: () => onPath('g++') },
  { apt: 'make', other: 'make', here: () => onPath('make') },
  { apt: 'cmake', other: 'cmake', here: () => onPath('cmake') },
  { apt: 'python3', other: 'Python 3', here: () => onPath('python3') },
  {
    apt: 'libpq-dev',
    other: 'the headers of libpq with pg_config (libpq-devel, postgresql-libs)',
    here: hasLibpq,
  },
];

/** Also needed for tests, which create certificates. */
const TEST_NEEDS = [{ apt: 'openssl', other: 'openssl', here: () => onPath('openssl') }];

/**
 * Also needed for the checks of CI, where no test may be skipped for want of a program (test/support/programs.ts): formatter,
 * fuzzer and sanitizers of clang, a connection pooler, proxies, servers under Patroni, Prometheus, shells, a browser, the
 * other languages of plugins, and packages of Python.
 */
const CI_NEEDS = [
  { apt: 'clang', other: 'clang', here: () => onPath('clang++') },
  { apt: 'clang-format', other: 'clang-format', here: () => onPath('clang-format') },
  // clang's sanitizer runtime, which clang only recommends.
  { apt: 'libclang-rt-dev', other: "clang's runtime libraries", here: hasClangRuntime },
  { apt: 'pgbouncer', other: 'PgBouncer', here: () => inSbin('pgbouncer') },
  { apt: 'haproxy', other: 'HAProxy', here: () => inSbin('haproxy') },
  { apt: 'nginx', other: 'nginx', here: () => inSbin('nginx') },
  { apt: 'patroni', other: 'Patroni', here: () => onPath('patroni') },
  { apt: 'etcd-server', other: 'etcd', here: () => onPath('etcd') },
  { apt: 'postgresql', other: 'PostgreSQL', here: () => installedServers().length > 0 },
  { apt: 'prometheus', other: 'Prometheus with promtool', here: () => onPath('promtool') },
  { apt: 'curl', other: 'curl', here: () => onPath('curl') },
  { apt: 'bsdutils', other: 'script', here: () => onPath('script') },
  { apt: 'zsh', other: 'zsh', here: () => onPath('zsh') },
  { apt: 'fish', other: 'fish', here: () => onPath('fish') },
  { apt: 'python3-venv', other: "Python's venv", here: hasVenv },
  { apt: 'chromium', other: 'Chromium', here: () => onPath('chromium') },
  { apt: 'golang-go', other: 'Go', here: () => onPath('go') },
  { apt: 'rustc', other: 'Rust', here: () => onPath('rustc') },
  // On these versions suites run too (test/installed-servers.mjs). A distribution has one of them.
  ...[15, 17].map((version) => ({
    apt: `postgresql-${version}`,
    other: `PostgreSQL ${version}`,
    here: () => installedServers().some((server) => server.version === version),
    optional: true,
  })),
];

/** installSystemPackages installs missing packages, or throws SetupError with the command to type. */
export async function installSystemPackages({ ci = false, tests = false } = {}) {
  const needs = [...NEEDS, ...(tests ? TEST_NEEDS : []), ...(ci ? CI_NEEDS : [])];
  const lacking = () =>
    needs.filter(({ apt, here, optional }) => !here() && (!optional || isOffered(apt)));
  let missing = lacking();
  if (missing.length === 0) return;
  let packages = missing.map(({ apt }) => apt);
  if (!isDebian()) {
    const names = missing.map(({ other }) => `  - ${other}`).join('\n');
    throw new SetupError(`Building needs, from your distribution's packages:\n${names}`);
  }
  if (process.getuid() !== 0) {
    throw new SetupError(
      'Building needs a few system packages. Type this, then start again:\n\n' +
        `  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}\n`,
    );
  }
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  say(`missing system packages: ${packages.join(', ')}`);
  await step('apt-get update', 'apt-get', ['update', ...wait], { env });
  missing = lacking();
  packages = missing.map(({ apt }) => apt);
  const install = ['install', '-y', '--no-install-recommends', ...wait, ...packages];
  await step(`apt-get ${install.slice(0, 3).join(' ')} ${packages.join(' ')}`, 'apt-get', install, {
    env,
  });
  const left = missing.filter(({ here }) => !here()).map(({ apt }) => apt);
  if (left.length > 0) throw new SetupError(`Still missing after apt-get: ${left.join(', ')}`);
}

function onPath(program) {
  const folders = (process.env.PATH ?? '').split(':').filter(Boolean);
  return folders.some((folder) => fs.existsSync(path.join(folder, program)));
}

function hasLibpq() {
  if (!onPath('pg_config')) return false;
  const result = spawnSync('pg_config', ['--includedir'], { encoding: 'utf8' });
  return result.status === 0 && fs.existsSync(path.join(result.stdout.trim(), 'libpq-fe.h'));
}

function hasClangRuntime() {
  const result = spawnSync('clang++', ['-print-resource-dir'], { encoding: 'utf8' });
  return result.status === 0 && fs.existsSync(path.join(result.stdout.trim(), 'lib/linux'));
}

/** isOffered tells whether apt knows a package, by the lists that it has. */
export function isOffered(name) {
  const shown = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8' }).stdout ?? '';
  return /^ +Candidate: (?!\(none\))/m.test(shown);
}

function hasVenv() {
  return spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0;
}

/** Debian puts daemons where the paths of most users do not lead. */
function inSbin(daemon) {
  return onPath(daemon) || fs.existsSync(path.join('/usr/sbin', daemon));
}

function isDebian() {
  if (!onPath('apt-get')) return false;
  try {
    const release = fs.readFileSync('/etc/os-release', 'utf8');
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release);
  } catch {
    return false;
  }
}
