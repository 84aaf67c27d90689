/** Requests are counted exactly, over reloads and over deaths of processes and threads. */
import t from 'tap';
import { alive } from '../support/process-group.js';
import { startPostgres } from '../support/postgres.js';
import { metricsUrl, scrape, sum } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const DURATION = 'http_server_request_duration_seconds_count';
const ONE = 'route="/_QUERIES/shop/one"';

t.test('over a reload, kill -9 and the death of a thread', async (t) => {
  const { url: database } = await startPostgres(t);
  const config = { 'http.processes': 2, 'metrics.listen': '127.0.0.1:0', 'queries.proof': 'off' };
  const service = await startService(t, {
    database,
    scripts: { 'shop/one.read.sql': 'SELECT 1 AS one' },
    config,
  });
  const url = await metricsUrl(service);
  let sent = 0;
  const ask = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) t.equal((await service.ask('shop/one')).status, 200);
    sent += times;
  };
  /** What is counted, once no less is than was sent: a request counts after its answer was written. */
  const counted = (): Promise<number> =>
    until(async () => {
      const count = sum(await scrape(url), DURATION, ONE, 'status="200"');
      return count >= sent && count;
    });
  await ask(20);
  t.equal(await counted(), sent);
  await t.test('reload', async (t) => {
    service.signal('SIGHUP');
    await service.line('reloaded');
    await ask(10);
    t.equal(await counted(), sent);
  });
  await t.test('kill -9', async (t) => {
    await until(() => service.httpProcesses().length === 2);
    for (const victim of service.httpProcesses()) {
      process.kill(victim, 'SIGKILL');
      await until(() => !alive(victim));
      await service.line(({ msg, pid }) => msg === 'an HTTP process died' && pid === victim);
      t.equal(await counted(), sent);
    }
    await until(() => service.httpProcesses().length === 2);
    await until(async () => {
      const answered = await service.ask('shop/one').then(
        ({ status }) => status,
        () => 0,
      );
      if (answered === 200) sent++;
      return answered === 200;
    });
    await ask(10);
    t.equal(await counted(), sent);
  });
});
