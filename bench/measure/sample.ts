/**
 * One sample: drives one server with one case for a while, and reads what that cost. Answers are checked in the middle
 * of the load; rows of inserts are counted. Throws when an answer is wrong or rows are missing.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ids, type Case } from '../cases.js';
import type { Database } from '../database.js';
import { run, type Load, type LoadResult } from '../load/load.js';
import type { Address } from '../server.js';
import { checkAnswers } from './answers.js';
import type { Figures } from './figures.js';
import { privateBytes, residentBytes } from './process-tree.js';
import { otherLoad, usage } from './usage.js';

export interface Setting {
  readonly case: Case;
  readonly connections: number;
  readonly seconds: number;
  /** Another one for every sample, so that no two send the same ids in the same order. */
  readonly seed: number;
  /** Folder for files of the load. */
  readonly scratch: string;
}

/** Enough that a statement in the SQL text does not come again within what a cache of statements may hold. */
const PATHS = 100_000;
const CHECKS = 8;
const MEMORY_INTERVAL = 200;
/** How much earlier the load beside begins, and how much later it ends, in seconds (wrk counts whole ones). */
const MARGIN = 1;

/** Sampled is a server that runs. */
export interface Sampled extends Address {
  readonly pid: number;
  /** Role as which it connects to PostgreSQL. */
  readonly user: string;
}

/** sampleServer measures a server. */
export async function sampleServer(
  server: Sampled,
  database: Database,
  setting: Setting,
): Promise<Figures> {
  const { case: subject, connections, seconds, seed } = setting;
  const numbers = ids(subject, seed, Math.min(PATHS, subject.range));
  const load: Load = {
    port: server.port,
    authorization: server.authorization,
    method: subject.method,
    requests: numbers.map((id) => ({ path: subject.path(id), body: subject.body?.(id) })),
    connections,
    seconds,
    scratch: path.join(setting.scratch, 'requests'),
  };
  if (subject.inserts) await database.clearEvents();
  const beside = startBeside(load, subject);
  if (beside) await sleep(MARGIN * 1000);
  let sessions = await database.sessionsOf(server.user);
  let [resident, sessionMemory] = [0, 0];
  const look = (): void => {
    resident = Math.max(resident, residentBytes(server.pid));
    sessionMemory = Math.max(sessionMemory, privateBytes(sessions));
  };
  const before = usage(server.pid, database.pid);
  const watch = setInterval(look, MEMORY_INTERVAL);
  const checks = sleep(seconds * 500).then(() =>
    checkAnswers(server, subject, numbers.slice(0, CHECKS)),
  );
  // Both are waited for even when one fails: the other still uses the server.
  const [loaded, checked] = await Promise.allSettled([run(load), checks]);
  clearInterval(watch);
  const after = usage(server.pid, database.pid);
  // Sessions may have come since the beginning.
  sessions = await database.sessionsOf(server.user);
  look();
  const [slow] = await Promise.allSettled([beside]);
  const result = fulfilled(loaded);
  fulfilled(checked);
  const errors = result.errors + (fulfilled(slow)?.errors ?? 0);
  if (subject.inserts) await checkEvents(database, result, connections);
  const answers = result.requests + CHECKS;
  return {
    rate: result.requests / result.seconds,
    p50: result.p50,
    p99: result.p99,
    serverCpu: ((after.server - before.server) / answers) * 1e6,
    databaseCpu: ((after.database - before.database) / answers) * 1e6,
    resident,
    sessionMemory,
    errors,
    otherLoad: otherLoad(before, after),
  };
}

/** startBeside starts the other load of a case. */
function startBeside(load: Load, { beside }: Case): Promise<LoadResult> | undefined {
  if (!beside) return undefined;
  return run({
    ...load,
    method: 'GET',
    requests: [{ path: beside.path, body: undefined }],
    connections: beside.connections,
    seconds: load.seconds + 2 * MARGIN,
    scratch: `${load.scratch}-beside`,
  });
}

/** checkEvents compares rows with answers: requests that were under way at the end may have left one each. */
async function checkEvents(
  database: Database,
  { requests, errors }: LoadResult,
  connections: number,
): Promise<void> {
  const rows = await database.countEvents();
  const least = requests + CHECKS - errors;
  if (rows >= least && rows <= least + errors + connections) return;
  throw new Error(`${requests} inserts were answered, but there are ${rows} rows`);
}

function fulfilled<Value>(outcome: PromiseSettledResult<Value>): Value {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
