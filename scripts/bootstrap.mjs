/**
 * Takes a fresh clone to a built service: system packages, npm packages, build. Idempotent, and quick when nothing is
 * to do. Refuses a Node or a C library that the service does not run on. Plain Node: runs before node_modules exists.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError, step } from './step.mjs';
import { installSystemPackages } from './system-packages.mjs';

export const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const OLDEST_NODE = 20;
/** From Node 22 on, the binaries of uWebSockets.js are linked against this glibc. */
const GLIBC_FOR_NODE_22 = [2, 38];

/** bootstrap sets up; `ci` adds what only the checks of CI need, `tests` builds the tests too. */
export async function bootstrap({ ci = false, tests = false } = {}) {
  checkPlatform();
  const install = !installed();
  const built = fs.existsSync(path.join(PROJECT, 'build/Release/sql_rest_service.node'));
  if (install || !built || ci || tests) await installSystemPackages({ ci, tests });
  if (install) await npm('installing npm packages (npm ci, about a minute)', ['ci']);
  const { build } = await import('./build.mjs');
  await build({ tests });
}

function checkPlatform() {
  if (process.platform !== 'linux') throw new SetupError('The service runs on Linux only.');
  const node = Number(process.versions.node.split('.')[0]);
  if (node < OLDEST_NODE) {
    throw new SetupError(`Node ${OLDEST_NODE} or newer is needed; this is ${process.version}.`);
  }
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  if (!glibc) throw new SetupError('The service needs glibc; musl (Alpine) is not supported.');
  const [major, minor] = glibc.split('.').map(Number);
  const [oldMajor, oldMinor] = GLIBC_FOR_NODE_22;
  if (node >= 22 && (major < oldMajor || (major === oldMajor && minor < oldMinor))) {
    throw new SetupError(
      `uWebSockets.js for Node ${node} needs glibc ${GLIBC_FOR_NODE_22.join('.')} (Debian 13, Ubuntu 24.04); ` +
        `this system has ${glibc}. Use Node 20 here, or a newer system.`,
    );
  }
}

/** installed tells whether node_modules holds what the lockfile asks for, with libpq's addon built for this Node. */
function installed() {
  try {
    const wanted = packagesOf('package-lock.json');
    const present = packagesOf('node_modules/.package-lock.json');
    for (const [name, entry] of Object.entries(wanted)) {
      if (name === '') continue;
      const other = present[name];
      // Optional packages of other platforms are left out.
      if (!other && entry.optional) continue;
      if (other?.version !== entry.version || other?.integrity !== entry.integrity) return false;
    }
    const libpq = path.join(PROJECT, 'node_modules/libpq/build');
    const config = fs.readFileSync(path.join(libpq, 'config.gypi'), 'utf8');
    const abi = /"node_module_version": (\d+)/.exec(config)?.[1];
    return (
      abi === process.versions.modules && fs.existsSync(path.join(libpq, 'Release/addon.node'))
    );
  } catch {
    return false;
  }
}

function packagesOf(file) {
  return JSON.parse(fs.readFileSync(path.join(PROJECT, file), 'utf8')).packages;
}

/** npm runs the npm that started this, or the one on the path. */
async function npm(title, args) {
  const options = { cwd: PROJECT, env: npmEnvironment() };
  const script = process.env.npm_execpath;
  if (script) return step(title, process.execPath, [script, ...args], options);
  return step(title, 'npm', args, options);
}

/** npmEnvironment points node-gyp, which builds libpq's addon, to the headers that came with Node, when they did. */
function npmEnvironment() {
  const folder = path.resolve(process.execPath, '../..');
  const { env } = process;
  if (env.npm_config_nodedir || !fs.existsSync(path.join(folder, 'include/node/node.h')))
    return env;
  // npm 12 calls the name that older ones need unknown; the other one is known to its node-gyp.
  const major = Number(/npm\/(\d+)/.exec(env.npm_config_user_agent ?? '')?.[1] ?? 0);
  const name = major >= 12 ? 'npm_package_config_node_gyp_nodedir' : 'npm_config_nodedir';
  return { ...env, [name]: folder };
}
