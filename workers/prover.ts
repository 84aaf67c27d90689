/**
 * The program of the thread that proves the scripts: one permanent task, until the message `close`. It has the least share
 * of busy cores from its start, so that requests do not wait for it.
 */
import { workerData, type MessagePort } from 'node:worker_threads';
import { lowPriority } from '#app/native/scheduling.js';
import type { ProverSettings } from '#app/settings.js';
import type { ProverMessage, ProverReport } from '#app/tasks.js';

const isLow = lowPriority();

// Loading the other modules takes longer than all before.
const { createLogger, logWarnings } = await import('#app/log.js');
const { newsPieces } = await import('#app/news-pieces.js');
const { Database } = await import('#app/pg/database.js');
const { LentQuota } = await import('#app/pg/lent-quota.js');
const { ResultBudget } = await import('#app/pg/result-budget.js');
const { ProofBook } = await import('#app/proof-book.js');
const { ProverService } = await import('#app/prover/prover-service.js');

const settings = workerData as ProverSettings;

/** Proves the scripts, as messages at `port` say, and reports there. */
export default async function run({ port }: { readonly port: MessagePort }): Promise<void> {
  const log = createLogger(settings.log, { part: 'prover' });
  logWarnings(log);
  if (!isLow) log.debug('the kernel refuses a low priority');
  const report = (one: ProverReport): void => port.postMessage(one);
  const budget = new ResultBudget(settings.maxResult, 2 * settings.maxResult);
  const connections = new Int32Array(settings.connections);
  const databases = new Map(
    settings.databases.map((one, i) => {
      const quota = new LentQuota(connections, i, () => report({ type: 'lend' }));
      return [one.alias, new Database(one, i === 0 ? budget : budget.another(), quota)];
    }),
  );
  const known = new ProofBook();
  const service = new ProverService(
    settings,
    databases,
    (news) => {
      for (const piece of newsPieces(news)) report({ type: 'news', news: piece });
    },
    log,
  );
  await new Promise<void>((resolve) => {
    port.on('message', (message: ProverMessage) => {
      switch (message.type) {
        case 'known':
          known.apply(message.news);
          break;
        case 'start':
          service.start(known.news());
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
