/** What the runners, responses and tasks of a worker have in common; worker-services.ts puts it together. */
import type { ProofCache } from '../messages/proof-cache.js';
import type { WorkerSettings } from '../messages/worker-settings.js';
import type { Logger } from '../observe/log.js';
import type { Scripts } from '../script/scripts.js';
import type { QuerySpans } from './timing/query-spans.js';
import type { SlowStatements } from './timing/slow-statements.js';
import type { WorkerDatabase } from './worker-database.js';

export interface WorkerParts {
  readonly settings: WorkerSettings;
  /** By alias, in the order of the configuration. */
  readonly databases: ReadonlyMap<string, WorkerDatabase>;
  readonly scripts: Scripts;
  /** Empty with `queries.proof` off, and until the first proofs arrive. */
  readonly proofs: ProofCache;
  readonly slow: SlowStatements;
  /** Undefined where nothing is traced. */
  readonly spans: QuerySpans | undefined;
  readonly log: Logger;
}
