/** The permanent task of the prover thread: the service, its databases and its messages, until the message `close`. */
import type { MessagePort } from 'node:worker_threads';
import { createLogger, logWarnings, type Logger } from '../../observe/log.js';
import { beginCounting } from '../../observe/metrics/sampler.js';
import { updateChunks, type ProofUpdate } from '../../messages/proofs.js';
import { Database } from '../../postgres/lanes/database.js';
import { LentQuota } from '../../postgres/connection/lent-quota.js';
import { ResultBudget } from '../../postgres/connection/result-budget.js';
import { ProofCache } from '../../messages/proof-cache.js';
import type { ProverSettings } from '../../messages/prover-settings.js';
import type { ProverMessage, ProverReport } from '../../messages/tasks.js';
import { FileTexts } from '../../proof/prover/file-texts.js';
import { ProverService, type ProverSources } from '../../proof/prover/prover-service.js';
import { SharedProofs } from '../../stored/scripts/shared-proofs.js';
import { TableTexts } from '../../stored/scripts/table-texts.js';

/** runProver proves the scripts, as messages at `port` say, and reports there. */
export async function runProver(settings: ProverSettings, port: MessagePort): Promise<void> {
  const log = createLogger(settings.log, { part: 'prover' });
  logWarnings(log);
  beginCounting(settings.metrics, log);
  const send = (report: ProverReport): void => port.postMessage(report);
  const report = (update: ProofUpdate): void => {
    for (const chunk of updateChunks(update)) send({ type: 'update', update: chunk });
  };
  const databases = databasesOf(settings, () => send({ type: 'lend' }));
  const known = new ProofCache();
  const proving = (text: string | undefined): void => send({ type: 'proving', text });
  const sources = proverSources(settings, databases, log);
  const service = new ProverService(settings, sources, { report, proving }, log);
  await new Promise<void>((resolve) => {
    port.on('message', (message: ProverMessage) => {
      switch (message.type) {
        case 'known':
          known.apply(message.update);
          break;
        case 'start':
          service.start(known.contents(), message.deadly);
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

/** proverSources gives what a prover works on, as its settings say. */
export function proverSources(
  settings: ProverSettings,
  databases: ReadonlyMap<string, Database>,
  log: Logger,
): ProverSources {
  const { scripts, scriptsTable, maxResult, defaultAlias } = settings;
  // What is wrong with a text is a finding of its proof.
  const silent = log.child({}, { level: 'silent' });
  if (scriptsTable === undefined)
    return { databases, texts: new FileTexts(scripts, silent), shared: undefined };
  const main = databases.get(defaultAlias)!;
  return {
    databases,
    texts: new TableTexts(scriptsTable, main, maxResult, silent),
    shared: new SharedProofs(scriptsTable, main, settings, log),
  };
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
