/**
 * Load from wrk. Throws when wrk prints no result.
 */
import { availableParallelism } from 'node:os';
import type { Load, LoadResult } from './load.js';
import { output } from './program.js';
import { fromProject } from '../project.js';

/** generatorThreads is few: a thread of wrk sends over 100,000 requests per second, and the server needs the cores. */
export function generatorThreads(cores: number, connections: number): number {
  return Math.min(Math.max(1, Math.floor(cores / 4)), connections);
}

/** wrkLoad loads a server with the requests in `load.scratch`. */
export async function wrkLoad(load: Load): Promise<LoadResult> {
  const printed = await output('wrk', [
    `--threads=${generatorThreads(availableParallelism(), load.connections)}`,
    `--connections=${load.connections}`,
    `--duration=${load.seconds}s`,
    '--timeout=30s',
    ...(load.authorization === undefined
      ? []
      : ['--header', `Authorization: ${load.authorization}`]),
    `--script=${fromProject('bench/load/wrk.lua')}`,
    `http://127.0.0.1:${load.port}`,
    '--',
    load.scratch,
  ]);
  const json = /^RESULT (.*)$/m.exec(printed)?.[1];
  if (json === undefined) throw new Error(`wrk printed no result: ${printed.trim()}`);
  return JSON.parse(json) as LoadResult;
}
