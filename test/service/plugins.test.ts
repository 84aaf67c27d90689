/** Plugins of a whole service: what was loaded first serves until the end, and what crashes costs no one else. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Load } from '../support/load.js';
import { PluginFolder } from '../support/plugin-folder.js';
import { startPostgres } from '../support/postgres.js';
import { alive, childrenOf, ended } from '../support/process-group.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t);
const folder = new PluginFolder(t);
const version = (text: string): string =>
  `SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETNameHandler(void) { return "\\"${text}\\""; }`;
folder.write('other', version('second'));
folder.write('plugin', version('first'));
folder.compile('probe', path.join(process.cwd(), 'test/serve/plugin/plugins', 'probe.c'));
const service = await startService(t, {
  database: postgres.url,
  scripts: { 'a/one.read.sql': 'SELECT 1 AS n' },
  config: {
    'http.processes': 2,
    'pool.threads': 1,
    pluginpath: folder.path,
    'plugins.timeout': '3s',
    'http.grace': '10s',
  },
});
const { port } = service;
/** The process numbers of the plugin hosts. */
const hosts = (): number[] => service.httpProcesses().flatMap((pid) => childrenOf(pid));

t.test('the first version, whatever becomes of its file', async (t) => {
  const target = (): string => '/_PLUGIN/plugin/Name';
  const load = new Load(t, { port, clients: 6, anew: true, target });
  await until(() => hosts().length === 2);
  const other = readFileSync(folder.file('other'));
  const served = (): Promise<true> => load.more(60);
  await served();
  writeFileSync(folder.file('plugin'), other);
  await served();
  writeFileSync(`${folder.file('plugin')}.new`, other);
  renameSync(`${folder.file('plugin')}.new`, folder.file('plugin'));
  await served();
  rmSync(folder.file('plugin'));
  await served();
  const before = service.httpProcesses();
  service.signal('SIGHUP');
  await service.line('reloaded');
  await served();
  await load.stop();
  t.same(load.failures, []);
  // One of those that are draining would not be replaced.
  await ended(before);

  const after = new Load(t, { port, clients: 6, anew: true, target });
  const [victim = 0] = service.httpProcesses();
  const left = childrenOf(victim);
  process.kill(victim, 'SIGKILL');
  await until(() => !left.some(alive)); // its host ends with it
  await until(() => hosts().length === 2);
  await after.stop();
  t.same([...load.bodies, ...after.bodies], ['"first"', '"first"']);
});

t.test('plugins that crash and hang beside queries', async (t) => {
  await service.rows('a/one');
  const load = new Load(t, { port, clients: 6, target: () => '/_QUERIES/a/one' });
  for (const func of ['Segv', 'Abort', 'Exit', 'Overflow', 'Kill', 'Hang', 'Segv'])
    t.equal(
      await service.error(`/_PLUGIN/probe/${func}`),
      func === 'Hang' ? '504 plugin_timeout' : '502 plugin_crashed',
      func,
    );
  t.equal((await service.ask('/_PLUGIN/plugin/Name')).text, '"first"');
  await load.reached(51);
  await load.stop();
  t.same(load.failures, []);
  const died = await service.line('a plugin host died');
  t.match(died, { plugin: 'probe', handler: 'GETSegvHandler', signal: 'SIGSEGV' });
  t.notOk(service.httpProcesses().some((pid) => !alive(pid)));
});

t.test('nothing is left', async (t) => {
  const all = [...service.httpProcesses(), ...hosts()];
  t.ok(all.length >= 3);
  service.signalGroup('SIGTERM');
  t.equal(await service.exited, 0);
  t.notOk(all.some(alive));
});
