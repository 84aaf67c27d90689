/** An HTTP server of the test's own process, with a worker that a test provides. */
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { HttpServer } from '#app/serve/http/http-server.js';
import { SupervisedAttempts } from '#app/serve/http/transport/supervised.js';
import { createLogger, type Logger } from '#app/observe/log.js';
import { ProofCache } from '#app/messages/proof-cache.js';
import type { HttpSettings } from '#app/messages/http-settings.js';

/** startServer starts a server whose threads run a program of test/pool/fixtures, and gives its port; it is drained when the test ends. */
export async function startServer(
  t: Pick<Test, 'teardown'>,
  settings: HttpSettings,
  program: string,
  log: Logger = createLogger({ level: 'silent', pretty: false }, {}),
): Promise<number> {
  const attempts = new SupervisedAttempts((message) => {
    if (message.type === 'login-begin') setImmediate(() => attempts.replied(message.id, 0));
  });
  const server = new HttpServer(
    settings,
    log,
    {
      attempts,
      keepKeys: () => undefined,
      libraries: { request: () => undefined, loaded: () => undefined },
      proofs: new ProofCache(),
      report: () => undefined,
      scrapes: { request: () => Promise.reject(new Error('no supervisor')) },
      passCancelled: () => undefined,
      sendSpans: (_spans, _count, _dropped, done) => done(),
    },
    fileURLToPath(new URL(`../pool/fixtures/${program}`, import.meta.url)),
  );
  t.teardown(() => server.drain());
  return (await server.listen())!;
}
