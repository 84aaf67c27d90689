/** The commands about users, with passwords from a pipe and a terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import bcrypt from 'bcrypt';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { MAIN, makeFolder, run, type Finished } from './program.js';

const server = await startPostgres(t);
const folder = makeFolder(t);
const env = { DATABASE_URL: server.url };

const user = (args: readonly string[], input = ''): Promise<Finished> =>
  run(folder, ['user', ...args], env, input);
const stored = async (username: string): Promise<string> =>
  (await server.sql('SELECT password FROM service_users WHERE username = $1', [username]))[0]![
    'password'
  ] as string;

t.test('no table', async (t) => {
  for (const args of [['add', 'ann'], ['passwd', 'ann'], ['list'], ['remove', 'ann']])
    t.match(await user(args, 'long enough\n'), {
      code: 1,
      stdout: '',
      stderr: /^error: there is no table public\.service_users: make it with .* migrate up auth\n$/,
    });
});

t.test('migrate', async (t) => {
  const migrate = (...args: string[]): Promise<Finished> => run(folder, ['migrate', ...args], env);
  t.strictSame(await migrate('up', 'auth'), {
    code: 0,
    stdout: 'public.service_users was made\n',
    stderr: '',
  });
  t.match(await migrate('up', 'auth'), { code: 0, stdout: /is there already/ });
  t.match(await migrate('up', 'auth', '--auth.password', 'hash'), {
    code: 1,
    stdout: '',
    stderr: /without the column hash: set auth\.username/,
  });
  t.match(await migrate('up', 'auth', '--auth.schema', 'nowhere'), {
    code: 1,
    stderr: /^error: the database refused: schema … does not exist \(3F000\)\n$/,
  });
  await server.sql("INSERT INTO service_users (username) VALUES ('ann')");
  t.match(await migrate('down', 'auth'), { code: 1, stdout: '', stderr: /--yes/ });
  t.equal((await server.sql('SELECT FROM service_users')).length, 1);
  t.match(await migrate('down', 'auth', '--yes'), { code: 0, stdout: /was dropped/ });
  t.match(await migrate('down', 'auth'), { code: 0, stdout: /is not there/ });
  t.match(await migrate('up', 'auth'), { code: 0 });
  t.match(await migrate('down', 'auth'), { code: 0 }, 'no users: nothing is lost');
  t.match(await migrate('up', 'auth'), { code: 0 });
});

t.test('no password on standard input', async (t) => {
  t.strictSame(await user(['add', 'nil']), {
    code: 1,
    stdout: '',
    stderr:
      'error: no password was given: standard input is no terminal, and empty: run it on a terminal, or pipe the password into it\n',
  });
  t.match(await user(['add', 'nil'], 'x'.repeat(5_000)), { code: 1, stderr: /too long/ });
});

t.test('a pipe that stays open after the password, and before it', async (t) => {
  const child = spawn(process.execPath, [MAIN, 'user', 'add', 'opn'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  child.stderr.setEncoding('utf8');
  const [notice] = (await once(child.stderr, 'data')) as [string];
  t.equal(notice, 'waiting for the password on standard input\n');
  child.stdin.write('long enough\nand more');
  t.strictSame(await exited, [0, null]);
  t.match(await user(['remove', 'opn']), { code: 0 });
});

t.test('add', async (t) => {
  t.strictSame(await user(['add', 'ann'], '12345678\n'), {
    code: 0,
    stdout: 'added "ann"\n',
    stderr: '',
  });
  t.ok(await bcrypt.compare('12345678', await stored('ann')));
  t.match(await user(['add', 'ann'], 'another one\n'), {
    code: 1,
    stdout: '',
    stderr: 'error: the user "ann" exists already in public.service_users\n',
  });
  t.ok(await bcrypt.compare('12345678', await stored('ann')), 'the first one stays');
  t.match(
    await user(['add', 'Bob', '--name', "Bob O'B", '--metadata', '{"n":1}'], 'grün grün\r\nx\n'),
    { code: 0, stdout: 'added "bob"\n', stderr: /lower case: "bob"/ },
  );
  t.ok(await bcrypt.compare('grün grün', await stored('bob')));
  t.match(await server.sql("SELECT name, metadata FROM service_users WHERE username = 'bob'"), [
    { name: "Bob O'B", metadata: { n: 1 } },
  ]);
  t.match(await user(['add', 'md', '--auth.encrypt', 'md5'], '12345678'), {
    code: 0,
    stderr: /auth\.encrypt is md5/,
  });
  t.equal(await stored('md'), '25d55ad283aa400af464c76d713c07ad');
});

t.test('refused passwords', async (t) => {
  const cases: [input: string, args: string[], stderr: RegExp][] = [
    ['\n', [], /fewer than 8 characters/],
    ['1234567\n', [], /fewer than 8 characters/],
    ['\u{1F600}'.repeat(7), [], /fewer than 8 characters/],
    ['x'.repeat(73), [], /more than 72 bytes/],
    ['1234567\0x', [], /NUL/],
    ['12345678', ['--metadata', '{'], /--metadata is not JSON/],
  ];
  for (const [input, args, stderr] of cases) {
    const finished = await user(['add', 'carol', ...args], input);
    t.match(finished, { code: 1, stdout: '', stderr });
    if (input.length > 1) t.notMatch(finished.stderr, input.trim());
  }
  t.strictSame(await server.sql("SELECT FROM service_users WHERE username = 'carol'"), []);
});

t.test('passwd', async (t) => {
  t.match(await user(['passwd', 'ann'], 'new password\n'), {
    code: 0,
    stdout: 'changed the password of "ann"\n',
  });
  t.ok(await bcrypt.compare('new password', await stored('ann')));
  t.match(await user(['passwd', 'ann'], 'short\n'), { code: 1, stderr: /fewer than 8/ });
  t.match(await user(['passwd', 'carol'], 'new password\n'), {
    code: 1,
    stderr: 'error: there is no user "carol" in public.service_users\n',
  });
});

t.test('list', async (t) => {
  await server.sql(
    "INSERT INTO service_users (id, username, name) VALUES (9, E'z\\u001b[2J', 'Z')",
  );
  const { code, stdout } = await user(['list']);
  t.equal(code, 0);
  t.match(stdout, /^\d+\tann\t\n\d+\tbob\tBob O'B\n\d+\tmd\t\n9\tz\uFFFD\[2J\tZ\n$/);
  t.notMatch(stdout, /\u001b/);
  const json = await user(['list', '--json']);
  t.match(JSON.parse(json.stdout), [
    { id: Number, username: 'ann', name: '' },
    { username: 'bob', name: "Bob O'B" },
    { username: 'md' },
    { id: 9, username: 'z\u001b[2J', name: 'Z' },
  ]);
  t.notMatch(stdout + json.stdout, /\$2b|25d55ad2/, 'no hashes');
});

t.test('remove', async (t) => {
  t.match(await user(['remove', 'BOB']), { code: 0, stdout: /^removed "bob"; tokens/ });
  t.match(await user(['remove', 'bob']), { code: 1, stderr: /there is no user "bob"/ });
  t.equal((await server.sql('SELECT FROM service_users')).length, 3);
});

t.test('an existing table', async (t) => {
  await server.sql(
    'CREATE SCHEMA app; CREATE TABLE app."the people" (mail text, hash varchar(80))',
  );
  const keys = Object.entries({ schema: 'app', table: 'the people', username: 'mail' });
  const flags = keys.flatMap(([key, value]) => [`--auth.${key}`, value]);
  const own = [...flags, '--auth.password', 'hash'];
  t.match(await user(['add', 'ann', ...own], '12345678'), { code: 0 });
  t.match(await user(['add', 'ann', ...own], '12345678'), { code: 1, stderr: /exists already/ });
  t.match(await user(['add', 'bob', '--name', 'B', ...own], '12345678'), {
    code: 1,
    stderr: /^error: the database refused: column … does not exist \(42703\)\n$/,
  });
  t.match(await user(['list', ...own]), { code: 0, stdout: '0\tann\t\n' });
  await server.sql('INSERT INTO app."the people" VALUES (\'ann\')');
  t.match(await user(['passwd', 'ann', ...own], '12345678'), { code: 1, stderr: /2 rows/ });
});

t.test('an unreachable database, and an invalid configuration', async (t) => {
  const url = 'postgres://u:hush@127.0.0.1:1/d';
  for (const args of [
    ['user', 'list'],
    ['migrate', 'up', 'auth'],
  ]) {
    const away = await run(folder, args, { DATABASE_URL: url });
    t.match(away, { code: 1, stdout: '', stderr: /^error: the database refused: .*\(08001\)\n$/ });
    t.notMatch(away.stderr, 'hush');
    t.match(await run(folder, [...args, '--http.port', 'x'], env), {
      code: 1,
      stderr: /^error: --http\.port/,
    });
  }
});

t.test('on a terminal: two prompts, without echo', async (t) => {
  const typed = async (lines: readonly string[]): Promise<string> => {
    const command = `'${process.execPath}' '${MAIN}' user add typed`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], SHELL: '/bin/sh', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    const rest = ['Password: ', 'Again: '].map((prompt, i) => ({ prompt, line: lines[i] ?? '' }));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      const [next] = rest;
      if (next === undefined || !shown.endsWith(next.prompt)) return;
      rest.shift();
      child.stdin.write(next.line);
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    child.stdin.destroy();
    return `${shown.replaceAll('\r', '')}${String(code)}`;
  };
  t.equal(
    await typed(['secret word\r', 'secret wird\r']),
    'Password: \nAgain: \nerror: the passwords differ\n1',
  );
  t.equal(await typed(['\u0003']), 'Password: \nerror: no password was given\n1');
  t.equal(
    await typed(['secret word\r', '\u0004']),
    'Password: \nAgain: \nerror: no password was given\n1',
  );
  t.equal(
    await typed(['secret wordx\u007f\r', 'secret word\r']),
    'Password: \nAgain: \nadded "typed"\n0',
  );
  t.ok(await bcrypt.compare('secret word', await stored('typed')));
});
