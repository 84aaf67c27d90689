/**
 * What the log says about the servers of a database with replicas: each change once for all workers of an HTTP process,
 * and each script that writes where it should only read. It names servers by host and port.
 */
import type { Logger } from '../observe/log.js';
import type { Job } from '../postgres/statement/job.js';
import type { ServerStanding } from '../postgres/servers/server-roles.js';
import type { ServersReport } from '../postgres/servers/servers.js';
import { allServers, type DatabaseSettings } from '../messages/database-settings.js';
import type { WorkerSettings } from '../messages/worker-settings.js';
import { oneLine } from '../base/text.js';
import { Query } from './query.js';

/** What the log says of each standing; the number of each is in WorkerSettings.serverStates. */
const STANDINGS: Readonly<Record<ServerStanding, readonly [bad: boolean, message: string]>> = {
  unknown: [false, ''],
  primary: [false, 'the server is the primary'],
  serving: [false, 'the replica serves'],
  silent: [true, 'the server does not answer'],
  behind: [true, 'the replica gets no statements'],
  diverged: [true, 'the replica gets no statements: it follows another server than the primary'],
  foreign: [true, 'the server is not used'],
  outdated: [true, 'the server is not used: another one was promoted'],
};

const NUMBERS = Object.keys(STANDINGS) as ServerStanding[];

/** serverReport reports about the servers of a database, of which `servers` are the settings. */
export function serverReport(
  alias: string,
  servers: readonly DatabaseSettings[],
  settings: WorkerSettings,
  log: Logger,
): ServersReport {
  const states = new Int32Array(settings.serverStates);
  const all = allServers(settings);
  return {
    changed: (index, standing, reason) => {
      if (standing === 'unknown') return;
      const { host, port } = servers[index]!;
      const at = all.indexOf(servers[index]!);
      const before = NUMBERS[Atomics.exchange(states, at, NUMBERS.indexOf(standing))]!;
      // At the start, a server as configured is not worth a line.
      const usual = before === 'unknown' && standing === (index === 0 ? 'primary' : 'serving');
      if (before === standing || usual) return;
      const [bad, message] = STANDINGS[standing];
      const fields = { alias, server: `${host}:${port}` };
      log[bad ? 'warn' : 'info'](
        fields,
        reason === '' ? message : `${message}: ${oneLine(reason)}`,
      );
    },
    writes: (job: Job) => {
      const script = job instanceof Query ? job.path : undefined;
      log.warn(
        { alias, script },
        'a script that reads also writes, which no replica can: it runs on the primary from now on; declare it with -- @primary',
      );
    },
  };
}
