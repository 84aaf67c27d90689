import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { start } from '#scripts/embedded-postgres.mjs';
import { startOwnPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const MODULE = new URL(import.meta.resolve('#scripts/embedded-postgres.mjs')).pathname;

/** A process that starts a server, prints its process id and data directory, and keeps running. */
function otherProcess(options: string, env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const code = `const { start } = await import(${JSON.stringify(MODULE)});
    const s = await start(${options});
    console.log(JSON.stringify({ pid: s.pid, data: s.dataDir }));
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
}

async function said(child: ChildProcess): Promise<{ pid: number; data: string }> {
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return JSON.parse(line.toString()) as { pid: number; data: string };
}

async function gone(what: () => boolean): Promise<true> {
  await until(() => !what());
  return true;
}

function alive(pid: number): boolean {
  try {
    return !/^\S+ \(.*\) Z/.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function commandLine(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

t.test('a parent killed with -9 takes its server and the data with it', async (t) => {
  const parent = otherProcess('{}');
  const { pid, data } = await said(parent);
  t.ok(alive(pid));
  parent.kill('SIGKILL');
  t.ok(await gone(() => alive(pid)), 'server');
  t.ok(await gone(() => fs.existsSync(data)), 'data');
});

t.test(
  'a kept cluster: one process at a time; after killed processes it can be used again',
  async (t) => {
    const name = `test-${process.pid}`;
    const parent = otherProcess(`{ keep: '${name}' }`);
    const { pid, data } = await said(parent);
    await t.rejects(start({ keep: name }), { code: 'EMBEDDED_IN_USE' });
    // The watcher that would stop the server.
    const reader = fs
      .readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .find(
        (entry) => commandLine(entry).startsWith('/bin/sh') && commandLine(entry).includes(data),
      );
    t.ok(reader);
    process.kill(Number(reader), 'SIGKILL');
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    t.ok(alive(pid), 'an orphan is left');
    const server = await startOwnPostgres(t, { keep: name });
    t.notOk(alive(pid), 'and stopped by the next start');
    t.equal(server.dataDir, data);
    await server.stop();
    fs.writeFileSync(path.join(data, 'postmaster.pid'), `${process.pid}\n${data}\n`);
    const again = await startOwnPostgres(t, { keep: name });
    t.ok(again.running, 'a stale process id that another program has by now');
    await again.stop();
    fs.rmSync(path.dirname(data), { recursive: true });
  },
);

t.test('killed and restarted, it has the same data and port', async (t) => {
  const server = await startOwnPostgres(t, { setup: 'CREATE TABLE a (n int)' });
  await server.sql('INSERT INTO a VALUES (1)');
  const busy = server.sql('SELECT pg_sleep(60)');
  const { port } = server;
  await Promise.all([t.rejects(busy), server.kill()]);
  t.notOk(server.running);
  await t.rejects(server.sql('SELECT 1'));
  await server.restart();
  t.equal(server.port, port);
  t.strictSame(await server.sql('SELECT n FROM a'), [{ n: 1 }]);
  await server.restart();
  t.strictSame(await server.sql('SELECT n FROM a'), [{ n: 1 }], 'restarted while running');
});

t.test('a password is required', async (t) => {
  const server = await startOwnPostgres(t);
  const wrong = server.url.replace(server.password, 'wrong');
  const { default: pg } = await import('pg');
  await t.rejects(new pg.Client({ connectionString: wrong }).connect(), { code: '28P01' });
});

t.test('UTF-8, whatever LANG says', async (t) => {
  for (const LANG of [undefined, 'xx_YY.UTF-8']) {
    const parent = otherProcess(`{ keep: 'lang-${process.pid}' }`, {
      PATH: process.env['PATH'],
      LANG,
    });
    const { pid, data } = await said(parent);
    parent.kill('SIGKILL');
    t.ok(await gone(() => alive(pid)));
    const log = fs.readFileSync(path.join(path.dirname(data), 'log'), 'utf8');
    t.match(log, /ready to accept connections/);
    fs.rmSync(path.dirname(data), { recursive: true });
  }
  const server = await startOwnPostgres(t);
  t.strictSame(await server.sql(`SELECT 'Grüße' AS a, upper('é') AS b`), [{ a: 'Grüße', b: 'É' }]);
});

t.test('options: settings, files, socket', async (t) => {
  const server = await startOwnPostgres(t, {
    settings: { work_mem: '5MB' },
    files: { 'pg_hba.conf': 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n' },
    socket: true,
  });
  t.strictSame(await server.sql('SHOW work_mem'), [{ work_mem: '5MB' }]);
  const { default: pg } = await import('pg');
  const client = new pg.Client({ host: server.socketFolder!, port: server.port, user: 'postgres' });
  await client.connect();
  await client.end();
  await server.stop();
  t.notOk(fs.existsSync(server.socketFolder!));
  t.notOk(fs.existsSync(server.dataDir));
});

t.test('a failed start rejects with the log', async (t) => {
  await t.rejects(
    startOwnPostgres(t, { settings: { work_mem: 'much' } }),
    /invalid value for parameter/,
  );
});
