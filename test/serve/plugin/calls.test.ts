/** Calls and their results, in host processes and on threads of this process. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { ISOLATIONS } from '../../support/plugin-folder.js';
import { CalledPlugins, probeFolder, timed } from './called-plugins.js';
import { isPending, until } from '../../support/until.js';

const folder = probeFolder(t);
folder.write(
  'second',
  'SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETOneHandler(void) { return "1"; }',
);
folder.write('noabi', 'const char *GETOneHandler(void) { return "1"; }');
folder.write(
  'null',
  `SERVICE_PLUGIN
  SERVICE_HANDLER const char *GETNullHandler(void) { return NULL; }
  SERVICE_HANDLER const char *GETBytesHandler(void) { return "\\xff"; }`,
);

for (const isolation of ISOLATIONS)
  t.test(isolation, (t) => {
    const plugins = new CalledPlugins(t, folder, {
      isolation,
      threads: 4,
      maxResponse: 2 << 20,
    });

    t.test('responses and failures', async (t) => {
      t.strictSame(await plugins.call('probe/Version'), {
        status: 200,
        text: '"1"',
        typed: false,
        lines: '',
        code: '',
      });
      const typed = await plugins.call('probe/Typed');
      t.match(typed, { status: 203, text: 'GGG', typed: true });
      t.match(typed.lines, /^\r\nContent-Type: text\/plain/i);
      t.match(typed.lines, /\r\nX-One: 1/i);
      t.equal((await plugins.call('second/One')).text, '1');
      for (const [target, status, code] of [
        ['absent/One', 404, 'plugin_not_found'],
        ['probe/Absent', 404, 'handler_not_found'],
        ['probe/Version?a=%', 400, 'invalid_query_string'],
        ['noabi/One', 500, 'plugin_load_failed'],
        ['noabi/One', 500, 'plugin_load_failed'],
        ['null/Null', 502, 'plugin_response_invalid'],
        ['null/Bytes', 502, 'plugin_response_invalid'],
        ['probe/Typed?bytes=3000000', 502, 'plugin_response_too_large'],
      ] as const) {
        const result = await plugins.call(target);
        t.match(result, { status, code }, target);
        t.notMatch(result.text, folder.path, 'no paths for callers');
      }
      t.equal(plugins.logged('a plugin could not be loaded').length, 1, 'once a second');
    });

    t.test('bodies of requests and responses', async (t) => {
      const sizes = [0, 1, 70_000, 5_000_000];
      const results = sizes.map((size) => plugins.call('probe/Length', 'POST', Buffer.alloc(size)));
      const texts = (await Promise.all(results)).map(({ text }) => text);
      t.strictSame(texts, sizes.map(String));
      const large = await plugins.call('probe/Typed?bytes=2000000');
      t.equal(large.text, 'G'.repeat(2_000_000));
    });

    t.test('more calls than the backend accepts at a time', async (t) => {
      const results = await Promise.all(
        Array.from({ length: 2_000 }, (_, i) =>
          plugins.call(i % 2 ? 'second/One' : 'probe/Version'),
        ),
      );
      t.strictSame(new Set(results.map(({ text }) => text)), new Set(['1', '"1"']));
    });

    t.test('threads run calls at the same time, no more than they are', async (t) => {
      const calls = Array.from({ length: 20 }, () => plugins.call('probe/Sleep?ms=50'));
      const [, took] = await timed(Promise.all(calls));
      t.ok(took >= 245, `${took} ms for 5 rounds`);
      const gate = `${folder.path}/gate-${isolation}`;
      const long = Array.from({ length: 3 }, () => plugins.call(`probe/Wait?file=${gate}`));
      t.match(await plugins.call('probe/Version'), { text: '"1"' });
      t.ok(await isPending(Promise.race(long)), 'the fourth thread does not wait for the others');
      writeFileSync(gate, '');
      await Promise.all(long);
    });

    t.test('abandoned calls', async (t) => {
      const file = `${folder.path}/${isolation}`;
      const submitted = Array.from({ length: 300 }, (_, n) =>
        plugins.submit(`probe/Mark?file=${file}&mark=${n}&ms=100`),
      );
      const unseen = plugins.submit('fresh/One');
      for (const { id } of submitted.slice(1)) plugins.abandon(id);
      await submitted[0]!.result;
      t.equal(readFileSync(file, 'utf8'), '0\n', 'abandoned in the same tick: none has begun');
      plugins.abandon(unseen.id);

      rmSync(file);
      const later = Array.from({ length: 300 }, (_, n) =>
        plugins.submit(`probe/Mark?file=${file}&mark=${n}&ms=500`),
      );
      await until(() => existsSync(file));
      for (const { id } of later) plugins.abandon(id);
      t.match(await plugins.call('probe/Version'), { text: '"1"' });
      t.ok(readFileSync(file, 'utf8').split('\n').length < 100, 'most are never begun');
    });

    t.test('a library that is fixed, then replaced', async (t) => {
      const source = (text: string): string =>
        `SERVICE_PLUGIN\nSERVICE_HANDLER const char *GETOneHandler(void) { return "${text}"; }`;
      const name = `late${isolation}`;
      folder.write(name, 'int nothing;');
      t.match(await plugins.call(`${name}/One`), { code: 'plugin_load_failed' });
      folder.write(name, source('fixed'));
      t.equal((await plugins.succeeds(`${name}/One`)).text, 'fixed');
      folder.write(name, source('another'));
      const other = new CalledPlugins(t, folder, { isolation }, plugins);
      t.equal((await other.call(`${name}/One`)).text, 'fixed', 'another HTTP process');
      plugins.gone();
      const next = new CalledPlugins(t, folder, {}, plugins);
      t.equal((await next.call(`${name}/One`)).text, 'fixed', 'a later HTTP process');
    });
    t.end();
  });
