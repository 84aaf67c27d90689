/** The program of a query worker: runs requests from its mailbox, and tasks of piscina. */
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { ROOM } from '#app/messages/batch.js';
import { waitOf } from '#app/messages/worker-deaths.js';
import { createLogger, logWarnings } from '#app/observe/log.js';
import { beginCounting } from '#app/observe/metrics/sampler.js';
import { Mailbox } from '#app/native/mailbox.js';
import { releaseOnceIdle } from '#app/native/memory.js';
import { ResponseRing } from '#app/native/response-ring.js';
import type { WorkerSettings } from '#app/messages/worker-settings.js';
import type { TaskHandlers, TaskName, WorkerTask } from '#app/messages/tasks.js';
import { QuerySpans } from '#app/worker/timing/query-spans.js';
import { ResponseBatcher } from '#app/worker/responses/response-batcher.js';
import { WorkerServices } from '#app/worker/worker-services.js';

const settings = workerData as WorkerSettings;
const wait = waitOf(settings.deaths);
if (wait > 0) await sleep(wait);

/** Address of the HTTP process's mailbox. */
let httpProcess = 0;
const log = createLogger(settings.log, { part: 'query' });
logWarnings(log);
beginCounting(settings.metrics, log);
// A third of the modules of a worker, loaded only when MCP is enabled.
const mcp = settings.mcp && (await import('#app/worker/mcp-runner.js'));
const batcher = new ResponseBatcher(new ResponseRing(settings.responses), (bodies) => {
  mailbox.post(httpProcess, '', bodies);
});
const spans =
  settings.trace &&
  new QuerySpans(settings.trace, (report) => {
    mailbox.post(httpProcess, report);
  });
const services = new WorkerServices(settings, log, batcher, mcp?.McpRunner, spans);
const mailbox = new Mailbox((message, bodies) => {
  if (message === ROOM) batcher.hasRoom();
  else services.runner.take(message, bodies);
});
releaseOnceIdle(log);

const tasks: TaskHandlers = {
  ...services.tasks,
  serve: (address) => {
    httpProcess = address;
    return mailbox.address;
  },
};

export default function run<Name extends TaskName>({ name, args }: WorkerTask<Name>): unknown {
  return tasks[name](...args);
}
