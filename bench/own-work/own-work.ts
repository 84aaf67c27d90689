/**
 * What the service has PostgreSQL do by itself, without requests: the proof of a hundred scripts after the start, then the
 * watch over catalogs. Both have a limit of CPU time.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { placeFor, service } from '../contestants.js';
import type { Database } from '../database.js';
import { fineCpuSeconds, treeOf } from '../measure/process-tree.js';
import { fromProject } from '../project.js';
import { aligned } from '../report.js';
import { startServer } from '../server.js';
import { judged } from '../targets.js';
import { SCRIPTS, writeScripts } from './scripts.js';

export interface OwnWork {
  /** CPU seconds of PostgreSQL from the start of the service to the end of the first proof. */
  readonly proof: number;
  /** How many scripts were proved then. */
  readonly proved: number;
  /** CPU seconds of PostgreSQL in IDLE seconds after it, and the part of the service's sessions in them. */
  readonly idle: number;
  readonly sessions: number;
}

/** Seconds without requests that are measured. */
const IDLE = 30;

/** How often they are measured at most: what else the machine does makes the same work take longer. The least counts. */
const TRIES = 3;

/** Seconds before them, in which what the start has begun may end. */
const SETTLE = 5;

/** Limits: the part of a core when idle, and CPU seconds for the proof. */
const IDLE_PART = 0.001;
const PROOF = 1;

/** Seconds after which the end of the proof is not waited for. */
const PATIENCE = 120;

/** measureOwnWork starts a service with its own scripts in `folder`, and ends it. */
export async function measureOwnWork(
  database: Database,
  folder: string,
  say: (line: string) => void,
): Promise<OwnWork> {
  const cpu = (): number => fineCpuSeconds(treeOf(database.pid));
  const queries = path.join(folder, 'queries');
  writeScripts(queries);
  const subject = service('own-work', fromProject('.'), { queries, level: 'info' });
  const login = await database.loginFor(subject.name);
  const place = placeFor(subject, { database: login, connections: 10, plugins: undefined, folder });
  const log = path.join(place.folder, 'log');
  say(`the proof of ${SCRIPTS} scripts`);
  const start = cpu();
  const server = await startServer(subject.launch(place), '/_QUERIES/group0/script0?id=1', log);
  try {
    const proved = await provedIn(log);
    const proof = cpu() - start;
    // What the proof has left in the catalogs would have autovacuum come in the middle.
    await database.vacuum();
    await sleep(SETTLE * 1000);
    let least = { idle: Infinity, sessions: 0 };
    for (let tries = 0; tries < TRIES && least.idle > IDLE * IDLE_PART; tries++) {
      say(`an idle service for ${IDLE} s`);
      const pids = await database.sessionsOf(login.user);
      const before = { all: cpu(), sessions: fineCpuSeconds(pids) };
      await sleep(IDLE * 1000);
      const [idle, sessions] = [cpu() - before.all, fineCpuSeconds(pids) - before.sessions];
      if (idle < least.idle) least = { idle, sessions };
    }
    return { proof, proved, ...least };
  } finally {
    await server.stop();
  }
}

/** provedIn waits for the end of the first proof in a log, and gives how many scripts were proved; 0 when it takes too long. */
async function provedIn(log: string): Promise<number> {
  const end = Date.now() + PATIENCE * 1000;
  while (Date.now() < end) {
    const line = readFileSync(log, 'utf8')
      .split('\n')
      .find((text) => text.includes('"the scripts were proved"'));
    if (line !== undefined) {
      const { proved = 0, covered = 0 } = JSON.parse(line) as Record<string, number>;
      return proved + covered;
    }
    await sleep(50);
  }
  return 0;
}

/** ownWorkTable compares the figures with their limits, and tells whether all are met. */
export function ownWorkTable(work: OwnWork): { readonly met: boolean; readonly text: string } {
  const rows = [
    judged('scripts proved at the start', work.proved, { least: SCRIPTS }),
    judged(`proof of ${SCRIPTS} scripts, s`, work.proof, { most: PROOF }),
    judged(`idle for ${IDLE} s, ms`, work.idle * 1000, { most: IDLE * IDLE_PART * 1000 }),
  ];
  const sessions = ["in the service's sessions, ms", '', (work.sessions * 1000).toFixed(2), ''];
  return {
    met: rows.every((row) => row.at(-1) === 'met'),
    text: `CPU time of PostgreSQL without requests\n${aligned([['', 'wanted', 'reached', ''], ...rows, sessions])}`,
  };
}
