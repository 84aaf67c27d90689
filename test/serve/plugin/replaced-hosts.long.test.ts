/** Hosts with calls that do not end, or with too much memory, are replaced after they have finished their other calls. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { alive } from '../../support/process-group.js';
import { until } from '../../support/until.js';
import { CalledPlugins, probeFolder, timed } from './called-plugins.js';

const folder = probeFolder(t);
const gone = (pid: number): Promise<boolean> => until(() => !alive(pid));

/** A time limit of calls (milliseconds) that some of a test exceed, and the others do not on a busy machine. */
const TIMEOUT = 1_500;

t.jobs = 6;
const APART = { buffered: true };

// Takes a while, beside the tests before its own.
const stopped = new CalledPlugins(t, folder, { threads: 2, timeout: 3_600_000 });
process.kill(await stopped.pid(), 'SIGSTOP');
const silent = stopped.call('probe/Version');

t.test('calls that hang', APART, async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 1, timeout: TIMEOUT });
  const pid = await plugins.pid();
  const hanging = plugins.call('probe/Hang');
  const behind = plugins.call('probe/Version');
  const [result, took] = await timed(hanging);
  t.match(result, { status: 504, code: 'plugin_timeout' });
  t.ok(took >= TIMEOUT, `${took} ms`);
  t.match(await behind, { text: '"1"' }, 'on another thread');
  t.match(plugins.logged('a plugin call failed')[0], {
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

t.test('more calls that hang than threads', APART, async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2, timeout: TIMEOUT });
  const file = `${folder.path}/marks`;
  const pid = await plugins.pid();
  const hanging = Array.from({ length: 5 }, () => plugins.call('probe/Hang'));
  const marks = Array.from({ length: 40 }, (_, n) =>
    plugins.call(`probe/Mark?file=${file}&mark=${n}`),
  );
  for (const { code } of await Promise.all(hanging)) t.equal(code, 'plugin_timeout');
  for (const { code } of await Promise.all(marks)) t.equal(code, '');
  const written = readFileSync(file, 'utf8').trim().split('\n');
  t.equal(written.length, 40, 'returned calls ran, once each');
  t.equal(new Set(written).size, 40);
  await gone(pid);
});

t.test('a library that does not finish loading', APART, async (t) => {
  const one = 'SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETOneHandler(void) { return "1"; }';
  const forever = '__attribute__((constructor)) static void forever(void) { for (;;) pause(); }';
  folder.write('endless', `#include <unistd.h>\n${one}\n${forever}`);
  folder.write('later', one);
  const plugins = new CalledPlugins(t, folder, { threads: 2, timeout: TIMEOUT });
  const pid = await plugins.pid();
  const endless = Array.from({ length: 8 }, () => plugins.call('endless/One'));
  t.match(await plugins.call('probe/Version'), { text: '"1"' }, 'it occupies one thread only');
  for (const { code } of await Promise.all(endless)) t.equal(code, 'plugin_timeout');
  t.match(await plugins.call('later/One'), { text: '1' }, 'the next process loads other libraries');
  t.match(await plugins.call('endless/One'), {
    code: 'plugin_timeout',
    text: 'plugin endless takes too long to load',
  });
  t.equal(plugins.logged('did not finish loading').length, 1);
  await gone(pid);
});

t.test('too much memory', APART, async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2, maxMemory: 64 << 20 });
  const pid = await plugins.pid();
  const gate = `${folder.path}/gate`;
  const running = plugins.call(`probe/Wait?file=${gate}`);
  t.match(await plugins.call('probe/Leak?mib=80'), { text: '"leaked"' });
  const next = await plugins.otherPid(pid);
  t.ok(alive(pid), 'it finishes the calls that have begun');
  writeFileSync(gate, '');
  t.match(await running, { text: '"waited"' });
  await gone(pid);
  t.match(plugins.logged('a plugin host is replaced'), [{ pid, reason: 'too much memory' }]);
  t.equal(plugins.logged('died').length, 0);
  t.equal(await plugins.pid(), next);
});

t.test('twice the memory limit', APART, async (t) => {
  const settings = { threads: 2, timeout: 3_600_000, maxMemory: 64 << 20 };
  const plugins = new CalledPlugins(t, folder, settings);
  const pid = await plugins.pid();
  const running = plugins.call('probe/Sleep?ms=3600000');
  await plugins.call('probe/Leak?mib=160');
  t.match(await running, { code: 'plugin_crashed' }, 'nothing is waited for');
  t.match(plugins.logged('twice its memory limit'), [{ pid }]);
  t.match(await plugins.call('probe/Version'), { text: '"1"' });
});

t.test('a replaced host that crashes, with abandoned calls', APART, async (t) => {
  const plugins = new CalledPlugins(t, folder, { threads: 2, maxMemory: 64 << 20 });
  const pid = await plugins.pid();
  const running = plugins.call('probe/Sleep?ms=3600000');
  await plugins.call('probe/Leak?mib=80');
  await plugins.otherPid(pid);
  const { id } = plugins.submit('probe/Sleep?ms=3600000');
  await sleep(50);
  plugins.abandon(id);
  process.kill(pid, 'SIGKILL');
  t.match(await running, { code: 'plugin_crashed' });
  t.match(await plugins.call('probe/Version'), { text: '"1"' });
});

t.test('a host that stops responding', APART, async (t) => {
  t.match(await silent, { code: 'plugin_crashed' });
  t.match(stopped.logged('has stopped responding'), [{}]);
  t.match(await stopped.call('probe/Version'), { text: '"1"' });
});
