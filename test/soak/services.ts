/**
 * What the soak runs: PostgreSQL behind a proxy, and two services on it. The processes of the one with scripts in files are
 * replaced over and over; those of the one with scripts in a table run from the beginning to the end.
 */
import { CONFIGURATION, Site, type Cleanup } from '../faults/site.js';
import { scripts } from '../faults/requests.js';
import { PluginFolder } from '../support/plugin-folder.js';
import { metricsUrl } from '../support/scrape.js';
import { Service } from '../support/service.js';
import { SECRET, userToken } from '../support/tokens.js';

/** A service under the soak. */
export interface Soaked {
  readonly name: 'files' | 'table';
  readonly service: Service;
  readonly metrics: string;
  /** The Authorization header of its requests; empty for none. */
  readonly authorization: string;
}

export interface Services {
  readonly site: Site;
  readonly files: Soaked;
  readonly table: Soaked;
}

/** The user who edits stored scripts. */
const ADMIN = 'ann';

export async function startServices(cleanup: Cleanup): Promise<Services> {
  const plugins = new PluginFolder(cleanup);
  plugins.write('soak', 'SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETHelloHandler(void) { return "\\"hello\\""; }'); // prettier-ignore
  const common = {
    'http.timeout': 5,
    'metrics.listen': '127.0.0.1:0',
    pluginpath: plugins.path,
  };
  const site = await Site.start(cleanup, common);
  await site.sql('GRANT CREATE ON SCHEMA public TO app');
  const table = new Service(cleanup, {
    database: site.database,
    scripts: scripts(),
    config: {
      ...CONFIGURATION,
      ...common,
      'queries.storage': 'database',
      'queries.register_enabled': true,
      'queries.register_admins': [ADMIN],
      'auth.enabled': true,
      'jwt.key': SECRET,
    },
  });
  await table.listening();
  return {
    site,
    files: await soaked('files', site.service, ''),
    table: await soaked('table', table, `Bearer ${userToken(ADMIN)}`),
  };
}

async function soaked(
  name: Soaked['name'],
  service: Service,
  authorization: string,
): Promise<Soaked> {
  return { name, service, authorization, metrics: await metricsUrl(service) };
}
