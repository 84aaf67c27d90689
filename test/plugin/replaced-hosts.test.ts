/** Hosts with calls that do not end, or with too much memory: they finish what they have, and another takes over. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { alive, soon } from '../support/process-group.js';
import { CalledPlugins, eventually, probeFolder, timed } from './called-plugins.js';

const folder = probeFolder(t);
const gone = (pid: number): Promise<boolean> =>
  soon(`the end of ${pid}`, () => (alive(pid) ? undefined : true));

// Takes a while, beside the tests before its own.
const stopped = new CalledPlugins(t, folder, { threads: 2, timeout: 60_000 });
process.kill(await stopped.pid(), 'SIGSTOP');
const silent = timed(stopped.call('probe/Version'));

t.test('calls that hang', async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 1, timeout: 300 });
  const pid = await plugins.pid();
  const hanging = plugins.call('probe/Hang');
  const behind = plugins.call('probe/Version');
  const [result, took] = await timed(hanging);
  t.match(result, { status: 504, code: 'plugin_timeout' });
  t.ok(took >= 300, `${took} ms`);
  t.match(await behind, { text: '"1"' }, 'a thread takes its place');
  t.match(plugins.logged('a plugin gave no answer')[0], {
    plugin: 'probe',
    handler: 'GETHangHandler',
    requestId: 'r2',
    code: 'plugin_timeout',
  });
  await gone(pid);
  t.match(plugins.logged('a plugin host is replaced'), [{ pid, reason: 'a call does not end' }]);
  t.equal(plugins.logged('died').length, 0);
  t.not(await plugins.pid(), pid);
});

t.test('more calls that hang than threads', async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2, timeout: 300 });
  const file = `${folder.path}/marks`;
  const pid = await plugins.pid();
  const hanging = Array.from({ length: 5 }, () => plugins.call('probe/Hang'));
  const marks = Array.from({ length: 40 }, (_, n) =>
    plugins.call(`probe/Mark?file=${file}&mark=${n}`),
  );
  for (const { code } of await Promise.all(hanging)) t.equal(code, 'plugin_timeout');
  for (const { code } of await Promise.all(marks)) t.equal(code, '');
  const written = readFileSync(file, 'utf8').trim().split('\n');
  t.equal(written.length, 40, 'what the host gave back ran, once each');
  t.equal(new Set(written).size, 40);
  await gone(pid);
});

t.test('a library that does not end to load', async (t) => {
  const one = 'SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETOneHandler(void) { return "1"; }';
  const forever = '__attribute__((constructor)) static void forever(void) { for (;;) pause(); }';
  folder.write('endless', `#include <unistd.h>\n${one}\n${forever}`);
  folder.write('later', one);
  const plugins = new CalledPlugins(t, folder, { threads: 2, timeout: 500 });
  const pid = await plugins.pid();
  const endless = Array.from({ length: 8 }, () => plugins.call('endless/One'));
  t.match(await plugins.call('probe/Version'), { text: '"1"' }, 'it keeps one thread only');
  for (const { code } of await Promise.all(endless)) t.equal(code, 'plugin_timeout');
  const [later, took] = await timed(plugins.call('later/One'));
  t.equal(later.text, '1', 'the next process loads others');
  t.ok(took < 1_000, `${took} ms`);
  t.match(await plugins.call('endless/One'), {
    code: 'plugin_timeout',
    text: 'plugin endless takes too long to load',
  });
  t.equal(plugins.logged('does not end to load').length, 1);
  await gone(pid);
});

t.test('too much memory', async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2, timeout: 5_000, maxMemory: 64 << 20 });
  const pid = await plugins.pid();
  const running = plugins.call('probe/Sleep?ms=1500');
  t.match(await plugins.call('probe/Leak?mib=80'), { text: '"leaked"' });
  const next = await eventually(
    () => plugins.pid(),
    (now) => now !== pid,
  );
  t.not(next, pid);
  t.ok(alive(pid), 'it finishes what it had begun');
  t.match(await running, { text: '"slept"' });
  await gone(pid);
  t.match(plugins.logged('a plugin host is replaced'), [{ pid, reason: 'too much memory' }]);
  t.equal(plugins.logged('died').length, 0);
  t.equal(await plugins.pid(), next);
});

t.test('twice as much memory as may be', async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2, maxMemory: 64 << 20 });
  const pid = await plugins.pid();
  const running = plugins.call('probe/Sleep?ms=4500');
  await plugins.call('probe/Leak?mib=160');
  const [result, took] = await timed(running);
  t.match(result, { code: 'plugin_crashed' });
  t.ok(took < 4_000, `${took} ms: nothing is waited for`);
  t.match(plugins.logged('twice the memory'), [{ pid }]);
  t.match(await plugins.call('probe/Version'), { text: '"1"' });
});

t.test('a replaced one that crashes, with calls that nobody waits for', async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2, timeout: 5_000, maxMemory: 64 << 20 });
  const pid = await plugins.pid();
  const running = plugins.call('probe/Sleep?ms=4000');
  await plugins.call('probe/Leak?mib=80');
  await eventually(
    () => plugins.pid(),
    (now) => now !== pid,
  );
  const { id } = plugins.submit('probe/Sleep?ms=4000');
  await sleep(50);
  plugins.abandon(id);
  process.kill(pid, 'SIGKILL');
  t.match(await running, { code: 'plugin_crashed' });
  t.match(await plugins.call('probe/Version'), { text: '"1"' });
});

t.test('a host that tells nothing any more', async (t) => {
  const [result, took] = await silent;
  t.match(result, { code: 'plugin_crashed' });
  t.ok(took < 20_000, `${took} ms`);
  t.match(stopped.logged('does not answer'), [{}]);
  t.match(await stopped.call('probe/Version'), { text: '"1"' });
});
