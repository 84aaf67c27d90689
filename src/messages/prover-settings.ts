/** The settings of the prover thread. */
import type { DatabaseSettings } from './database-settings.js';
import type { WorkerSettings } from './worker-settings.js';

/** Those of a query worker; its `connections` are the ones of the worker that lends. */
export interface ProverSettings extends Pick<
  WorkerSettings,
  | 'defaultAlias'
  | 'scripts'
  | 'scriptsTable'
  | 'aggregate'
  | 'maxResult'
  | 'role'
  | 'development'
  | 'log'
  | 'connections'
  | 'metrics'
> {
  readonly mode: 'warn' | 'require';
  /** The databases of WorkerSettings, in the same order; one connection each. */
  readonly databases: readonly DatabaseSettings[];
  /** One Int32, which changes whenever requests go to the query workers. */
  readonly activity: SharedArrayBuffer;
}
