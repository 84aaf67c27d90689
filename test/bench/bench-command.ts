/** The benchmark as a command. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import path from 'node:path';

const MAIN = path.join(import.meta.dirname, '../../bench/main.js');

export function bench(args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', timeout: 120_000 });
}
