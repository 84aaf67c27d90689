/**
 * A front-end process: serves HTTP with the settings its supervisor sends, until it is told to drain or the
 * supervisor is gone. Signals are the supervisor's to act on: a terminal sends them to the whole group, and a drain
 * that each process began by itself would cut off the requests of the others.
 */
import { createLogger } from '../log.js';
import {
  connectionsOf,
  type Connections,
  type FrontEndMessage,
  type FrontEndSettings,
  type SupervisorMessage,
} from '../protocol.js';
import { HttpServer } from './http-server.js';
import { SupervisedAttempts } from './supervised-attempts.js';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

/** How often the supervisor is told of connections that were given up (milliseconds). */
const REPORT_INTERVAL = 50;

interface FrontEnd {
  readonly server: HttpServer;
  readonly threads: number;
}

const attempts = new SupervisedAttempts(tell);

let frontEnd: FrontEnd | undefined;
let reporter: NodeJS.Timeout | undefined;
let draining = false;

function start(settings: FrontEndSettings): void {
  const log = createLogger(settings.worker.log, { part: 'http', frontEnd: settings.index });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the front end ends');
    process.exit(1);
  });
  try {
    const server = new HttpServer(settings, log, {
      attempts,
      keepKeys: (text) => tell({ type: 'keys', text }),
      libraries: {
        ask: (name) => tell({ type: 'library', name }),
        loaded: (name, loaded) => tell({ type: 'library-loaded', name, loaded }),
      },
    });
    frontEnd = { server, threads: settings.threads };
    tell({ type: 'listening', port: server.port });
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) }, () =>
      process.exit(1),
    );
  }
}

/** Goes by a new number of connections for each thread, and reports what is held until it is no more than that. */
function allow({ server, threads }: FrontEnd, connections: Connections): void {
  server.allow(connections);
  clearInterval(reporter);
  let seen = server.connections();
  reporter = setInterval(() => {
    // What was there the last time: PostgreSQL takes a moment to notice that a connection was closed.
    tell({ type: 'connections', connections: seen });
    const enough = ([alias, each]: [string, number]): boolean =>
      (connectionsOf(seen, alias) ?? 0) <= each * threads;
    if (Object.entries(connections).every(enough)) clearInterval(reporter);
    seen = server.connections();
  }, REPORT_INTERVAL);
}

async function drain(): Promise<void> {
  if (draining) return;
  draining = true;
  const cut = (await frontEnd?.server.drain()) ?? 0;
  process.exit(cut === 0 ? 0 : 1);
}

function tell(message: FrontEndMessage, done: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, done);
}

process.on('message', (message: SupervisorMessage) => {
  switch (message.type) {
    case 'start':
      start(message.settings);
      break;
    case 'connections':
      if (frontEnd !== undefined) allow(frontEnd, message.connections);
      break;
    case 'scripts':
      frontEnd?.server.scriptsChanged();
      break;
    case 'library-part':
    case 'library-refused':
      frontEnd?.server.libraryArrived(message);
      break;
    case 'attempt':
      attempts.answered(message.id, message.wait);
      break;
    case 'unlisten':
      // After what the same turn of the loop has for the socket: a connection that waits at it is reset with it.
      setImmediate(() => {
        frontEnd?.server.unlisten();
        tell({ type: 'unlistened' });
      });
      break;
    case 'drain':
      void drain();
      break;
  }
});
process.on('disconnect', () => {
  attempts.lost();
  void drain();
});
