/** README's way to the first endpoint on a database of one's own: its commands work as they are written. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import { makeFolder, start } from '../commands/program.js';
import { startPostgres } from '../support/postgres.js';
import { without } from '../support/programs.js';

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

t.test('one file, one command, one request', { skip: without('curl') }, async (t) => {
  const postgres = await startPostgres(t);
  const folder = makeFolder(t);
  const [section] = /^## Your own database\n.*?(?=^## )/ms.exec(README)!;
  const blocks = [...section.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, text = '']) => text);
  const [make = '', serve = '', ask = ''] = blocks.flatMap((text) => text.split('\n'));
  await promisify(execFile)('sh', ['-c', make], { cwd: folder });
  t.match(serve, /^DATABASE_URL=postgres:\S+ npm start$/);
  const program = start(folder, ['dev', '--http.port=0'], { DATABASE_URL: postgres.url });
  t.teardown(() => program.child.kill('SIGKILL'));
  const [, url = ''] = await program.seen(/"url":"(http:[^"]*)"/);
  const { stdout } = await promisify(execFile)('sh', ['-c', ask.replace('http://127.0.0.1:3000', url)]); // prettier-ignore
  t.match(JSON.parse(stdout), [{ user: 'postgres', version: /^PostgreSQL / }]);
});
