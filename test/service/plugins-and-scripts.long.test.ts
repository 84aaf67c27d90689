/** Scripts while plugins crash, hang and are flooded: none fails, and plugins answer again when it is over. */
import path from 'node:path';
import t from 'tap';
import { Load } from '../support/load.js';
import { PluginFolder } from '../support/plugin-folder.js';
import { startPostgres } from '../support/postgres.js';
import { alive } from '../support/process-group.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const folder = new PluginFolder(t);
folder.compile('probe', path.join(process.cwd(), 'test/serve/http/plugins', 'probe.c'));
folder.write('other', 'SERVICE_PLUGIN\nSERVICE_HANDLER const char* GETOneHandler(void) { return "1"; }'); // prettier-ignore
const postgres = await startPostgres(t);
const config = {
  'http.processes': 1,
  'pool.queue': 200,
  pluginpath: folder.path,
  'plugins.threads': 2,
  'plugins.timeout': '200ms',
};
const service = await startService(t, {
  database: postgres.url,
  config,
  scripts: { 's/one.read.sql': 'SELECT 1 AS one' },
});

/** What is asked of plugins, by how many clients, and what may come of it. */
const TROUBLE: readonly (readonly [target: string, clients: number, wanted: readonly number[]])[] =
  [
    ['/_PLUGIN/probe/Crash', 4, [502, 504]],
    ['/_PLUGIN/probe/Exit', 2, [502, 504]],
    ['/_PLUGIN/probe/Sleep?ms=600', 8, [502, 504]],
    ['/_PLUGIN/probe/Null', 4, [502, 504]],
    ['/_PLUGIN/other/One', 150, [200, 502, 503, 504]],
  ];

for (const [target, clients, wanted] of TROUBLE)
  t.test(`${clients} at ${target}`, async (t) => {
    const { port } = service;
    const scripts = new Load(t, { port, clients: 4, target: () => '/_QUERIES/s/one' });
    const plugins = new Load(t, { port, clients, flood: true, target: () => target });
    await until(() => plugins.asked > 2 * clients && scripts.count(200) > 50);
    await plugins.stop();
    await scripts.stop();
    t.strictSame(scripts.failures, [], 'no script fails');
    const seen = [...plugins.statuses.keys()];
    t.strictSame(seen.filter((status) => !wanted.includes(status)), [], seen.join(', ')); // prettier-ignore
    // Another plugin answers again.
    await until(async () => (await service.error('/_PLUGIN/other/One')) === '200');
  });

t.test('more than plugins may have at a time', async (t) => {
  const [old = 0] = service.httpProcesses();
  service.configure({ ...config, 'plugins.timeout': '1m' });
  service.signal('SIGHUP');
  await service.line('reloaded');
  await until(() => !alive(old));
  const end = new AbortController();
  const answers = new Set<string>();
  for (let i = 0; i < 190; i++)
    service.error('/_PLUGIN/probe/Sleep?ms=1000', { signal: end.signal }).then(
      (answer) => answers.add(answer),
      () => undefined,
    );
  await until(() => answers.has('503 busy'));
  const scripts = await Promise.all(Array.from({ length: 50 }, () => service.error('s/one')));
  t.strictSame([...new Set(scripts)], ['200'], 'they leave places for scripts');
  end.abort();
});
