import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { PluginFolder } from '../../support/plugin-folder.js';
import { makeFolder, run } from '../program.js';

const STRING = 'SERVICE_HANDLER const char *GETHelloHandler(void) { return "{}"; }';

const folder = makeFolder(t);
const plugins = new PluginFolder(t);
const check = (...args: string[]) => run(folder, ['plugin', 'check', ...args]);

t.test('libraries that cannot be served: exit code 1, and the reason', async (t) => {
  plugins.write(
    'crash',
    `SERVICE_PLUGIN ${STRING}
    __attribute__((constructor)) static void load(void) { __builtin_trap(); }`,
  );
  plugins.write(
    'exit',
    `#include <stdlib.h>
    SERVICE_PLUGIN ${STRING} __attribute__((constructor)) static void load(void) { exit(0); }`,
  );
  plugins.write('noabi', STRING);
  plugins.write('other', `const uint32_t service_plugin_abi = 2u << 16; ${STRING}`);
  plugins.write(
    'lacks',
    `SERVICE_PLUGIN extern const char *absent(void);
    SERVICE_HANDLER const char *GETHelloHandler(void) { return absent(); }`,
  );
  plugins.write('a b', `SERVICE_PLUGIN ${STRING}`);
  writeFileSync(plugins.file('text'), 'no library');
  mkdirSync(plugins.file('folder'));
  const cases: [name: string, stdout: RegExp][] = [
    ['crash', /not ok\n {2}error: loading it ends the process with SIG(ILL|TRAP)\n$/],
    ['exit', /not ok\n {2}error: loading it ends the process with status 0\n$/],
    ['noabi', /error: it has no service_plugin_abi/],
    ['other', /error: .*ABI/],
    ['lacks', /error: undefined symbol: absent/],
    ['a b', /error: no request can name it/],
    ['text', /error: .*ELF/],
    ['folder', /error: not a regular file/],
    ['missing', /error: .*No such file/],
  ];
  for (const [name, stdout] of cases) {
    const finished = await check(plugins.file(name));
    t.equal(finished.code, 1, name);
    t.match(finished.stdout, stdout);
  }
});

t.test('handlers are printed as their requests, or as JSON', async (t) => {
  plugins.write(
    'good',
    `SERVICE_PLUGIN ${STRING}
    SERVICE_HANDLER service_answer PROPFINDAHandler(void) { service_answer a = {"", 200}; return a; }
    SERVICE_STATUS_FORM(PROPFINDAHandler)
    #include <stdio.h>
    __attribute__((constructor)) static void load(void) { puts("{\\"file\\":0}"); fflush(stdout); }`,
  );
  const file = plugins.file('good');
  const { code, stdout } = await check(file);
  t.equal(code, 0);
  t.equal(
    stdout,
    `${file} ok: ABI 1.0, 2 handlers\n  GET /_PLUGIN/good/Hello   string\n  PROPFIND /_PLUGIN/good/A  status\n`,
  );
  t.strictSame(JSON.parse((await check('--json', file)).stdout), {
    file,
    ok: true,
    abi: '1.0',
    handlers: [
      { method: 'GET', function: 'Hello', form: 'string', symbol: 'GETHelloHandler' },
      { method: 'PROPFIND', function: 'A', form: 'status', symbol: 'PROPFINDAHandler' },
    ],
    problems: [],
  });
});

t.test('a library is loaded without the environment of the command', async (t) => {
  plugins.write(
    'reads',
    `#include <stdlib.h>
    SERVICE_PLUGIN ${STRING}
    __attribute__((constructor)) static void load(void) { if (getenv("DATABASE_URL")) abort(); }`,
  );
  const env = { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' };
  const { code } = await run(folder, ['plugin', 'check', plugins.file('reads')], env);
  t.equal(code, 0);
});

t.test('check loads every library of pluginpath', async (t) => {
  const served = new PluginFolder(t);
  const examine = async () => {
    const env = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' };
    const args = ['check', '--json', '--pluginpath', served.path];
    const { stdout } = await run(folder, args, env);
    return (JSON.parse(stdout) as { plugins: { count: number; problems: unknown[] } }).plugins;
  };
  t.match(await examine(), { location: served.path, count: 0, problems: [] });
  served.write('good', `SERVICE_PLUGIN ${STRING}`);
  writeFileSync(path.join(served.path, 'notes.txt'), 'no library, and not called one');
  symlinkSync(served.file('good'), served.file('inside'));
  t.match(await examine(), { count: 2, problems: [] });
  served.write('noabi', STRING);
  symlinkSync(plugins.file('reads'), served.file('outside'));
  symlinkSync('nowhere', served.file('broken'));
  t.match(await examine(), {
    count: 2,
    problems: [
      { file: 'broken.so', message: 'cannot be read: ENOENT' },
      { file: 'noabi.so', message: /service_plugin_abi/ },
      { file: 'outside.so', message: 'leads out of the folder' },
    ],
  });
});
