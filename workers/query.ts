/** The program of a query worker: runs requests from its mailbox, and tasks of piscina. */
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { ROOM } from '#app/messages/batch.js';
import { createLogger, logWarnings } from '#app/observe/log.js';
import { beginCounting } from '#app/observe/metrics/sampler.js';
import { Mailbox } from '#app/native/mailbox.js';
import { releaseOnceIdle } from '#app/native/memory.js';
import { ResponseRing } from '#app/native/response-ring.js';
import type { WorkerSettings } from '#app/messages/settings.js';
import type { WorkerTask } from '#app/messages/tasks.js';
import { QuerySpans } from '#app/worker/timing/query-spans.js';
import { ResponseBatcher } from '#app/worker/responses/response-batcher.js';
import { WorkerServices } from '#app/worker/worker-services.js';

/** Wait of a worker whose predecessors died, in milliseconds; doubled with each death in a row. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5_000;

const settings = workerData as WorkerSettings;
const deaths = Atomics.load(new Int32Array(settings.deaths), 0);
if (deaths > 1) await sleep(Math.min(FIRST_WAIT * 2 ** (deaths - 2), LONGEST_WAIT));

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

/** Runs one task; see WorkerTask. */
export default function run(task: WorkerTask): unknown {
  switch (task.type) {
    case 'serve':
      httpProcess = task.address;
      return mailbox.address;
    case 'probe':
      return services.probe(task.alias);
    case 'connections':
      services.applyQuota();
      return undefined;
    case 'scripts':
      return services.refreshScripts();
    case 'proofs':
      services.proofs.apply(task.news);
      return undefined;
    case 'user':
      return services.users.find(task.username, task.requestId);
    case 'renew':
      return services.users.renew(task.username, task.from, task.to);
    case 'migrate-users':
      return services.users.make();
    case 'script-bodies':
      return services.runner.bodies(task.alias, task.folder, task.name);
    case 'registry':
      return services.registry.respond(task.request);
    case 'found-scripts':
      return services.foundScripts();
    case 'openapi':
      return services.openapi().then((tasks) => tasks.respond(task.request));
    case 'databases':
      return services.openapi().then((tasks) => tasks.databases(task.reader));
    case 'routes':
      return services.routes.list(task.version);
  }
}
