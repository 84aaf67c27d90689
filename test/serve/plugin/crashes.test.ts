/** A host process that dies loses the calls that have begun, and nothing else. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { alive } from '../../support/process-group.js';
import { until } from '../../support/until.js';
import { CalledPlugins, probeFolder } from './called-plugins.js';

const folder = probeFolder(t);
folder.write(
  'other',
  'SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETOneHandler(void) { return "1"; }',
);

const DEATHS: readonly (readonly [func: string, signal: string | null, known: boolean])[] = [
  ['Segv', 'SIGSEGV', true],
  ['Abort', 'SIGABRT', true],
  ['Exit', null, true],
  ['QuickExit', null, false],
  ['Quick', null, true],
  ['Overflow', 'SIGSEGV', true],
  ['Kill', 'SIGKILL', false],
  ['ThreadSegv', 'SIGSEGV', false],
];

t.test('every kind of crash', async (t) => {
  const plugins = new CalledPlugins(t, folder);
  await plugins.call('other/One');
  for (const [i, [func, signal, known]] of DEATHS.entries()) {
    const pid = await plugins.pid();
    const beside = plugins.call('probe/Sleep?ms=3600000');
    const dying = plugins.call(`probe/${func}`);
    t.match(await dying, { status: 502, code: 'plugin_crashed' }, func);
    t.match(await beside, { status: 502, code: 'plugin_crashed' }, `${func}: a concurrent call`);
    t.match(await plugins.call('other/One'), { text: '1' }, `${func}: other calls work again`);
    t.notOk(alive(pid));
    const line = plugins.logged('a plugin host died')[i];
    t.match(line, { signal, pid, lost: 2, wait: i === 0 ? 0 : Math.min(50 * 2 ** (i - 1), 500) });
    t.equal(line?.['handler'], known ? `GET${func}Handler` : undefined);
    t.equal(line?.['plugin'], known ? 'probe' : undefined);
  }
  t.equal(
    plugins.logged('could not be loaded').length,
    0,
    'a library that was loaded is not rejected',
  );
});

t.test('calls that have not begun run in the next host, and none runs twice', async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2 });
  await plugins.pid();
  const file = `${folder.path}/marks`;
  const mark = (n: number): string => `probe/Mark?file=${file}&mark=${n}`;
  const results: Promise<{ code: string }>[] = [];
  const texts: string[] = [];
  for (let n = 0; n < 600; n++) {
    const deadly = n === 40 || n === 333;
    results.push(plugins.call(deadly ? 'probe/Abort' : mark(n)));
    texts.push(deadly ? '' : String(n));
  }
  const codes = (await Promise.all(results)).map(({ code }) => code);
  const lost = codes.filter((code) => code === 'plugin_crashed').length;
  t.ok(lost >= 2 && lost <= 70, `${lost} were lost`);
  t.strictSame(new Set(codes), new Set(['', 'plugin_crashed']));
  const marks = readFileSync(file, 'utf8').trim().split('\n');
  t.equal(new Set(marks).size, marks.length, 'none ran twice');
  const answered = texts.filter((text, n) => text !== '' && codes[n] === '');
  t.strictSame(
    answered.filter((text) => !marks.includes(text)),
    [],
    'every call with a response ran',
  );
});

t.test('a process forked by a plugin crashes, exits or returns', async (t) => {
  const plugins = new CalledPlugins(t, folder);
  const pid = await plugins.pid();
  t.equal((await plugins.call('probe/Fork')).text, '"forked"');
  t.equal((await plugins.call('probe/Fork?exit=1')).text, '"forked"');
  const child = Number((await plugins.call('probe/Twice')).text);
  t.not(child, pid);
  await until(() => !alive(child)); // the one that returns ends
  t.equal(await plugins.pid(), pid);
  t.equal(plugins.log.length, 0);
});

t.test('a plugin that writes to the channel', async (t) => {
  const plugins = new CalledPlugins(t, folder);
  const pid = await plugins.pid();
  t.match(await plugins.call('probe/Nothing'), { code: 'plugin_crashed' });
  t.not(await plugins.pid(), pid);
});

t.test('a host killed while no call runs', async (t) => {
  const plugins = new CalledPlugins(t, folder);
  const pid = await plugins.pid();
  process.kill(pid, 'SIGKILL');
  await until(() => plugins.logged('a plugin host died').length > 0);
  t.not(await plugins.pid(), pid);
});

t.test('the first call to a library crashes', async (t) => {
  const plugins = new CalledPlugins(t, folder);
  t.match(await plugins.call('probe/Segv'), { code: 'plugin_crashed' });
  t.match(await plugins.call('probe/Version'), { text: '"1"' }, 'loading it did not crash');
  t.equal(plugins.libraries.size, 1);
});

t.test('a library that crashes while it is loaded', async (t) => {
  folder.write(
    'bomb',
    `#include <stdlib.h>
    SERVICE_PLUGIN
    __attribute__((constructor)) static void crash(void) { abort(); }`,
  );
  const plugins = new CalledPlugins(t, folder);
  const pid = await plugins.pid();
  t.match(await plugins.call('bomb/Any'), { status: 502, code: 'plugin_crashed' });
  t.equal(plugins.libraries.size, 1, 'it is not cached');
  // All at once, because it is rejected for a second only.
  const others = Array.from({ length: 20 }, () => plugins.call('bomb/Any'));
  const next = await plugins.pid();
  t.not(next, pid);
  for (const other of others) t.match(await other, { status: 502, code: 'plugin_crashed' });
  t.equal(await plugins.pid(), next, 'it is rejected for a second');
  t.equal(plugins.logged('a plugin host died').length, 1);
  folder.write(
    'bomb',
    'SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETAnyHandler(void) { return "fixed"; }',
  );
  t.equal((await plugins.succeeds('bomb/Any')).text, 'fixed');
});
