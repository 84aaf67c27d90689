import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';

const program = fileURLToPath(new URL('../support/finish-under-collection.js', import.meta.url));

t.test('a connection may be garbage collected right after it was finished', async (t) => {
  const { host, port, password } = await startPostgres(t);
  const conninfo = `host=${host} port=${port} user=postgres password=${password} dbname=postgres connect_timeout=5`;
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', program, conninfo],
    { encoding: 'utf8' },
  );
  t.strictSame({ status, signal, stderr }, { status: 0, signal: null, stderr: '' });
});
