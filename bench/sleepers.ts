/**
 * Measures many simultaneous calls of a plugin handler that sleeps: they should take as long as the number of plugin threads
 * implies, and little more. Both kinds of isolation are measured, each in a service with one HTTP process, because every
 * HTTP process has its own plugin threads. Rejects when a response is wrong.
 */
import path from 'node:path';
import { CASES, PLUGIN } from './cases.js';
import { IN_PROCESS, placeFor, service, type Place } from './contestants.js';
import type { Database } from './database.js';
import { wants, type Options } from './options.js';
import { fromProject } from './project.js';
import { aligned } from './report.js';
import { send, startServer, type Server } from './server.js';

/** The result of one service, in milliseconds. */
export interface Slept {
  readonly name: string;
  readonly most: number;
  readonly took: number;
}

const CALLS = 100;
/** Milliseconds that plugins/bench.c sleeps. */
const SLEEP = 100;
/** The default of plugins.threads. */
const THREADS = 4;
/** Tolerance over the expected time. */
const SLACK = 1.2;

/** sleepers measures the selected services. */
export async function sleepers(
  options: Options,
  database: Database,
  place: Pick<Place, 'plugins' | 'folder'>,
): Promise<Slept[]> {
  const result: Slept[] = [];
  for (const [name, isolation] of [
    ['service', 'process'],
    [IN_PROCESS, 'thread'],
  ] as const) {
    if (!wants(options, name)) continue;
    const sleeper = service(`${name}-sleepers`, fromProject('.'), {
      layout: { processes: 1, threads: 1 },
      plugins: [`isolation = "${isolation}"`, `threads = ${THREADS}`],
    });
    const login = await database.loginFor(sleeper.name);
    const own = placeFor(sleeper, { ...place, database: login, connections: options.poolSize });
    const first = CASES[0]!.path(1);
    const server = await startServer(sleeper.launch(own), first, path.join(own.folder, 'log'));
    try {
      await callSleeper(server); // loads the plugin
      const began = performance.now();
      await Promise.all(Array.from({ length: CALLS }, () => callSleeper(server)));
      const most = Math.ceil(CALLS / THREADS) * SLEEP * SLACK;
      result.push({ name, most, took: performance.now() - began });
    } finally {
      await server.stop();
    }
  }
  return result;
}

async function callSleeper(server: Server): Promise<void> {
  const response = await send(server, `${PLUGIN}/Sleep`);
  const body = await response.text();
  if (response.status === 200 && body === `{"slept":${SLEEP}}`) return;
  throw new Error(`a call that sleeps was answered ${response.status} ${body.slice(0, 300)}`);
}

/** sleepersTable is a table with a line for each service. */
export function sleepersTable(all: readonly Slept[]): string {
  const title = `${CALLS} calls at once of a plugin that sleeps ${SLEEP} ms, ${THREADS} threads`;
  const rows = all.map(({ name, most, took }) => [
    name,
    `<= ${most}`,
    took.toFixed(0),
    took <= most ? 'met' : 'missed',
  ]);
  return `${title}\n${aligned([['', 'wanted ms', 'reached ms', ''], ...rows])}`;
}
