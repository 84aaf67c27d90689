/** A service that keeps its scripts in a table, from its start on. */
import type { Test } from 'tap';
import { Service, type Configuration } from '../support/service.js';

export const STORED: Configuration = {
  'queries.storage': 'database',
  'http.host': '127.0.0.1',
  'http.processes': 1,
  'pool.threads': 1,
};
const SCRIPTS = {
  'shop/list.read.sql': 'SELECT 1 AS secret',
  'shop/b.write.sql': 'INSERT {{if}}',
};

/** start starts one that imports two scripts, of which the second does not parse. */
export const start = (t: Test, database: string, config: Configuration = {}): Service =>
  new Service(t, { database, scripts: SCRIPTS, config: { ...STORED, ...config } });

/** isOutcome tells whether a line of the log says what came of the start. */
export const isOutcome = ({ msg }: { msg: string }): boolean => msg.startsWith('the scripts table');
