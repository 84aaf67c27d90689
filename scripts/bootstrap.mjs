/**
 * Sets up a fresh clone: system packages, npm packages, build. It is idempotent, and fast when nothing is to do. Refuses
 * versions of Node and glibc that the service does not support. Runs before node_modules exists.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed, npm } from './npm-packages.mjs';
import { SetupError, say } from './step.mjs';
import { installSystemPackages } from './system-packages.mjs';
import { uwsProblem } from './uws-binaries.mjs';

export const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const OLDEST_NODE = 20;
/** From Node 22 on, the binaries of uWebSockets.js are linked against this glibc. */
const GLIBC_FOR_NODE_22 = [2, 38];

/** bootstrap sets up the project; `ci` adds the packages for CI, `tests` builds the tests too. Throws SetupError. */
export async function bootstrap({ ci = false, tests = false } = {}) {
  checkPlatform();
  const install = !isInstalled();
  const built = fs.existsSync(path.join(PROJECT, 'build/Release/sql_rest_service.node'));
  if (install || !built || ci || tests) await installSystemPackages({ ci, tests });
  if (install) await installPackages();
  const { build } = await import('./build.mjs');
  await build({ tests });
}

async function installPackages() {
  await npm('installing npm packages (npm ci, about a minute)', ['ci'], PROJECT);
  const problem = uwsProblem(PROJECT, (other) => {
    say(`uWebSockets.js is ${other} here: the hash of its binary is not checked`);
  });
  if (problem !== undefined) throw new SetupError(problem);
}

/** bootstrapOrExit prints a SetupError and exits with 1. */
export async function bootstrapOrExit(options) {
  try {
    await bootstrap(options);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
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

/** isInstalled tells whether the npm packages are installed, with libpq's addon built for this Node. */
function isInstalled() {
  if (!installed(PROJECT)) return false;
  try {
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
