/**
 * Takes one sample: loads a server with a case, and measures the cost. Some responses are checked during the load, and rows
 * of inserts are counted. Throws when a response is wrong or rows are missing.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ids, methodOf, type Case } from '../cases.js';
import type { Database } from '../database.js';
import { runLoad, type Load, type LoadResult } from '../load/load.js';
import type { Address } from '../server.js';
import { checkAnswers } from './answers.js';
import type { Figures } from './figures.js';
import { privateBytes, residentBytes } from './process-tree.js';
import { otherLoad, usage } from './usage.js';

export interface Setting {
  readonly case: Case;
  readonly connections: number;
  readonly seconds: number;
  /** Different for every sample, so that the order of ids is too. */
  readonly seed: number;
  /** Folder for files of the load generator. */
  readonly scratch: string;
}

/** Enough that no statement with an interpolated id repeats within the size of a statement cache. */
const PATHS = 100_000;
const CHECKS = 8;
const MEMORY_INTERVAL = 200;
/** Seconds that the second load begins earlier and ends later; wrk needs whole ones. */
const MARGIN = 1;

export interface Sampled extends Address {
  readonly pid: number;
  /** Its role in PostgreSQL. */
  readonly user: string;
}

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
    requests: numbers.map((id) => ({
      method: methodOf(subject, id),
      path: subject.path(id),
      body: subject.body?.(id),
    })),
    connections,
    seconds,
    scratch: path.join(setting.scratch, 'requests'),
  };
  if (subject.inserts !== undefined) await database.clearEvents();
  const secondLoad = startSecondLoad(load, subject);
  if (secondLoad) await sleep(MARGIN * 1000);
  let sessions = await database.sessionsOf(server.user);
  let [resident, sessionMemory] = [0, 0];
  const readMemory = (): void => {
    resident = Math.max(resident, residentBytes(server.pid));
    sessionMemory = Math.max(sessionMemory, privateBytes(sessions));
  };
  const before = usage(server.pid, database.pid);
  const watch = setInterval(readMemory, MEMORY_INTERVAL);
  const checks = sleep(seconds * 500).then(() =>
    checkAnswers(server, subject, numbers.slice(0, CHECKS)),
  );
  // Even if one fails, the other must end before the server is stopped.
  const [loaded, checked] = await Promise.allSettled([runLoad(load), checks]);
  clearInterval(watch);
  const after = usage(server.pid, database.pid);
  // Sessions may have been opened since the start.
  sessions = await database.sessionsOf(server.user);
  readMemory();
  const [slow] = await Promise.allSettled([secondLoad]);
  const result = fulfilled(loaded);
  fulfilled(checked);
  const errors = result.errors + (fulfilled(slow)?.errors ?? 0);
  if (subject.inserts !== undefined)
    await checkEvents(database, result, connections, subject.inserts);
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

/** Starts the second load of a case. */
function startSecondLoad(load: Load, { beside }: Case): Promise<LoadResult> | undefined {
  if (!beside) return undefined;
  return runLoad({
    ...load,
    requests: [{ method: 'GET', path: beside.path, body: undefined }],
    connections: beside.connections,
    seconds: load.seconds + 2 * MARGIN,
    scratch: `${load.scratch}-beside`,
  });
}

/** checkEvents compares rows, so many for each response: requests in flight at the end may have inserted theirs. */
async function checkEvents(
  database: Database,
  { requests, errors }: LoadResult,
  connections: number,
  each: number,
): Promise<void> {
  const rows = (await database.countEvents()) / each;
  const least = requests + CHECKS - errors;
  if (rows >= least && rows <= least + errors + connections) return;
  throw new Error(`${requests} inserts were answered, but there are ${rows * each} rows`);
}

function fulfilled<Value>(outcome: PromiseSettledResult<Value>): Value {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
