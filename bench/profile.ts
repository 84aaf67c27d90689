/**
 * Runs the service under load with V8's profiler in each process and thread. Not part of measured samples, because profiling
 * takes time itself.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { CASES } from './cases.js';
import { placeFor, service } from './contestants.js';
import type { Database } from './database.js';
import { sampleServer } from './measure/sample.js';
import type { Options } from './options.js';
import { fromProject } from './project.js';
import { startServer } from './server.js';

const HOOK = pathToFileURL(path.join(import.meta.dirname, 'profile-hook.js')).href;
/** Time for the hook to notice the file, and to write the profile, in milliseconds. */
const PATIENCE = 1500;

/** writeProfiles writes `<case>-<connections>-<pid>-<thread>.cpuprofile` files into `folder`. */
export async function writeProfiles(
  { cells, poolSize, seconds }: Options,
  database: Database,
  plugins: string | undefined,
  folder: string,
): Promise<void> {
  const options = { hooks: [HOOK], env: { BENCH_PROFILE: folder } };
  const profiled = service('profiled', fromProject('.'), options);
  const login = await database.loginFor(profiled.name);
  const place = placeFor(profiled, { database: login, connections: poolSize, plugins, folder });
  const log = path.join(place.folder, 'log');
  const server = await startServer(profiled.launch(place), CASES[0]!.path(1), log);
  const sampled = { ...server, user: login.user };
  try {
    const go = path.join(folder, 'go');
    for (const cell of cells) {
      const setting = { ...cell, scratch: place.folder };
      await sampleServer(sampled, database, { ...setting, seconds: 1, seed: 1 });
      // Renamed, so that it is never read half written.
      writeFileSync(`${go}.part`, `${cell.case.name}-${cell.connections}`);
      renameSync(`${go}.part`, go);
      await sleep(PATIENCE);
      await sampleServer(sampled, database, { ...setting, seconds, seed: 2 });
      rmSync(go);
      await sleep(PATIENCE);
    }
  } finally {
    await server.stop();
  }
}
