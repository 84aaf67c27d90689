/**
 * What the first HTTP process says about its start: which databases answered their first probe, and which scripts there
 * are. Each line is whole without its fields; the field `served` names its subject.
 */
import type { Logger } from '../../observe/log.js';
import type { QueryPool } from '../pool/query-pool.js';
import type { DatabaseHealth } from '../pool/database-health.js';
import type { WorkerSettings } from '../../messages/worker-settings.js';
import type { FoundScripts } from '../../messages/tasks.js';

/** Most scripts that are named because they cannot be served. */
const MOST_NAMED = 20;

type Settings = Pick<WorkerSettings, 'databases' | 'scripts' | 'scriptsTable'>;

/** reportDatabases logs the databases that answered; DatabaseHealth has logged the others. */
export function reportDatabases(
  { databases }: Settings,
  { engines }: DatabaseHealth,
  log: Logger,
): void {
  for (const { alias, host, port, database } of databases) {
    const engine = engines.get(alias);
    if (engine === undefined) continue;
    const { title, version } = engine;
    const name = alias === database ? alias : `${alias} (${database})`;
    log.info(
      { served: 'database', alias, host, port, version },
      `database ${name} on ${host}:${port} answers: ${title}`,
    );
  }
}

/** reportScripts has a worker look at all scripts, and logs their number, and those that cannot be served. */
export async function reportScripts(
  settings: Settings,
  pool: QueryPool,
  log: Logger,
): Promise<void> {
  let found: FoundScripts;
  try {
    found = await pool.ask('foundScripts');
  } catch {
    return; // the worker died, which is logged
  }
  logScripts(settings, found, log);
}

export function logScripts(
  { scripts: folder, scriptsTable }: Settings,
  found: FoundScripts,
  log: Logger,
): void {
  const place =
    scriptsTable === undefined
      ? `folder ${folder}`
      : `table ${scriptsTable.schema}.${scriptsTable.table}`;
  const fields = { served: 'scripts', place };
  if ('unreadable' in found) {
    const { unreadable: reason } = found;
    log.warn({ ...fields, reason }, `no scripts: the ${place} cannot be read now (${reason})`);
    return;
  }
  const { count, broken, problems } = found;
  for (const { place: at, message } of problems.slice(0, MOST_NAMED))
    log.warn({ served: 'script', script: at }, `not served: ${at}: ${message}`);
  const rest = problems.length > MOST_NAMED ? `; sql-rest-service check names all of them` : '';
  const cannot = broken === 0 ? '' : `, ${broken} cannot be served${rest}`;
  const message =
    count + broken === 0
      ? `there are no scripts in the ${place}${scriptsTable === undefined ? ADD_A_FILE : ADD_A_RECORD}`
      : `${count} ${count === 1 ? 'script' : 'scripts'} in the ${place}${cannot}`;
  log[count === 0 ? 'warn' : 'info']({ ...fields, count, broken }, message);
}

const ADD_A_FILE =
  ' yet: a file <folder>/<name>.read.sql there is served at /_QUERIES/<folder>/<name>';
const ADD_A_RECORD = ' yet: sql-rest-service scripts import copies those of a folder';
