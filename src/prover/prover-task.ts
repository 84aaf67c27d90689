/** The permanent task of the prover thread: the service, its databases and its messages, until the message `close`. */
import type { MessagePort } from 'node:worker_threads';
import { createLogger, logWarnings } from '../log.js';
import { beginCounting } from '../metrics/sampler.js';
import { newsPieces } from '../news-pieces.js';
import { Database } from '../pg/database.js';
import { LentQuota } from '../pg/lent-quota.js';
import { ResultBudget } from '../pg/result-budget.js';
import { ProofBook } from '../proof-book.js';
import type { ProofNews } from '../proofs.js';
import type { ProverSettings } from '../settings.js';
import type { ProverMessage, ProverReport } from '../tasks.js';
import { ProverService } from './prover-service.js';

/** runProver proves the scripts, as messages at `port` say, and reports there. */
export async function runProver(settings: ProverSettings, port: MessagePort): Promise<void> {
  const log = createLogger(settings.log, { part: 'prover' });
  logWarnings(log);
  beginCounting(settings.metrics, log);
  const send = (report: ProverReport): void => port.postMessage(report);
  const report = (news: ProofNews): void => {
    for (const piece of newsPieces(news)) send({ type: 'news', news: piece });
  };
  const databases = databasesOf(settings, () => send({ type: 'lend' }));
  const known = new ProofBook();
  const proving = (text: string | undefined): void => send({ type: 'proving', text });
  const service = new ProverService(settings, databases, { report, proving }, log);
  await new Promise<void>((resolve) => {
    port.on('message', (message: ProverMessage) => {
      switch (message.type) {
        case 'known':
          known.apply(message.news);
          break;
        case 'start':
          service.start(known.news(), message.deadly);
          break;
        case 'connections':
          for (const database of databases.values()) database.applyQuota();
          break;
        case 'scripts-changed':
          service.scriptsChanged();
          break;
        case 'close':
          resolve();
      }
    });
  });
  await service.close();
  port.close();
}

/** The databases by alias, on connections that a query worker lends; `lent` is called when it has one less, or one more. */
function databasesOf(
  { databases, maxResult, connections }: ProverSettings,
  lent: () => void,
): ReadonlyMap<string, Database> {
  const shared = new Int32Array(connections);
  const budget = new ResultBudget(maxResult, 2 * maxResult);
  return new Map(
    databases.map((one, i) => {
      const quota = new LentQuota(shared, i, lent);
      return [one.alias, new Database(one, i === 0 ? budget : budget.another(), quota)];
    }),
  );
}
