/**
 * Three instances behind a proxy, as packaging/proxies has it, are replaced one after the other: no request fails. With
 * UPGRADE_FROM, the folder of an earlier revision that is built, they are upgraded from that.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { freePort } from '#scripts/free-port.mjs';
import { Load } from '../support/load.js';
import { startPostgres } from '../support/postgres.js';
import { withDaemons as env, without } from '../support/programs.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const FOLDER = new URL('../../../packaging/proxies/', import.meta.url);

interface Proxy {
  readonly name: string;
  readonly file: string;
  /** Its arguments, to stay in the foreground with a configuration file. */
  readonly arguments: (file: string, folder: string) => readonly string[];
  readonly listen: readonly [line: string, with_: (port: number) => string];
}

const proxies: readonly Proxy[] = [
  {
    name: 'haproxy',
    file: 'haproxy.cfg',
    arguments: (file) => ['-db', '-f', file],
    listen: ['bind :80', (port) => `bind 127.0.0.1:${port}`],
  },
  {
    name: 'nginx',
    file: 'nginx.conf',
    arguments: (file, folder) => [
      '-p',
      folder,
      '-c',
      file,
      '-g',
      `daemon off; pid ${folder}/pid; error_log stderr warn;`,
    ],
    listen: ['listen 80;', (port) => `listen 127.0.0.1:${port}; access_log off;`],
  },
];

/** start runs a proxy before instances on these ports until the test ends, and gives its own port. */
async function start(t: Test, proxy: Proxy, instances: readonly number[]): Promise<number> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), `${proxy.name}-`));
  const file = path.join(folder, proxy.file);
  const text = instances.reduce(
    (lines, instance, i) => lines.replace(`127.0.0.1:${3001 + i}`, `127.0.0.1:${instance}`),
    readFileSync(new URL(proxy.file, FOLDER), 'utf8'),
  );
  const [line, own] = proxy.listen;
  writeFileSync(file, text.replace(line, own(port)));
  const program = [proxy.name, ...proxy.arguments(file, folder)];
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...program], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await closed;
    rmSync(folder, { recursive: true });
  });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/_health`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${proxy.name} ended:\n${log}`);
    return answers();
  });
  return port;
}

for (const proxy of proxies) {
  t.test(`behind ${proxy.name}`, { skip: without(proxy.name) }, async (t) => {
    const database = await startPostgres(t, { setup: 'CREATE TABLE written (n int)' });
    const ports = [await freePort(), await freePort(), await freePort()];
    const instance = async (port: number, revision?: string): Promise<Service> => {
      const service = new Service(t, {
        revision,
        database: database.url,
        scripts: {
          'shop/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n',
          'shop/one.write.sql': 'INSERT INTO written VALUES ({{sqlVal "n"}}) RETURNING n',
        },
        config: { 'queries.storage': 'database', 'http.port': port, 'pg.maxopenconn': 4 },
      });
      await service.listening();
      return service;
    };
    const before = process.env['UPGRADE_FROM'];
    const services = await Promise.all(ports.map((port) => instance(port, before)));
    const port = await start(t, proxy, ports);
    const target = (n: number) => `/_QUERIES/shop/one?n=${n}`;
    const reads = new Load(t, { port, clients: 8, target });
    const writes = new Load(t, { port, clients: 4, method: 'POST', target });
    await reads.reached(200);
    for (const [i, own] of ports.entries()) {
      const old = services[i]!;
      old.signal('SIGTERM');
      t.equal(await old.exited, 0, 'it cut nothing off');
      services[i] = await instance(own);
      await reads.more(200);
      await writes.more(100);
    }
    await Promise.all([reads.stop(), writes.stop()]);
    t.strictSame(reads.failures, [], `${reads.count(200)} reads`);
    t.strictSame(writes.failures, [], `${writes.count(200)} writes`);
    const [{ n } = { n: 0 }] = await database.sql<{ n: string }>(
      'SELECT count(*) AS n FROM written',
    );
    t.equal(Number(n), writes.count(200), 'each acknowledged write is there, once');
  });
}
