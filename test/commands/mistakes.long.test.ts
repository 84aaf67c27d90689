/**
 * Ten typical mistakes: what `check` prints about each, what the log of `serve` and that of `dev` say on the terminal, and what
 * `dev` answers, is what is wrong, where it is, and what to do.
 */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { startPostgres } from '../support/postgres.js';
import { makeFolder, makeScripts, run, start } from './program.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE tea (name text, price numeric)' });
const env = { DATABASE_URL: postgres.url };

interface ScriptMistake {
  readonly mistake: string;
  readonly file: string;
  readonly text: string;
  /** A line of `check`, and the hint below it. */
  readonly check: RegExp;
  /** A line of the log: of the start, or of the request to `target`. */
  readonly terminal: RegExp;
  readonly target?: string;
  /** A line of the log of `dev` as the file is saved. */
  readonly saved: RegExp;
  /** What `dev` answers then to a request that wants text. */
  readonly answer: RegExp;
}

const SCRIPTS: readonly ScriptMistake[] = [
  {
    mistake: 'a function misspelt',
    file: 'shop/function.read.sql',
    text: 'SELECT 1,\n  {{sqlVall "x"}}',
    check: /shop\/function\.read\.sql:2:5: .*"sqlVall" not defined; the nearest is sqlVal/,
    terminal:
      /not served: shop\/function\.read\.sql:2:5: .*"sqlVall\\?" not defined; the nearest is sqlVal/,
    saved:
      /"position":"shop\/function:2:5".*"source":.*"> 2 \|   \{\{sqlVall.*the nearest is sqlVal/,
    answer:
      /"sqlVall" not defined\n\nat shop\/function:2:5\n\n.*\n {2}> 2 \|   \{\{sqlVall "x"\}\}\n {4} {2}\|     \^\n\nhint: the nearest is sqlVal\n/,
  },
  {
    mistake: 'a missing end',
    file: 'shop/end.read.sql',
    text: 'SELECT 1\n{{if isSet "a"}}WHERE true',
    check:
      /shop\/end\.read\.sql:2:\d+: .*unexpected EOF; the \{\{if\}\} of line 2 has no \{\{end\}\}/,
    terminal:
      /not served: shop\/end\.read\.sql:2:\d+: .*the \{\{if\}\} of line 2 has no \{\{end\}\}/,
    saved: /"position":"shop\/end:2:27".*"source":.*the \{\{if\}\} of line 2 has no \{\{end\}\}/,
    answer:
      /unexpected EOF\n\nat shop\/end:2:27\n[^]*> 2 \| \{\{if[^]*hint: the \{\{if\}\} of line 2 has no \{\{end\}\}/,
  },
  {
    mistake: 'a wrong column',
    file: 'shop/column.read.sql',
    text: 'SELECT nam FROM tea',
    check:
      /shop\/column\.read\.sql:1:8: column "nam" does not exist [^]*hint: Perhaps you meant .*"tea\.name"/,
    terminal:
      /"position":"shop\/column:1:8".*"hint":"sql-rest-service check --script shop\/column shows the whole message".*column … does not exist/,
    target: 'shop/column',
    saved:
      /"position":"shop\/column:1:8".*"hint":"Perhaps you meant .*"source":.*column \\"nam\\" does not exist/,
    answer:
      /^500 42703: column "nam" does not exist\n\nat shop\/column:1:8\n\n {2}> 1 \| SELECT nam FROM tea\n {6}\|        \^\n\nhint: Perhaps you meant .*"tea\.name"/,
  },
  {
    mistake: 'a wrong type',
    file: 'shop/type.read.sql',
    text: 'SELECT name FROM tea WHERE price < {{sqlVal "x"}}::date',
    check:
      /shop\/type\.read\.sql:1:34: operator does not exist: numeric < date [^]*hint: .*explicit type cast/,
    terminal:
      /"position":"shop\/type:1:34".*"hint":"sql-rest-service check --script shop\/type .*operator does not exist: numeric < date/,
    target: 'shop/type?x=1',
    saved:
      /"position":"shop\/type:1:34".*"hint":".*explicit type cast.*operator does not exist: numeric < date/,
    answer:
      /^500 42883: operator does not exist: numeric < date\n\nat shop\/type:1:34\n[^]*\^\n[^]*hint: .*explicit type cast/,
  },
  {
    mistake: 'a wrong folder',
    file: 'loose.read.sql',
    text: 'SELECT 1',
    check: /loose\.read\.sql: is in no folder: scripts are <folder>\/<name>\.<suffix>/,
    terminal:
      /not served: loose\.read\.sql: is in no folder: scripts are <folder>\/<name>\.<suffix>/,
    target: 'shop/loose',
    saved: /not served: loose\.read\.sql: is in no folder: scripts are <folder>\/<name>\.<suffix>/,
    answer:
      /^404 script_not_found: .*\n\nhint: loose\.read\.sql: is in no folder: scripts are <folder>/,
  },
  {
    mistake: 'a wrong suffix',
    file: 'shop/list.get.sql',
    text: 'SELECT 1',
    check: /shop\/list\.get\.sql: the suffix is none of \.read\.sql \(GET\), /,
    terminal: /not served: shop\/list\.get\.sql: the suffix is none of \.read\.sql \(GET\), /,
    target: 'shop/list',
    saved: /not served: shop\/list\.get\.sql: the suffix is none of \.read\.sql \(GET\), /,
    answer:
      /^404 script_not_found: .*\n\nhint: shop\/list\.get\.sql: the suffix is none of \.read\.sql \(GET\)/,
  },
  {
    mistake: 'a forgotten quote in SQL',
    file: 'shop/quote.read.sql',
    text: "SELECT name\nFROM tea WHERE name = 'green",
    check: /shop\/quote\.read\.sql:2:23: unterminated quoted string at or near "'green/,
    terminal:
      /"position":"shop\/quote:2:23".*"hint":"sql-rest-service check --script shop\/quote .*unterminated quoted string/,
    target: 'shop/quote',
    saved: /"position":"shop\/quote:2:23".*"source":.*unterminated quoted string/,
    answer:
      /^500 42601: unterminated quoted string .*\n\nat shop\/quote:2:23\n[^]*> 2 \| FROM tea WHERE name = 'green\n {6}\| {23}\^\n/,
  },
  {
    mistake: 'a forgotten quote in a template',
    file: 'shop/bare.read.sql',
    text: 'SELECT {{sqlVal x}}',
    check: /shop\/bare\.read\.sql:1:17: .*quotes are missing: write \{\{sqlVal "x"\}\}/,
    terminal: /not served: shop\/bare\.read\.sql:1:17: .*quotes are missing: write/,
    saved: /"position":"shop\/bare:1:17".*"source":.*quotes are missing: write/,
    answer:
      /at shop\/bare:1:17\n\n {2}> 1 \| SELECT \{\{sqlVal x\}\}\n {6}\| {17}\^\n\nhint: .*quotes are missing: write \{\{sqlVal "x"\}\}/,
  },
];

t.test('scripts', async (t) => {
  const folder = makeScripts(t, Object.fromEntries(SCRIPTS.map(({ file, text }) => [file, text])));
  const { code, stdout } = await run(folder, ['check'], env);
  t.equal(code, 1);
  const program = start(folder, ['serve', '--http.port=0'], env);
  t.teardown(() => program.child.kill('SIGKILL'));
  const [, url] = await program.seen(/"url":"(http:[^"]*)"/);
  await program.seen(/"served":"scripts"/);
  for (const { mistake, check, terminal, target } of SCRIPTS) {
    t.match(stdout, check, mistake);
    if (target !== undefined) await fetch(`${url!}/_QUERIES/${target}`);
    t.match((await program.seen(terminal))[0], terminal, mistake);
  }
});

t.test('scripts, in development mode', async (t) => {
  const folder = makeScripts(t, {});
  const program = start(folder, ['dev', '--http.port=0'], env);
  t.teardown(() => program.child.kill('SIGKILL'));
  const [, url] = await program.seen(/"url":"(http:[^"]*)"/);
  await program.seen(/"the scripts were proved"/);
  for (const { file, text } of SCRIPTS) {
    mkdirSync(join(folder, 'queries', dirname(file)), { recursive: true });
    writeFileSync(join(folder, 'queries', file), text);
  }
  for (const { mistake, file, target = file.split('.')[0]!, saved, answer } of SCRIPTS) {
    t.match((await program.seen(saved))[0], saved, mistake);
    const response = await fetch(`${url!}/_QUERIES/${target}`, {
      headers: { accept: 'text/html' },
    });
    t.match(await response.text(), answer, mistake);
  }
});

t.test('the folder of scripts misspelt', async (t) => {
  const folder = makeScripts(t, { 'shop/list.read.sql': 'SELECT 1' });
  const args = ['--queries.location', 'quries'];
  t.match((await run(folder, ['check', ...args], env)).stdout, /quries ok: 0 scripts\n {2}warning: there is no such folder.*queries\.location/); // prettier-ignore
  await serves(t, folder, args, env, /there was no folder .*quries: .*queries\.location/);
});

t.test('the port in use', async (t) => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  const folder = makeScripts(t, {});
  for (const command of ['serve', 'dev']) {
    const { code, stdout } = await run(folder, [command, '--http.port', String(port)], env);
    t.equal(code, 1);
    t.match(
      stdout,
      new RegExp(`port ${port} is already in use on 127\\.0\\.0\\.1: .*; end that one, or set another port with PORT or --http\\.port`), // prettier-ignore
    );
  }
});

t.test('a wrong password', async (t) => {
  const url = new URL(postgres.url);
  url.password = 'wrong';
  const wrong = { DATABASE_URL: url.href };
  const said = /127\.0\.0\.1.* password authentication failed for user .*SERVICE_PG_PASS \(pg\.pass\) or in DATABASE_URL/; // prettier-ignore
  const folder = makeScripts(t, { 'shop/one.read.sql': 'SELECT 1 AS n' });
  t.match((await run(folder, ['check'], wrong)).stdout, said);
  await serves(t, folder, [], wrong, said);
  const program = start(folder, ['dev', '--http.port=0'], wrong);
  t.teardown(() => program.child.kill('SIGKILL'));
  await program.seen(said);
  const [, base] = await program.seen(/"url":"(http:[^"]*)"/);
  const text = await (await fetch(`${base!}/_QUERIES/shop/one`)).text();
  t.match(text, said);
  t.notMatch(text, url.password);
});

t.test('an address that other machines can reach, in development mode', async (t) => {
  const folder = makeScripts(t, {});
  for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
    const { code, stdout, stderr } = await run(folder, ['dev', '--http.host', host], env);
    t.equal(code, 1);
    t.equal(stdout, '');
    t.match(stderr, /^error: http\.host is .*: use dev with --http\.host 127\.0\.0\.1, or the command serve$/m); // prettier-ignore
  }
});

t.test('an unknown key', async (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, 'queries'));
  const file = join(folder, 'service.toml');
  writeFileSync(file, '[http]\nprot = 80\n');
  const said = `http.prot: unknown key in ${file}; the nearest known one is http.port`;
  t.match((await run(folder, ['check'], env)).stdout, `\n  warning: ${said}\n`);
  await serves(
    t,
    folder,
    [],
    env,
    /http\.prot: unknown key in .*; the nearest known one is http\.port/,
  );
  writeFileSync(file, '[auth]\nenabeld = true\n');
  const { code, stderr } = await run(folder, ['serve'], env);
  t.equal(code, 1);
  t.equal(
    stderr,
    `error: auth.enabeld: unknown key in ${file}; the nearest known one is auth.enabled\n`,
  );
});

/** Starts the service until its log has a line. */
async function serves(
  t: Test,
  folder: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  line: RegExp,
): Promise<void> {
  const program = start(folder, ['serve', '--http.port=0', ...args], variables);
  t.teardown(() => program.child.kill('SIGKILL'));
  t.match((await program.seen(line))[0], line);
}
