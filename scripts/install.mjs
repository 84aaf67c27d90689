/**
 * Runs when the package is installed: builds the C++ addon when the one in the package does not load on this machine.
 * Does nothing in a clone, where `npm run build` builds it.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const addon = path.join(root, 'build/Release/sql_rest_service.node');

function loads() {
  if (!fs.existsSync(addon)) return false;
  // In a process of its own: a binary made for another machine may do worse than throw.
  const done = spawnSync(process.execPath, ['-e', 'require(process.argv[1])', addon]);
  return done.status === 0;
}

const isInstalled = path.basename(path.dirname(root)) === 'node_modules';
if (isInstalled && !loads()) {
  // A build file made from other sources or for another Node would pass for a fresh one.
  fs.rmSync(addon, { force: true });
  const args = [path.join(root, 'scripts/build-native.js')];
  const done = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exitCode = done.status ?? 1;
}
