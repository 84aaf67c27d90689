/** The program of a query worker: takes requests from its mailbox, and does what piscina's tasks say. */
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { createLogger } from '#app/log.js';
import { Mailbox } from '#app/native/mailbox.js';
import type { WorkerSettings, WorkerTask } from '#app/protocol.js';
import { QueryRunner } from '#app/query/query-runner.js';

/** Back-off of a worker whose predecessors died: doubled with each death in a row, milliseconds. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5_000;

const settings = workerData as WorkerSettings;
const deaths = Atomics.load(new Int32Array(settings.deaths), 0);
if (deaths > 1) await sleep(Math.min(FIRST_WAIT * 2 ** (deaths - 2), LONGEST_WAIT));

/** The front end's mailbox. */
let frontEnd = 0;
const runner = new QueryRunner(
  settings,
  createLogger(settings.log, { part: 'query' }),
  (answers, bodies) => mailbox.post(frontEnd, answers, bodies),
);
const mailbox = new Mailbox((message) => runner.take(message));

/** Runs one task; see WorkerTask. */
export default function run(task: WorkerTask): unknown {
  switch (task.type) {
    case 'serve':
      frontEnd = task.address;
      return mailbox.address;
    case 'probe':
      return runner.probe(task.alias);
    case 'connections':
      runner.adjust();
      return undefined;
    case 'scripts':
      return runner.scriptsChanged();
    case 'user':
      return runner.users.find(task.username);
    case 'renew':
      return runner.users.renew(task.username, task.from, task.to);
    case 'migrate-users':
      return runner.users.make();
    case 'registry':
      return runner.registry.answer(task.request);
  }
}
