import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { spawnGroup } from '../support/spawn-group.js';
import { until } from '../support/until.js';
import { MAIN, makeFolder, run, start } from './program.js';

/** The URL of an unreachable database. */
const ABSENT = { DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/d' };

t.test('an invalid configuration stops the start', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(
    join(folder, 'service.toml'),
    'http.hots = "x"\nhttp.port = "hush"\nqueries.storage = "tape"\n',
  );
  const { code, stdout, stderr } = await run(folder, ['serve', '--pool.queue=none'], {
    PORT: 'hush',
  });
  t.equal(code, 1);
  t.equal(stdout, '');
  t.strictSame(
    stderr.split('\n').map((line) => line.split(':').slice(0, 2).join(':')),
    [
      'warning: http.hots',
      'error: http.port',
      'error: queries.storage',
      'error: PORT (http.port)',
      'error: --pool.queue',
      '',
    ],
  );
  t.notMatch(stderr, 'hush');
  t.notOk(existsSync(join(folder, 'queries')), 'nothing is made');
});

t.test('a scripts folder that cannot be created stops the start', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'queries'), '');
  const { code, stderr } = await run(folder, ['serve'], ABSENT);
  t.equal(code, 1);
  t.match(stderr, /^error: queries\.location: .*queries cannot be made: EEXIST\n$/);
});

t.test(
  'it serves while the database is unreachable, reloads on SIGHUP, ends on SIGTERM',
  async (t) => {
    const folder = makeFolder(t);
    const file = join(folder, 'named.toml');
    const port = 'http.port = 0\n';
    writeFileSync(file, `${port}queries.location = "made/here"\nnonsense = 1\n`);
    const program = start(folder, ['serve', '--config', 'named.toml'], ABSENT);
    t.teardown(() => program.child.kill('SIGKILL'));
    const [, url] = await program.seen(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/);
    t.equal(statSync(join(folder, 'made/here')).mode & 0o777, 0o700, 'the scripts folder is made');
    t.match(await answer(`${url!}/_QUERIES/a/b`), [404, 'script not found: a/b']);

    writeFileSync(file, 'http.port = "hush"\n');
    program.child.kill('SIGHUP');
    await program.seen(/not reloaded, the old configuration stays: http\.port/);
    t.match(await answer(`${url!}/_QUERIES/a/b`), [404, 'script not found: a/b']);

    writeFileSync(file, `${port}context = "/api"\nqueries.location = "made/anew"\n`);
    program.child.kill('SIGHUP');
    await program.seen(/"reloaded"/);
    t.ok(existsSync(join(folder, 'made/anew')));
    // The old HTTP process takes connections until it has closed its socket.
    await until(async () => {
      const [, error] = await answer(`${url!}/api/_QUERIES/a/b`);
      return error === 'script not found: a/b'; // the new prefix is served
    });

    program.child.kill('SIGTERM');
    const { code, stdout, stderr } = await program.finished;
    t.equal(code, 0, stderr);
    t.match(stdout, /nonsense: unknown key/, 'warnings are logged');
    t.notMatch(stdout + stderr, 'hush');
  },
);

t.test('started by npm, it ends with the shell that npm signals', async (t) => {
  const shell = spawnGroup(
    t,
    // Not the last command, which some shells replace themselves with.
    [
      '/bin/sh',
      '-c',
      `"$0" "$1" serve --http.port=0 & child=$!; echo "child $child"; wait $child; true`,
      process.execPath,
      MAIN,
    ],
    {
      cwd: makeFolder(t),
      env: { PATH: process.env['PATH'], npm_lifecycle_event: 'npx', ...ABSENT },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  shell.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(shell.stdout!, 'end');
  await until(() => output.includes('"listening"'));
  shell.kill('SIGTERM');
  await ended; // the service and its HTTP processes hold the pipe
  t.match(output, /"clean":true/);
});

t.test('flags reach the service', async (t) => {
  const program = start(makeFolder(t), ['serve', '--http.port=0', '--context', '/api'], ABSENT);
  t.teardown(() => program.child.kill('SIGKILL'));
  const [, url] = await program.seen(/"url":"(http:[^"]*)"/);
  t.match(url, /\/api$/);
  program.child.kill('SIGINT');
  t.equal((await program.finished).code, 0);
});

/** answer resolves to the status and error of a GET; 0 when the connection was closed. */
async function answer(url: string): Promise<[status: number, error: string]> {
  try {
    const response = await fetch(url, { headers: { connection: 'close' } });
    const { error } = (await response.json()) as { error: string };
    return [response.status, error];
  } catch (error) {
    return [0, String(error)];
  }
}
