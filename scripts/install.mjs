/**
 * Runs when the package is installed: refuses a binary of uWebSockets.js that is not the one that was published, and builds
 * the C++ addon and the plugin host if those in the package do not run on this machine. It does nothing in a clone, where
 * bootstrap.mjs does both.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { uwsProblem } from './uws-binaries.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const addon = path.join(root, 'build/Release/sql_rest_service.node');
const host = path.join(root, 'build/Release/plugin_host');

function runs() {
  if (!fs.existsSync(addon) || !fs.existsSync(host)) return false;
  // In a process of its own: a binary for another machine may crash it.
  const loaded = spawnSync(process.execPath, ['-e', 'require(process.argv[1])', addon]);
  // The addon is not a plugin: the host prints a finding that says so.
  const checked = spawnSync(host, ['--check', addon], { encoding: 'utf8' });
  return loaded.status === 0 && checked.stdout?.startsWith('{');
}

function checkUws() {
  const problem = uwsProblem(root, (other) => {
    console.warn(`uWebSockets.js is ${other} here: the hash of its binary is not checked`);
  });
  if (problem === undefined) return;
  console.error(problem);
  process.exit(1);
}

const isInstalled = path.basename(path.dirname(root)) === 'node_modules';
if (isInstalled) checkUws();
if (isInstalled && !runs()) {
  // Otherwise the build could consider them up to date.
  for (const file of [addon, host]) fs.rmSync(file, { force: true });
  const args = [path.join(root, 'scripts/build-native.js')];
  const done = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exitCode = done.status ?? 1;
}
