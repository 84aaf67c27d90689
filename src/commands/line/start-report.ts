/**
 * What the supervisor says about a start and a reload: which configuration applies, and who may use the service. HTTP
 * processes add databases and scripts (serve/http/start-report.ts).
 */
import { needsToken } from '../config/authentication.js';
import type { LoadedConfig } from '../config/load.js';
import { isThisMachine } from '../../base/this-machine.js';
import type { Config } from '../config/schema.js';
import type { Logger } from '../../observe/log.js';

/** noConfigurationFile says where a file was looked for. */
export function noConfigurationFile(cwd: string): string {
  return `there is no configuration file: neither service.toml in ${cwd}, nor --config, nor SERVICE_CONF`;
}

export function reportConfiguration(
  { file, isSet }: Pick<LoadedConfig, 'file' | 'isSet'>,
  cwd: string,
  log: Logger,
): void {
  const fields = { served: 'configuration', file: file ?? null };
  if (file !== undefined) log.info(fields, `configuration file ${file}`);
  else {
    const applies = isSet ? 'variables, flags and defaults apply' : 'the defaults apply';
    log.info(fields, `${noConfigurationFile(cwd)}; ${applies}`);
  }
}

/** reportAccess logs who may run the scripts and read tables. */
export function reportAccess(config: Config, log: Logger): void {
  const host = config['http.host'];
  const authentication = needsToken(config);
  const restrict = config['queries.restrict'];
  const open = config['jwt.whitelist'].length;
  const who = authentication ? 'callers with a token' : 'everyone who reaches the service';
  const what = restrict
    ? 'the scripts that queries.scripts and queries.users permit'
    : 'every script';
  const tables = config['mcp.enabled']
    ? `, and read ${config['access.restrict'] ? 'the tables that [access] permits' : 'every table of its database user'} over MCP`
    : '';
  const why = [
    `authentication is ${authentication ? 'on' : 'off'}`,
    ...(authentication ? [`queries.restrict is ${restrict ? 'on' : 'off'}`] : []),
    ...(authentication && open > 0 ? [`jwt.whitelist opens paths to everyone`] : []),
    `http.host is ${host}, ${isThisMachine(host) ? 'this machine only' : 'which other machines can reach'}`,
  ];
  log.info(
    { served: 'access', host, authentication, restrict },
    `${who} may run ${what}${tables}: ${why.join(', ')}`,
  );
}

/** reportPage logs where the page is, if there is one; `url` is the service's. */
export function reportPage(config: Config, url: string, log: Logger): void {
  if (!config['docs.page']) return;
  const page = `${url}${isThisMachine(config['http.host']) ? '/' : '/_docs'}`;
  log.info({ served: 'page', page }, `the page ${page} lists and runs the scripts`);
}

/** reportFolder logs that the folder of scripts was missing, and was made; stored scripts do not need it. */
export function reportFolder(config: Config, log: Logger): void {
  if (config['queries.storage'] === 'database') return;
  const folder = config['queries.location'];
  log.warn(
    { served: 'folder', folder },
    `there was no folder ${folder}: it was made, empty; queries.location names the folder of scripts`,
  );
}
