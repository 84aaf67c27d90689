/** A program that logs from three threads, fast, and then ends in the way its argument names. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';
import { createLogger, logWarnings } from '#app/observe/log.js';

const LINES = 1000;

const log = createLogger(
  { level: 'info', pretty: process.argv[3] === 'pretty' },
  { part: isMainThread ? 'main' : 'thread' },
);
logWarnings(log);
const threads = isMainThread
  ? [1, 2].map(() => new Worker(fileURLToPath(import.meta.url), { argv: process.argv.slice(2) }))
  : [];
for (let n = 0; n < LINES; n++)
  log.info({ n, text: 'é😀\u0000"\ud800'.repeat(n % 50) }, 'one of many');
await Promise.all(threads.map((thread) => once(thread, 'exit')));
if (isMainThread) {
  switch (process.argv[2]) {
    case 'exits':
      log.info('the last line');
      process.exit(3);
      break;
    case 'throws':
      process.on('uncaughtException', (error) => {
        log.fatal({ err: error }, 'the last line');
        process.exit(4);
      });
      setImmediate(() => {
        throw new Error('thrown on purpose');
      });
      break;
    case 'warns':
      process.emitWarning('warned on purpose', 'Purpose');
      setImmediate(() => log.info('the last line'));
      break;
    default:
      log.info('the last line');
      if (process.argv[3] !== 'pretty') break;
      log.info(
        { method: 'GET', path: '/a/\u001b[31mb', status: 404, ms: 1.5, requestId: 'r' },
        'request',
      );
      log.warn({ served: 'script', script: 'a/b' }, 'not served: a/b');
      log.warn(
        { position: 'a/b:1:8', state: '42703', source: ['> 1 | SELECT x', '    |        ^\u001b[2J'], hint: 'say y', when: 'always' }, // prettier-ignore
        'no x',
      );
  }
}
