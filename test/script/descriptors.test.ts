/** A script that cannot be opened because the process has no descriptors left. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const PROGRAM = fileURLToPath(new URL('exhausted-descriptors.js', import.meta.url));

t.test('503 until there are some, and what is served stays', (t) => {
  const tree = t.testdir({});
  mkdirSync(`${tree}/f`);
  for (const name of ['new', 'known']) writeFileSync(`${tree}/f/${name}.read.sql`, name);
  const command = 'ulimit -n 100; exec "$0" "$@"';
  const said = execFileSync('sh', ['-c', command, process.execPath, PROGRAM, tree]).toString();
  t.same(said.trim().split('\n'), [
    'known known',
    'new busy 503 script f/new cannot be read now',
    'known known',
    'new new',
  ]);
  t.end();
});
