/** The command `top`: why it cannot begin, and what it shows of a service with load, over a pipe and on a terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Frame } from '#app/clients/top/frame.js';
import { Load } from '../support/load.js';
import { startPostgres } from '../support/postgres.js';
import { environment } from '../support/process-group.js';
import { without } from '../support/programs.js';
import { metricsUrl } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';
import { makeFolder, MAIN, run, start } from './program.js';

const TOKEN = 'top-may-look-0123456789';

const web = http.createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://x');
  response.statusCode = Number(/^\/(\d{3})$/.exec(pathname)?.[1] ?? 200);
  if (pathname === '/302') response.setHeader('location', '/metrics');
  if (pathname === '/cut') response.setHeader('content-length', 1_000_000);
  if (pathname === '/cut') response.write('x', () => request.socket.destroy());
  else response.end(pathname === '/empty' ? '' : '# HELP a A.\n# TYPE a gauge\na 1\n');
});
await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
t.teardown(() => web.close());
const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;

interface Refused {
  readonly about: string;
  readonly args?: readonly string[];
  readonly file?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly code?: number;
  readonly message: RegExp;
}

const REFUSED: readonly Refused[] = [
  { about: 'no metrics.listen', message: /^error: metrics\.listen is not set: set it .*--url\n$/ },
  { about: 'port 0', file: 'metrics.listen = "127.0.0.1:0"', message: /^error: .*port 0.*"serving metrics"\n$/ }, // prettier-ignore
  { about: 'a wrong configuration', file: 'metrics.listen = 1', message: /^error: .*metrics\.listen/ }, // prettier-ignore
  { about: 'nothing listens', file: 'metrics.listen = "127.0.0.1:1"', message: /^error: http:\/\/127\.0\.0\.1:1\/metrics refuses connections: .*\n$/ }, // prettier-ignore
  { about: 'every address, IPv6', file: 'metrics.listen = "[::]:1"', message: /^error: http:\/\/\[::1\]:1\/metrics .*\n$/ }, // prettier-ignore
  { about: 'an unknown host', args: ['--url', 'http://no.such.host.invalid/'], message: /^error: \S+\/metrics has a host that is unknown \(\w+\): .*\n$/ }, // prettier-ignore
  { about: 'no URL', args: ['--url', 'x'], message: /^error: --url takes a URL such as/ },
  { about: 'a file', args: ['--url', 'file:///etc/passwd'], message: /^error: --url takes a URL/ },
  { about: 'a secret', args: ['--url', 'http://a:b@127.0.0.1/'], message: /^error: --url takes no user and password: .*SERVICE_METRICS_TOKEN\n$/ }, // prettier-ignore
  { about: '401', args: ['--url', `${origin}/401`], message: /^error: \S+ requires a token: .*SERVICE_METRICS_TOKEN.*\n$/ }, // prettier-ignore
  { about: '401 with a token', args: ['--url', `${origin}/401`], env: { SERVICE_METRICS_TOKEN: TOKEN }, message: /^error: \S+ refuses the token: .*\n$/ }, // prettier-ignore
  { about: '404', args: ['--url', `${origin}/404`], message: /^error: \S+ is not there \(404\): .*\n$/ }, // prettier-ignore
  { about: 'elsewhere', args: ['--url', `${origin}/302`], message: /^error: \S+ is answered with 302: / }, // prettier-ignore
  { about: '503', args: ['--url', `${origin}/503`], message: /^error: \S+ is answered with 503: / },
  { about: 'another format', args: ['--url', origin], message: /^error: \S+ has no metrics of sql-rest-service \(.*\): .*\n$/ }, // prettier-ignore
  { about: 'nothing', args: ['--url', `${origin}/empty`], message: /\(service_build_info is missing\)/ }, // prettier-ignore
  { about: 'cut off', args: ['--url', `${origin}/cut`], message: /^error: \S+ cannot be reached \(\w+\): / }, // prettier-ignore
  { about: 'an operand', args: ['x'], code: 2, message: /takes flags only, not x/ },
  { about: 'a token on the command line', args: ['--metrics.token', TOKEN], code: 1, message: /metrics\.token/ }, // prettier-ignore
];

const server = await startPostgres(t);
const config = { 'http.processes': 2, 'metrics.listen': '127.0.0.1:0', 'metrics.token': TOKEN };
const service = await startService(t, {
  database: server.url,
  scripts: {
    'shop/one.read.sql': 'SELECT 1 AS one',
    'shop/slow.read.sql': 'SELECT pg_sleep(0.02)',
    'shop/add.write.sql': 'SELECT 1 UNION SELECT 2',
    'shop/wrong.read.sql': 'SELECT 1 / 0',
  },
  config: { ...config, 'queries.proof': 'off' },
});
const env = { SERVICE_METRICS_TOKEN: TOKEN };
const args = ['top', '--url', await metricsUrl(service)];

const SCRIPTS = ['one', 'one', 'one', 'slow', 'wrong'];
const load = new Load(t, {
  port: service.port,
  clients: 4,
  target: (n) => `/_QUERIES/shop/${SCRIPTS[n % SCRIPTS.length]!}`,
});
await load.reached(100);
await service.ask('shop/add', { method: 'POST' });

for (const { about, args = [], file, env, code = 1, message } of REFUSED)
  t.test(about, async (t) => {
    const folder = makeFolder(t);
    if (file !== undefined) writeFileSync(join(folder, 'service.toml'), file);
    const found = await run(folder, ['top', ...args], env);
    t.equal(found.code, code);
    t.equal(found.stdout, '');
    t.match(found.stderr, message);
    t.notMatch(found.stderr, TOKEN);
  });

function frames(text: string): Frame[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Frame);
}

t.test('one interval as JSON', async (t) => {
  // Again when hardly anything was answered in the interval, on a busy machine.
  const frame = await until(async () => {
    const { code, stdout, stderr } = await run(makeFolder(t), [...args, '--once', '--json'], env);
    t.equal(stderr, '');
    t.equal(code, 0);
    const [frame, ...others] = frames(stdout);
    t.equal(others.length, 0);
    const { scripts } = frame!;
    const ran = scripts.filter(({ statementsPerSecond }) => statementsPerSecond > 0);
    return ran.length === 3 && ran[0]!.script === 'shop/slow' && frame!;
  });
  t.equal(frame.sinceStart, false);
  t.ok(frame.seconds > 0);
  t.match(frame.service, { processes: 2, workers: Number, restarts: { death: 0, reload: 0 } });
  t.ok(frame.service.requestsPerSecond > 0);
  const names = frame.scripts.map(({ script }) => script);
  t.equal(names[0], 'shop/slow', 'the longest first');
  t.strictSame([...names].sort(), ['shop/add', 'shop/one', 'shop/slow', 'shop/wrong']);
  const by = Object.fromEntries(frame.scripts.map((one) => [one.script, one]));
  t.ok(by['shop/slow']!.p50! >= 0.02 && by['shop/slow']!.p99! >= by['shop/slow']!.p50!);
  t.ok(by['shop/wrong']!.errorsPerSecond > 0);
  t.equal(by['shop/one']!.errorsPerSecond, 0);
  t.ok(by['shop/one']!.bytesPerSecond > 0);
  t.match(by['shop/add'], { rowsPerSecond: 0, slowLaneShare: null }, 'none in this interval');
  t.match(by['shop/slow'], { slowLaneShare: 1 });
  t.ok(by['shop/slow']!.rowsPerSecond > 0, 'of a read');
  const shares = frame.scripts.reduce((sum, { share }) => sum + share, 0);
  t.ok(Math.abs(shares - 1) < 0.001, 'shares are parts of one');
  t.equal(frame.databases.length, 1);
  t.ok(frame.databases[0]!.statementsPerSecond > 0);
  t.ok(frame.databases[0]!.used + frame.databases[0]!.idle > 0);
  t.strictSame(frame.processes.map(({ process }) => process).sort(), [
    'http_0',
    'http_1',
    'supervisor',
  ]);
  for (const { process, resident, heap, pids } of frame.processes) {
    t.ok(resident > 0 && pids.length === 1, process);
    t.equal(heap === null, process === 'supervisor');
  }
});

t.test('one interval as lines', async (t) => {
  const stdout = await until(async () => {
    const { code, stdout } = await run(makeFolder(t), [...args, '--once'], env);
    t.equal(code, 0);
    return /\nSCRIPT .*\nshop\/slow /.test(stdout) && stdout; // as above
  });
  t.match(stdout, /^sql-rest-service \d.*\nin [\d.]+m?s: [\d.]+ requests\/s.*\n\nDATABASE .*\n\S/);
  t.match(stdout, /\nSCRIPT .*\nshop\/slow +[\d.]+% /);
  t.notMatch(stdout, '\u001b');
});

t.test('the configuration of the service, until its reader ends', async (t) => {
  const folder = makeFolder(t);
  const listen = new URL(args[2]!).host;
  writeFileSync(join(folder, 'service.toml'), `metrics.listen = "${listen}"`);
  const top = start(folder, ['top', '--json'], env);
  await top.seen(/^.*\n.*\n.*\n/);
  top.child.stdout!.destroy();
  const { code, stdout, stderr } = await top.finished;
  t.equal(code, 0, stderr);
  const [first, second] = frames(stdout);
  t.equal(first?.sinceStart, true);
  t.equal(second?.sinceStart, false);
  t.ok(first!.seconds > second!.seconds);
});

t.test('signals', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const top = start(makeFolder(t), args, env);
    await top.seen(/SCRIPT/);
    top.child.kill(signal);
    t.equal((await top.finished).code, 0, signal);
  }
});

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

t.test('a terminal', { skip: without('script') }, async (t) => {
  await t.test('q, with another order and another size', async (t) => {
    const terminal = new Terminal(t, { columns: 60, rows: 14 });
    await terminal.seen(/order, by time now/);
    t.match(terminal.text, /\u001b\[1mSCRIPT /, 'a title in bold');
    terminal.type('s');
    await terminal.seen(/order, by rate now/);
    for (const frame of terminal.screens()) {
      t.equal(frame.length, 14, 'all rows and no more');
      for (const line of frame) if (line.length > 60) t.fail(line);
    }
    terminal.resize(30, 8);
    const small = await until(() => terminal.screens().at(-1)!.length === 8 && terminal.screens().at(-1)!); // prettier-ignore
    for (const line of small) if (line.length > 30) t.fail(line);
    terminal.type('q');
    await terminal.left(t);
  });

  await t.test('Ctrl-C, without colour', async (t) => {
    const terminal = new Terminal(t, { columns: 80, rows: 24, env: { NO_COLOR: '1' } });
    await terminal.seen(/q: quit/);
    t.notMatch(terminal.text, /\u001b\[\d*m/);
    terminal.type('\u0003');
    await terminal.left(t);
  });

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const)
    await t.test(signal, async (t) => {
      const terminal = new Terminal(t, { columns: 80, rows: 24 });
      await terminal.seen(/q: quit/);
      process.kill(terminal.pid, signal);
      await terminal.left(t);
    });

  await t.test('a terminal that cannot be redrawn', async (t) => {
    const terminal = new Terminal(t, { columns: 80, rows: 24, env: { TERM: 'dumb' } });
    await terminal.seen(/SCRIPT/);
    t.notMatch(terminal.text, '\u001b');
    process.kill(terminal.pid, 'SIGTERM');
    await terminal.seen(/code=0/);
  });
});

t.test('a service that ends, and starts again', async (t) => {
  const folder = makeFolder(t);
  const other = await startService(t, { database: server.url, config });
  const url = await metricsUrl(other);
  const listening = { ...config, 'metrics.listen': new URL(url).host };
  const top = start(folder, ['top', '--json', '--url', url], env);
  await top.seen(/\n.*\n/);
  const warned = once(top.child.stderr!, 'data');
  other.signal('SIGTERM');
  await other.exited;
  t.match(String(await warned), /^warning: \S+ .*; trying again\n$/);
  const seen = (await top.seen(/[^]*/))[0].length;
  const again = await startService(t, { database: server.url, config: listening });
  await metricsUrl(again);
  await top.seen(new RegExp(`^[^]{${seen}}.*\\n.*\\n`));
  top.child.kill('SIGTERM');
  const { code, stdout, stderr } = await top.finished;
  t.equal(code, 0);
  t.equal(stderr.split('\n').length, 2, 'one line for an outage');
  const starts = frames(stdout).filter(({ sinceStart }) => sinceStart);
  t.equal(starts.length, 2, 'since the start of each');
});

interface TerminalOptions {
  readonly columns: number;
  readonly rows: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** `top` in a terminal, a shell around it that prints the terminal's settings before and after, and the exit code. */
class Terminal {
  text = '';
  readonly #child;

  constructor(t: Test, { columns, rows, env: more = {} }: TerminalOptions) {
    const command = args.map((one) => `'${one}'`).join(' ');
    const shell = [
      `stty cols ${columns} rows ${rows}; echo before=$(stty -g) tty=$(tty)`,
      // The outer shell goes on where a signal ends the program.
      `sh -c 'echo pid=$$; exec "$0" "$@"' '${process.execPath}' '${MAIN}' ${command}`,
      'echo code=$?; echo after=$(stty -g)',
    ];
    this.#child = spawn(
      'setpriv',
      ['--pdeathsig', 'KILL', 'script', '-qec', shell.join('; '), '/dev/null'],
      {
        cwd: makeFolder(t),
        env: { ...environment(), TERM: 'xterm', SHELL: '/bin/sh', ...env, ...more },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    t.teardown(() => this.#child.kill('SIGKILL'));
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.text += text));
  }

  get pid(): number {
    return Number(/pid=(\d+)/.exec(this.text)?.[1]);
  }

  seen(pattern: RegExp): Promise<RegExpExecArray> {
    return until(() => {
      if (this.#child.exitCode !== null) throw new Error(`ended without it: ${this.text}`);
      return pattern.exec(this.text);
    });
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  resize(columns: number, rows: number): void {
    const device = /tty=(\S+)/.exec(this.text)![1]!;
    spawnSync('stty', ['-F', device, 'cols', String(columns), 'rows', String(rows)]);
  }

  /** screens are the frames that were drawn whole, as lines without styles. */
  screens(): string[][] {
    const drawn = this.text.split('\u001b[H').slice(1).filter((one) => one.includes('\u001b[J')); // prettier-ignore
    return drawn.map((one) =>
      one
        .slice(0, one.indexOf('\u001b[J'))
        .replaceAll(/\u001b\[\d*[mK]/g, '')
        .split(/\r+\n/),
    );
  }

  /** left waits until the program has ended, and checks that the terminal is as it was. */
  async left(t: Test): Promise<void> {
    const after = await until(() => /code=(\d+)\s+after=(\S+)/.exec(this.text));
    t.equal(after[1], '0');
    t.equal(after[2], /before=(\S+)/.exec(this.text)![1], 'the settings of the terminal');
    t.equal(this.text.split(ENTER).length, 2);
    t.equal(this.text.split(LEAVE).length, 2);
    t.ok(this.text.indexOf(LEAVE) > this.text.lastIndexOf('\u001b[J'), 'nothing is drawn later');
  }
}
