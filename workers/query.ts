/** The program of a query worker: what piscina runs for each task. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '#app/log.js';
import type { Answers, ProbeResult, WorkerSettings, WorkerTask } from '#app/protocol.js';
import { QueryRunner } from '#app/query/query-runner.js';

/** Back-off of a worker whose predecessors died: doubled with each death in a row, milliseconds. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5_000;

const settings = workerData as WorkerSettings;
const deaths = Atomics.load(new Int32Array(settings.deaths), 0);
if (deaths > 1) await sleep(Math.min(FIRST_WAIT * 2 ** (deaths - 2), LONGEST_WAIT));

const runner = new QueryRunner(
  settings,
  createLogger(settings.log, { part: 'query' }),
  (answers) => {
    parentPort!.postMessage(answers);
  },
);

/** Runs one task; see WorkerTask. */
export default function run(task: WorkerTask): Promise<Answers | ProbeResult> | undefined {
  switch (task.type) {
    case 'run':
      return runner.run(task.batch);
    case 'probe':
      return runner.probe();
    case 'abandon':
      runner.abandon(task.ids);
      return undefined;
    case 'connections':
      runner.adjust();
      return undefined;
  }
}
