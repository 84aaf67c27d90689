/** What tests start, all in one process, which writes a line once everything runs and a request is in flight. */
import { startDeaf } from './black-hole.js';
import { startHttpProcess } from './http-process.js';
import { pgbouncerVersion, startPgbouncer } from './pgbouncer.js';
import { PluginFolder } from './plugin-folder.js';
import { startOwnPostgres } from './postgres.js';
import { childrenOf } from './process-group.js';
import { startService } from './service.js';
import { until } from './until.js';

// Nothing is torn down: this process is killed.
const t = { teardown: () => undefined };
const postgres = await startOwnPostgres(t);
await startDeaf(t);
await startHttpProcess(t);
if (pgbouncerVersion() !== undefined)
  await startPgbouncer(t, postgres, { name: 'postgres', password: postgres.password }, []);
const plugins = new PluginFolder(t);
plugins.write(
  'plugin',
  'SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETNameHandler(void) { return "\\"name\\""; }',
);
const service = await startService(t, {
  database: postgres.url,
  scripts: { 'a/slow.read.sql': 'SELECT pg_sleep(600)' },
  config: { pluginpath: plugins.path },
});
await service.ask('/_PLUGIN/plugin/Name');
service.ask('a/slow').catch(() => undefined);
await until(() => service.httpProcesses().flatMap(childrenOf)[0]);
console.log(JSON.stringify({ service: service.pid, folders: [service.folder, plugins.path] }));
