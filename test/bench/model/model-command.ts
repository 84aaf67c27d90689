/** The model as a command. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import path from 'node:path';

const MAIN = path.join(import.meta.dirname, '../../../bench/model/main.js');

export function model(args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', timeout: 120_000 });
}
