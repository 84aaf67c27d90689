/** A process whose threads run plugins exits without their destructors, which would free memory that calls still use. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { PluginFolder } from '../../support/plugin-folder.js';
import { callOf } from './called-plugins.js';

const folder = new PluginFolder(t);
folder.write(
  'busy',
  `#include <fcntl.h>
  #include <stdlib.h>
  #include <unistd.h>
  SERVICE_PLUGIN
  static char* volatile kept;
  __attribute__((constructor)) static void begin(void) { kept = malloc(1); }
  __attribute__((destructor)) static void end(void) {
    kept = NULL;
    usleep(200000);
  }
  SERVICE_HANDLER const char* GETWorkHandler(void) {
    close(open("${folder.path}/works", O_CREAT, 0600));
    for (;; usleep(100)) kept[0] = 1;
  }`,
);

t.test('exit during a call that does not end', async (t) => {
  const code = `
    import { existsSync, readFileSync } from 'node:fs';
    import { PluginPool } from '${import.meta.resolve('#app/native/plugin-pool.js')}';
    import { packCall } from '${import.meta.resolve('#app/serve/plugin/wire.js')}';
    const pool = new PluginPool({ threads: 1, timeout: 60_000, maxResponse: 100 }, () => undefined);
    pool.library('busy', readFileSync('${folder.file('busy')}'));
    pool.calls(packCall(1, ${JSON.stringify(callOf(1, 'busy/Work'))}), undefined);
    setInterval(() => {
      if (!existsSync('${folder.path}/works')) return;
      pool.close();
      process.exit(7);
    }, 10);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  t.strictSame(await once(child, 'exit'), [7, null]);
});
