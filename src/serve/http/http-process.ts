/**
 * The program of an HTTP process: serves with the settings that the supervisor sends, until the supervisor sends
 * `drain` or exits. It ignores signals, which a terminal sends to the whole process group: the supervisor handles them,
 * because a drain that each process began by itself would cut off the requests of the others.
 */
import {
  connectionsOf,
  type Connections,
  type HttpProcessMessage,
  type SupervisorMessage,
} from '../../messages/ipc.js';
import { createLogger, logWarnings } from '../../observe/log.js';
import { ProcessPlaces } from '../../observe/metrics/places.js';
import { beginCounting } from '../../observe/metrics/sampler.js';
import { releaseOnceIdle } from '../../native/memory.js';
import { ProofCache } from '../../messages/proof-cache.js';
import type { ProofUpdate } from '../../messages/proofs.js';
import type { HttpSettings } from '../../messages/http-settings.js';
import { errorText } from '../../base/text.js';
import { HttpServer } from './http-server.js';
import { SupervisedAttempts, SupervisedScrapes } from './transport/supervised.js';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

/** How often the number of connections is reported to the supervisor while it is above the quota (milliseconds). */
const REPORT_INTERVAL = 50;

/** What was proved before this process started; then its server has it up to date. */
const proofs = new ProofCache();

const attempts = new SupervisedAttempts(send);
const scrapes = new SupervisedScrapes(send);

let server: HttpServer | undefined;
let threads = 1;
let reporter: NodeJS.Timeout | undefined;
let draining = false;

async function start(
  settings: HttpSettings,
  memory: number | undefined,
  shared: number | undefined,
): Promise<void> {
  const log = createLogger(settings.worker.log, { part: 'http', httpProcess: settings.index });
  logWarnings(log);
  // Only what a request was waiting for is lost, and a request without a response gets one at its time limit.
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'a failure was not handled');
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the HTTP process ends');
    process.exit(1);
  });
  try {
    threads = settings.threads;
    const metrics =
      memory === undefined ? undefined : new ProcessPlaces(memory, settings.index, threads);
    beginCounting(metrics?.http, log);
    server = new HttpServer(settings, log, {
      metrics,
      shared,
      scrapes,
      attempts,
      keepKeys: (text) => send({ type: 'key-set', text }),
      libraries: {
        request: (name) => send({ type: 'library-request', name }),
        loaded: (name, loaded) => send({ type: 'library-loaded', name, loaded }),
      },
      proofs,
      report: (update) => send({ type: 'proofs', update }),
      sendSpans: (spans, count, dropped, done) =>
        send({ type: 'spans', spans: spans.toString('base64'), count, dropped }, done),
      passCancelled: (calls) => send({ type: 'calls-cancelled', calls }),
    });
    const port = await server.listen();
    if (port === undefined) return; // drained meanwhile
    send({ type: 'listening', port });
    if (settings.index === 0) await server.report(log);
    releaseOnceIdle(log);
  } catch (error) {
    send({ type: 'start-failed', message: errorText(error) }, () => process.exit(1));
  }
}

/** Applies a quota for each query thread, and reports the number of connections until it is within the quota. */
function allow(running: HttpServer, quota: Connections): void {
  running.allow(quota);
  clearInterval(reporter);
  let seen = running.pool.connections();
  reporter = setInterval(() => {
    // The number of the last interval: PostgreSQL takes a moment to notice that a connection was closed.
    send({ type: 'connections', connections: seen });
    const within = ([alias, each]: [string, number]): boolean =>
      (connectionsOf(seen, alias) ?? 0) <= each * threads;
    if (Object.entries(quota).every(within)) clearInterval(reporter);
    seen = running.pool.connections();
  }, REPORT_INTERVAL);
}

function proved(update: ProofUpdate): void {
  if (server === undefined) proofs.apply(update);
  else server.pool.proved(update);
}

async function drain(): Promise<void> {
  if (draining) return;
  draining = true;
  const cut = (await server?.drain()) ?? 0;
  process.exit(cut === 0 ? 0 : 1);
}

function send(message: HttpProcessMessage, done: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, done);
}

process.on('message', (message: SupervisorMessage) => {
  switch (message.type) {
    case 'start':
      void start(message.settings, message.metrics, message.shared);
      break;
    case 'ping':
      send({ type: 'pong' });
      break;
    case 'connection-quota':
      if (server !== undefined) allow(server, message.connections);
      break;
    case 'scripts-changed':
      server?.scriptsChanged();
      break;
    case 'proofs':
      proved(message.update);
      break;
    case 'calls-cancelled':
      server?.cancelCalls(message.calls);
      break;
    case 'library-part':
    case 'library-rejected':
      server?.plugins.arrived(message);
      break;
    case 'login-wait':
      attempts.replied(message.id, message.wait);
      break;
    case 'scraped': {
      const { id, contentType } = message;
      const body = Buffer.from(message.body, 'base64');
      scrapes.replied(id, contentType === undefined ? undefined : { contentType, body });
      break;
    }
    case 'stop-listening':
      // This turn of the loop may still accept connections that wait: closing the socket would reset them.
      setImmediate(() => {
        server?.stopListening();
        send({ type: 'stopped-listening' });
      });
      break;
    case 'drain':
      void drain();
      break;
  }
});
process.on('disconnect', () => {
  attempts.lost();
  scrapes.lost();
  void drain();
});
