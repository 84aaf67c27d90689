/**
 * Crashes of plugins in C beside a plugin in Go, whose runtime replaces signal handlers and forwards to the earlier ones: the
 * host dies at once, with the signal, and the other plugins are served by the next one.
 */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { makeFolder } from '../../commands/program.js';
import { without } from '../../support/programs.js';
import { CalledPlugins, probeFolder } from './called-plugins.js';

const CRASHES: readonly (readonly [target: string, signal: string, known: boolean])[] = [
  ['probe/Segv', 'SIGSEGV', true],
  ['probe/Overflow', 'SIGSEGV', true],
  ['probe/ThreadSegv', 'SIGSEGV', false],
  ['probe/Abort', 'SIGABRT', true],
  ['faults/Bus', 'SIGBUS', true],
  ['faults/Illegal', 'SIGILL', true],
  ['faults/Divide', 'SIGFPE', true],
  ['faults/Raise', 'SIGSEGV', true],
];

const FAULTS = `#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
SERVICE_PLUGIN
SERVICE_HANDLER const char* GETLoadHandler(void) { return "1"; }
/* Reads behind the end of a file. */
SERVICE_HANDLER const char* GETBusHandler(void) {
  return mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(tmpfile()), 0);
}
SERVICE_HANDLER const char* GETIllegalHandler(void) { __builtin_trap(); }
SERVICE_HANDLER const char* GETDivideHandler(void) {
  volatile int zero = 0;
  volatile int never = 7 / zero;
  return never ? "1" : "2";
}
SERVICE_HANDLER const char* GETRaiseHandler(void) { return raise(SIGSEGV) ? "1" : "2"; }
`;

/** Handlers of a plugin in Go beside those of the example. */
function buildGo(t: Parameters<typeof makeFolder>[0], library: string): string {
  const folder = makeFolder(t);
  cpSync(path.resolve('examples/plugins/go'), folder, { recursive: true, dereference: true });
  const { status, stderr } = spawnSync('go', ['build', '-buildmode=c-shared', '-o', library, '.'], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      ...{ GOCACHE: path.resolve('build/test/go'), GOFLAGS: '-mod=mod -buildvcs=false' },
      ...{ GO111MODULE: 'on', GOPROXY: 'off', GOTOOLCHAIN: 'local', CGO_ENABLED: '1' },
    },
  });
  return status === 0 ? '' : stderr;
}

t.test('a plugin in Go is loaded', { skip: without('go') }, async (t) => {
  const folder = probeFolder(t);
  folder.write('faults', FAULTS);
  t.equal(buildGo(t, folder.file('hello')), '');
  const c = ['probe/Version', 'faults/Load'];
  for (const [when, order] of [
    ['before', ['hello/Hello', ...c]],
    ['after', [...c, 'hello/Hello']],
  ] as const)
    await t.test(`${when} the one that crashes`, async (t) => {
      const plugins = new CalledPlugins(t, folder);
      for (const [i, [target, signal, known]] of CRASHES.entries()) {
        for (const each of order) t.equal((await plugins.call(each)).code, '', each);
        const beside = plugins.call('probe/Sleep?ms=3600000');
        t.match(await plugins.call(target), { status: 502, code: 'plugin_crashed' }, target);
        t.match(await beside, { code: 'plugin_crashed' });
        const line = plugins.logged('a plugin host died')[i];
        const handler = `GET${target.split('/')[1]}Handler`;
        t.match(line, { signal, lost: 2, handler: known ? handler : undefined }, target);
      }
      t.strictSame(plugins.logged('has stopped responding'), []);
    });
});
