/**
 * Starts a server several times, and measures the time of a start. The last one is left running. The memory of all idle
 * servers is measured when the last of them has been started, because processes of the same program share pages: the figure
 * with shared pages divided would otherwise depend on the order of the starts.
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

/** A running server, and the times of its starts in milliseconds. */
export interface Started {
  readonly name: string;
  readonly server: Server;
  readonly times: readonly number[];
}

/** startContestant starts a contestant `starts` times. */
export async function startContestant(
  contestant: Contestant,
  place: Place,
  starts: number,
): Promise<Started> {
  const log = path.join(place.folder, 'log');
  const first = CASES[0]!.path(1);
  const times: number[] = [];
  for (;;) {
    const server = await startServer(contestant.launch(place), first, log);
    times.push(server.startup);
    if (times.length === starts) return { name: contestant.name, server, times };
    await server.stop();
  }
}

/** measureIdle measures the memory of all servers after a rest. */
export async function measureIdle(all: readonly Started[]): Promise<Idle[]> {
  await sleep(REST);
  return all.map(({ name, server, times }) => ({
    name,
    startup: spread(times),
    memory: memoryOf(server.pid),
    processes: treeOf(server.pid).length,
  }));
}
