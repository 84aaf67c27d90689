import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { startPostgres } from '../support/postgres.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const CURL = /^curl '(http:\/\/[^']+)'$/m;
/** Not the cluster of a developer's own `npm start`. */
const CLUSTER = `start-test-${process.pid}`;

t.setTimeout(300_000);

interface Run {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

/** run runs `npm start`'s program without the configuration of this process; `env` is added. */
function run(t: Test, env: Record<string, string>): Run {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: PROJECT,
    env: { PATH: process.env['PATH'], EMBEDDED_CLUSTER: CLUSTER, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  t.teardown(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return { child, output: () => output, exited };
}

/** ready waits for the curl line and gives its URL. */
async function ready({ output, exited }: Run): Promise<string> {
  const ended = { yet: false };
  void exited.then(() => (ended.yet = true));
  for (let i = 0; i < 1200 && !ended.yet; i += 1) {
    const url = CURL.exec(output())?.[1];
    if (url !== undefined) return url;
    await sleep(50);
  }
  throw new Error(`no curl line:\n${output()}`);
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  return port;
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** gone waits until a URL is no longer answered. */
async function gone(url: string): Promise<boolean> {
  for (let i = 0; i < 100; i += 1) {
    if (!(await answers(url))) return true;
    await sleep(100);
  }
  return false;
}

/** goneFile waits until a file is not there any more. */
async function goneFile(file: string): Promise<boolean> {
  for (let i = 0; i < 100; i += 1) {
    if (!fs.existsSync(file)) return true;
    await sleep(100);
  }
  return false;
}

function embedded(output: string): string {
  const data = /data in (.+)$/m.exec(output)?.[1];
  if (data === undefined) throw new Error(`no embedded PostgreSQL:\n${output}`);
  return path.dirname(data);
}

t.test('the example: a curl line that gives rows, data that stays, a clean end', async (t) => {
  const PORT = String(await freePort());
  const first = run(t, { PORT });
  const url = await ready(first);
  t.equal(new URL(url).port, PORT);
  const folder = embedded(first.output());
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const rows = (await (await fetch(url)).json()) as unknown[];
  t.ok(rows.length > 0);
  t.match(rows[0], { name: String, category: 'tea' });

  const created = new URL('/_QUERIES/products/create?name=Hojicha&category=tea&price=9.5', url);
  t.match(await (await fetch(created, { method: 'POST' })).json(), {
    rows_affected: 1,
    rows: [{ name: 'Hojicha', stock: 0 }],
  });

  first.child.kill('SIGTERM');
  t.equal(await first.exited, 0);
  t.notOk(await answers(url));
  t.notOk(fs.existsSync(path.join(folder, 'data/postmaster.pid')), 'PostgreSQL has ended too');

  const second = run(t, { PORT });
  const found = new URL('/_QUERIES/products/search?q=hojicha', await ready(second));
  t.match(await (await fetch(found)).json(), [{ name: 'Hojicha' }]);

  const besides = run(t, { PORT: '0' });
  t.equal(await besides.exited, 1, 'one at a time');
  t.match(besides.output(), /another process uses the database in .+: end the other npm start/);
  t.notMatch(besides.output(), /^ +at /m);

  second.child.kill('SIGKILL');
  await second.exited;
  const third = run(t, { PORT });
  t.ok(await ready(third), 'after a start that was killed');
  third.child.kill('SIGINT');
  t.equal(await third.exited, 0);
});

t.test('every example script runs', async (t) => {
  const start = run(t, { PORT: '0' });
  const url = await ready(start);
  const folder = embedded(start.output());
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const calls: [method: string, path: string, answer: unknown][] = [
    ['GET', 'products/list?_page=2&_page_size=5', [{ id: Number, name: String }]],
    ['GET', 'products/list?category=tea&min_price=5&max_price=20&tag=black', [{ category: 'tea' }]],
    ['GET', 'products/get?id=1', [{ id: 1, tags: ['black', 'loose'] }]],
    ['GET', "products/search?q=o'", []],
    ['GET', 'products/search?q=pot', [{ category: 'pots' }]],
    ['GET', 'products/in-categories?category=sweets&category=pots', [{ category: 'pots' }]],
    ['GET', 'products/some?id=3&id=1', [{ id: 1 }, { id: 3 }]],
    ['GET', 'products/sorted?column=price&descending=1', [{ name: 'Kyusu, 300 ml' }]],
    ['GET', 'products/sorted', [{ name: 'Antigua Bourbon' }]],
    ['PATCH', 'products/change?id=2&price=19.5&stock=7', { rows: [{ price: 19.5, stock: 7 }] }],
    ['PUT', 'products/change?id=2&stock=8', { rows: [{ price: 19.5, stock: 8 }] }],
    ['POST', 'orders/place?customer=1&product=2&quantity=3', { rows: [{ quantity: 3 }] }],
    ['POST', 'orders/place?customer=1&product=2&quantity=30', { rows_affected: 0 }],
    ['POST', 'products/create?name=A&category=tea&price=1&stock=2', { rows: [{ id: 25 }] }],
    ['DELETE', 'products/remove?id=25', { rows: [{ id: 25, name: 'A' }] }],
    ['GET', 'orders/totals', [{ name: 'tea' }]],
    ['GET', 'orders/totals?by=city&since=2020-01-01', [{ name: String, orders: Number }]],
    ['GET', 'orders/totals?by=month', [{ name: /^\d{4}-\d\d$/ }]],
    ['GET', 'customers/mine', [{ total: Number }]],
  ];
  const scripts = new Set<string>();
  for (const [method, target, answer] of calls) {
    scripts.add(target.split('?')[0]!);
    const response = await fetch(new URL(`/_QUERIES/${target}`, url), {
      method,
      headers: { 'X-Customer': 'ada@example.com' },
    });
    const body = await response.json();
    t.equal(response.status, 200, `${method} ${target}`);
    t.match(body, answer, `${method} ${target}: ${JSON.stringify(body).slice(0, 200)}`);
    if (Array.isArray(answer) && answer.length === 0) t.strictSame(body, []);
  }
  const shipped = fs.readdirSync(path.join(PROJECT, 'examples/queries'), { recursive: true });
  for (const name of shipped.map(String).filter((name) => name.endsWith('.sql'))) {
    t.ok(scripts.has(name.replace(/\.\w+\.sql$/, '')), `${name} is called here`);
  }
  const removed = await fetch(new URL('/_QUERIES/products/remove?id=1', url), { method: 'DELETE' });
  t.equal(removed.status, 409, 'a product in an order stays');
});

t.test('started by npm, it ends when npm does', async (t) => {
  const ways = [
    ['SIGTERM', false],
    ['SIGKILL', false],
    ['SIGINT', true],
  ] as const;
  await Promise.all(
    ways.map(async ([signal, group]) => {
      const npm = spawn('npm', ['start'], {
        detached: true,
        cwd: PROJECT,
        env: {
          PATH: `${path.dirname(process.execPath)}:${process.env['PATH']!}`,
          EMBEDDED_CLUSTER: `${CLUSTER}-${signal}`,
          PORT: String(await freePort()),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      npm.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const exited = once(npm, 'exit').then(() => null);
      const url = await ready({ child: npm, output: () => output, exited });
      process.kill(group ? -npm.pid! : npm.pid!, signal);
      t.ok(await gone(url), signal);
      const folder = embedded(output);
      t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
      t.ok(await goneFile(path.join(folder, 'data/postmaster.pid')), 'PostgreSQL too');
      t.match(output, '"clean":true');
    }),
  );
});

// Those that follow wait rather than work, and use no cluster.
t.jobs = 3;

t.test('a taken port: said, with what to do, and exit 1', { buffered: true }, async (t) => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  const start = run(t, { PORT: String(port) });
  t.equal(await start.exited, 1);
  t.match(start.output(), `port ${port} is taken`);
  t.match(start.output(), 'PORT=');
  t.notMatch(start.output(), /embedded PostgreSQL on/);
});

t.test(
  'with a database configured, that one is served and no other started',
  { buffered: true },
  async (t) => {
    const postgres = await startPostgres(t);
    const PORT = String(await freePort());
    const SERVICE_QUERIES_LOCATION = t.testdir({
      a: { 'b.read.sql': 'SELECT current_setting($$port$$) AS port' },
    });
    const start = run(t, { PORT, SERVICE_QUERIES_LOCATION, DATABASE_URL: postgres.url });
    const url = await ready(start);
    t.equal(new URL(url).pathname, '/_health');
    const answer = await (await fetch(new URL('/_QUERIES/a/b', url))).json();
    t.strictSame(answer, [{ port: String(postgres.port) }]);
    t.notMatch(start.output(), /embedded/i);
    start.child.kill('SIGTERM');
    t.equal(await start.exited, 0);
  },
);

t.test('a configuration that is wrong ends the start', { buffered: true }, async (t) => {
  const start = run(t, { PORT: 'many' });
  t.equal(await start.exited, 1);
  t.match(start.output(), /http\.port/);
});
