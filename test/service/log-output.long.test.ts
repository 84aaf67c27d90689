/** What becomes of the service when standard output takes nothing: it answers all the same, and its log counts what is missing. */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import path from 'node:path';
import t, { type Test } from 'tap';
import { freePort } from '#scripts/free-port.mjs';
import { Load } from '../support/load.js';
import { startPostgres } from '../support/postgres.js';
import type { LogLine, Output } from '../support/process-group.js';
import { Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t);

const ACCESS = { 'log.access': true, 'http.processes': 1 };
const SCRIPTS = { 's/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n' };
/**
 * Fills the buffer of an HTTP process, 2 MiB, with some hundred requests; a longer line may be mixed with one of another
 * process. No script can declare such a path, so that it is 404 at once.
 */
const LONG = `/_${'x'.repeat(3800)}`;

/** fifo is a pipe: what Node gives its children is a pair of sockets. */
function fifo(t: Test): Output {
  const file = path.join(t.testdir({}), 'fifo');
  spawnSync('mkfifo', [file]);
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stream = new Socket({ fd, readable: true, writable: false });
  const output = { fd: openSync(file, 'w'), stream };
  t.teardown(() => {
    stream.destroy();
    closeSync(output.fd);
  });
  return output;
}

/** ask loads a service until so many requests were answered, half of them by the database. */
async function ask(t: Test, port: number, count: number): Promise<number> {
  const clients = 8;
  const found = new Load(t, {
    port,
    clients,
    flood: true,
    target: (n) => `/_QUERIES/s/one?n=${n}`,
  });
  const missing = new Load(t, { port, clients, flood: true, wanted: 404, target: () => LONG });
  await Promise.all([found.reached(count / 2), missing.reached(count / 2, 404)]);
  await Promise.all([found.stop(), missing.stop()]);
  t.same([...found.failures, ...missing.failures], []);
  return found.asked + missing.asked;
}

function isAccess(line: LogLine): boolean {
  return 'path' in line;
}

const DEAF: readonly [what: string, output: (t: Test) => Output][] = [
  ['a full disk', () => ({ fd: openSync('/dev/full', 'w'), stream: Readable.from([]) })],
  ['a pipe whose reader is gone', closedPipe],
];

function closedPipe(t: Test): Output {
  const output = fifo(t);
  output.stream.destroy();
  return output;
}

for (const [what, output] of DEAF) {
  t.test(what, async (t) => {
    const port = await freePort();
    const service = new Service(t, {
      database: postgres.url,
      scripts: SCRIPTS,
      config: { ...ACCESS, 'http.processes': 2, 'http.port': port },
      output: output(t),
    });
    service.url = `http://127.0.0.1:${port}`;
    const ready = (): Promise<boolean> =>
      service.ask('/_ready').then(({ status }) => status === 200, () => false); // prettier-ignore
    await until(ready, 50);
    const httpProcesses = service.httpProcesses();
    t.equal(httpProcesses.length, 2);
    for (let i = 0; i < 3; i++) await ask(t, port, 300);
    t.same(service.httpProcesses(), httpProcesses, 'no HTTP process had to be replaced');
    service.signal('SIGTERM');
    t.equal(await service.exited, 0);
    t.equal(service.output, '', 'nothing on standard error');
  });
}

const PIPES: readonly [what: string, output?: (t: Test) => Output][] = [
  ['a socket'],
  ['a pipe', fifo],
];

for (const [what, output] of PIPES) {
  t.test(`${what} that is not read for a while`, async (t) => {
    const service = await startService(t, {
      database: postgres.url,
      scripts: SCRIPTS,
      config: ACCESS,
      ...(output && { output: output(t) }),
    });
    service.stdout.pause();
    let asked = await ask(t, service.port, 2000);
    service.stdout.resume();
    const notice = await service.line('log lines were dropped');
    t.match(notice, { level: 40, part: 'http', httpProcess: 0 });
    asked += await ask(t, service.port, 100);
    service.signal('SIGTERM');
    t.equal(await service.exited, 0);
    await until(() => service.lines.some(({ msg }) => msg === 'stopped'));
    const dropped = service.lines.reduce((sum, line) => sum + Number(line['dropped'] ?? 0), 0);
    t.ok(dropped > 0);
    // The HTTP process logs a few lines besides, which may have been dropped too.
    const logged = service.lines.filter(isAccess).length;
    t.ok(
      logged + dropped >= asked && logged <= asked,
      `${logged} logged, ${dropped} dropped, ${asked} asked`,
    );
    t.equal(service.lines.at(-1)?.msg, 'stopped');
  });
}

t.test('a reader that stops for good does not keep the service from ending', async (t) => {
  const output = fifo(t);
  const service = await startService(t, {
    database: postgres.url,
    scripts: SCRIPTS,
    config: ACCESS,
    output,
  });
  service.stdout.pause();
  await ask(t, service.port, 200);
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
});

t.test('what a service logs before it ends is there', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    scripts: SCRIPTS,
    config: { ...ACCESS, 'http.processes': 2 },
  });
  const asked = await ask(t, service.port, 1000);
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  t.equal(service.lines.filter(isAccess).length, asked);
  t.match(service.lines.at(-1), { msg: 'stopped', clean: true });
});
