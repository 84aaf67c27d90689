/**
 * A front-end process: serves HTTP with the settings its supervisor sends, until it is told to drain or the
 * supervisor is gone. Signals are the supervisor's to act on: a terminal sends them to the whole group, and a drain
 * that each process began by itself would cut off the requests of the others.
 */
import { createLogger } from '../log.js';
import type { FrontEndMessage, FrontEndSettings, SupervisorMessage } from '../protocol.js';
import { HttpServer } from './http-server.js';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

let server: HttpServer | undefined;
let draining = false;

function start(settings: FrontEndSettings): void {
  const log = createLogger(settings.worker.log, { part: 'http', frontEnd: settings.index });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the front end ends');
    process.exit(1);
  });
  try {
    server = new HttpServer(settings, log);
    tell({ type: 'listening', port: server.port });
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) }, () =>
      process.exit(1),
    );
  }
}

async function drain(): Promise<void> {
  if (draining) return;
  draining = true;
  const cut = (await server?.drain()) ?? 0;
  process.exit(cut === 0 ? 0 : 1);
}

function tell(message: FrontEndMessage, done: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, done);
}

process.on('message', (message: SupervisorMessage) => {
  if (message.type === 'start') start(message.settings);
  else void drain();
});
process.on('disconnect', () => void drain());
