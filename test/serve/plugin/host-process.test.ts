/** The host process: environment, descriptors, start and end. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import t from 'tap';
import { HOST_FILE, hostEnvironment } from '#app/serve/plugin/host-process.js';
import { alive } from '../../support/process-group.js';
import { until } from '../../support/until.js';
import { CalledPlugins, probeFolder } from './called-plugins.js';

const folder = probeFolder(t);

t.test('its environment', async (t) => {
  for (const name of ['SERVICE_JWT_KEY', 'DATABASE_URL', 'PGPASSWORD', 'LC_TIME', 'PLUGIN_MODE'])
    process.env[name] = `value of ${name}`;
  const plugins = new CalledPlugins(t, folder, { environment: ['PLUGIN_MODE', 'NOT_THERE'] });
  const lines = (await plugins.call('probe/Environment')).text.trim().split('\n');
  const names = new Set(lines.map((line) => line.slice(0, line.indexOf('='))));
  t.ok(names.has('PATH'));
  t.ok(lines.includes('LC_TIME=value of LC_TIME'));
  t.ok(lines.includes('PLUGIN_MODE=value of PLUGIN_MODE'));
  t.strictSame(names, new Set(Object.keys(hostEnvironment(['PLUGIN_MODE']))));
  t.strictSame(
    hostEnvironment(['B'], {
      A: '1',
      B: '2',
      HOME: '3',
      LC_ALL: '4',
      PATHS: '5',
      NODE_OPTIONS: '6',
    }),
    { B: '2', HOME: '3', LC_ALL: '4' },
  );
});

t.test('its descriptors', async (t) => {
  const plugins = new CalledPlugins(t, folder);
  const text = (await plugins.call('probe/Descriptors')).text;
  const targets = text
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string])
    .filter(([, target]) => !target.startsWith('/memfd:'));
  t.strictSame(
    targets.map(([number]) => number),
    ['0', '1', '2', '3'],
    text,
  );
  t.equal(targets[0]![1], '/dev/null');
  t.equal(targets[1]![1], targets[2]![1], 'the output of plugins goes to standard error');
  t.match(targets[3]![1], /^socket:/);
});

t.test('one process, started by the first call, ended with its owner', async (t) => {
  const plugins = new CalledPlugins(t, folder);
  const pids = await Promise.all(Array.from({ length: 100 }, () => plugins.pid()));
  t.equal(new Set(pids).size, 1);
  const pid = pids[0]!;
  t.equal(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[3], String(process.pid));
  t.equal(getPriority(pid), Math.min(getPriority() + 5, 19), 'a lower priority than scripts');
  const { id } = plugins.submit(`probe/Mark?file=${folder.path}/begun&mark=1&ms=3600000`);
  await until(() => existsSync(`${folder.path}/begun`));
  plugins.abandon(id);
  plugins.close();
  await until(() => !alive(pid));
  t.equal(plugins.log.length, 0);
});

t.test('a program that does not exist', async (t) => {
  const plugins = new CalledPlugins(t, folder, {}, { hostFile: `${folder.path}/none` });
  for (let i = 0; i < 3; i++)
    t.match(await plugins.call('probe/Version'), { status: 500, code: 'plugin_load_failed' });
  t.equal(plugins.log.length, 1);
  t.match(plugins.logged('npm run build:native'), [{ err: { code: 'ENOENT' } }]);
  copyFileSync(HOST_FILE, `${folder.path}/none`);
  t.match(await plugins.succeeds('probe/Version'), { text: '"1"' }, 'built in the meantime');
});

t.test('a file that cannot be executed', async (t) => {
  const file = `${folder.path}/text`;
  writeFileSync(file, 'text', { mode: 0o644 });
  // Node emits an error for the first, and throws for the second.
  for (const hostFile of [file, `${file}/in`]) {
    const plugins = new CalledPlugins(t, folder, {}, { hostFile });
    t.match(await plugins.call('probe/Version'), { status: 500, code: 'plugin_load_failed' });
    t.equal(plugins.logged('npm run build:native').length, 1);
  }
});

t.test('programs that exit, close the channel, or send garbage', async (t) => {
  for (const [name, script] of [
    ['ends', 'exit 7'],
    ['closes', 'exec 3>&-; sleep 60'],
    ['garbage', 'head -c 200 /dev/zero | tr "\\0" "\\377" >&3; sleep 60'],
  ] as const) {
    const file = `${folder.path}/${name}`;
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const plugins = new CalledPlugins(t, folder, {}, { hostFile: file });
    t.match(await plugins.call('probe/Version'), { code: 'plugin_crashed' }, name);
    t.equal(plugins.logged('a plugin host died').length, 1, name);
    plugins.close();
  }
});
