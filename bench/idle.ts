/**
 * Starts a server several times, and measures the time of a start and the memory of the idle server. The last one is left
 * running.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CASES } from './cases.js';
import type { Contestant, Place } from './contestants.js';
import { spread, type Spread } from './measure/figures.js';
import { memoryOf, treeOf, type Memory } from './measure/process-tree.js';
import { startServer, type Server } from './server.js';

export interface Idle {
  readonly name: string;
  /** Milliseconds from the start to the first response. */
  readonly startup: Spread;
  readonly memory: Memory;
  readonly processes: number;
}

/** Time without requests before the memory is read, in milliseconds. */
const REST = 1000;

/** startContestant starts a contestant `starts` times. */
export async function startContestant(
  contestant: Contestant,
  place: Place,
  starts: number,
): Promise<{ readonly server: Server; readonly idle: Idle }> {
  const log = path.join(place.folder, 'log');
  const first = CASES[0]!.path(1);
  const times: number[] = [];
  for (;;) {
    const server = await startServer(contestant.launch(place), first, log);
    times.push(server.startup);
    if (times.length < starts) {
      await server.stop();
      continue;
    }
    await sleep(REST);
    const memory = memoryOf(server.pid);
    const processes = treeOf(server.pid).length;
    return { server, idle: { name: contestant.name, startup: spread(times), memory, processes } };
  }
}
