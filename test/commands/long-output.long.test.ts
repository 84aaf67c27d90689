/** Commands write all of their output into a slow pipe, and end when its reader is gone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { MAIN, makeFolder } from './program.js';

const KEYS = 20_000;
const folder = makeFolder(t);
const unknown = Array.from({ length: KEYS }, (_, i) => `k${i} = 1`).join('\n');
writeFileSync(join(folder, 'service.toml'), `[pg]\nport = 1\n[nothing]\n${unknown}\n`);

/** piped runs `check --json` with its output piped to a shell command. */
const piped = (reader: string) =>
  spawn('sh', ['-c', `{ "$0" "$1" check --json; echo "$?" >&2; } | ${reader}`, process.execPath, MAIN], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  }); // prettier-ignore

t.test('a slow reader', async (t) => {
  const { stdout } = piped('(sleep 1; cat)');
  let text = '';
  stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  await once(stdout, 'end');
  t.ok(text.length > 1 << 20);
  t.equal((JSON.parse(text) as { warnings: unknown[] }).warnings.length, KEYS);
});

t.test('a reader that ends', async (t) => {
  const { stderr } = piped('true');
  let text = '';
  stderr.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  await once(stderr, 'end');
  t.equal(text, '1\n', 'the exit code, and no stack');
});
