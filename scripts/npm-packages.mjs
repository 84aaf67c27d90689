/**
 * npm packages of a folder with a lockfile: whether they are installed, and npm to install them. Runs before node_modules
 * exists.
 */
import fs from 'node:fs';
import path from 'node:path';
import { step } from './step.mjs';

/** installed tells whether a folder's node_modules matches its lockfile. */
export function installed(folder) {
  try {
    const wanted = packagesOf(folder, 'package-lock.json');
    const present = packagesOf(folder, 'node_modules/.package-lock.json');
    return Object.entries(wanted).every(([name, entry]) => {
      const other = present[name];
      // Optional packages of other platforms are left out.
      if (name === '' || (!other && entry.optional)) return true;
      return other?.version === entry.version && other.integrity === entry.integrity;
    });
  } catch {
    return false;
  }
}

function packagesOf(folder, file) {
  return JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')).packages;
}

/** npm runs the npm that started this process, otherwise the one on the PATH, in a folder. */
export async function npm(title, args, folder) {
  const options = { cwd: folder, env: npmEnvironment() };
  const script = process.env.npm_execpath;
  if (script) return step(title, process.execPath, [script, ...args], options);
  return step(title, 'npm', args, options);
}

/** npmEnvironment tells node-gyp, which builds libpq's addon, where Node's headers are, if they were installed with Node. */
function npmEnvironment() {
  const folder = path.resolve(process.execPath, '../..');
  const { env } = process;
  if (env.npm_config_nodedir || !fs.existsSync(path.join(folder, 'include/node/node.h')))
    return env;
  // npm 12 warns about the name that older versions need; its node-gyp reads the other one.
  const major = Number(/npm\/(\d+)/.exec(env.npm_config_user_agent ?? '')?.[1] ?? 0);
  const name = major >= 12 ? 'npm_package_config_node_gyp_nodedir' : 'npm_config_nodedir';
  return { ...env, [name]: folder };
}
