/** At the level debug each request is logged with how its statement ran; at others it is not. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const RAN = 'a statement has run';
const FAILED = 'a statement has failed, or was not sent';
const scripts = { 'a/one.read.sql': 'SELECT 1 AS one', 'a/bad.read.sql': 'SELECT 1 / 0 AS one' };

const postgres = await startPostgres(t);
const database = postgres.url;

t.test('debug', async (t) => {
  const config = { 'log.level': 'debug' };
  const service = await startService(t, { database, scripts, config });
  const ask = (target: string, id: string) =>
    service.ask(target, { headers: { 'X-Request-Id': id } });
  t.equal((await ask('a/one', 'r-1')).status, 200);
  const first = await service.line(RAN);
  t.match(first, { requestId: 'r-1', script: 'a/one', alias: 'postgres', attempts: 1, level: 20 });
  t.equal(first['lane'], 'slow', 'a new script has not been measured');
  t.ok(Number(first['wait']) >= 0);
  t.ok(Number(first['ms']) >= 0);
  t.equal((await ask('a/bad', 'r-2')).status, 400);
  t.match(await service.line(FAILED), { requestId: 'r-2', script: 'a/bad', attempts: 1 });
});

t.test('a database that does not answer', async (t) => {
  const config = { 'log.level': 'debug' };
  const away = 'postgres://u@127.0.0.1:1/d';
  const service = await startService(t, { database: away, scripts, config });
  t.equal((await service.ask('a/one')).status, 503);
  const line = await service.line(FAILED);
  t.match(line, { script: 'a/one', attempts: 0 });
  t.notOk('ms' in line, 'it was not sent');
});

t.test('info', async (t) => {
  const service = await startService(t, { database, scripts });
  t.equal((await service.ask('a/one')).status, 200);
  service.signal('SIGTERM');
  await service.line('stopped');
  t.same(service.lines.filter(({ msg }) => msg === RAN), []); // prettier-ignore
});
