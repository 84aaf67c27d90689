/** Tracing through reloads, the death of an HTTP process, the end of the service and the absence of its collector. */
import t from 'tap';
import { startCollector } from '../support/collector.js';
import { freePort } from '#scripts/free-port.mjs';
import { startPostgres } from '../support/postgres.js';
import { metricsUrl, scrape, sum } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const { url: database } = await startPostgres(t);
const scripts = { 'a/one.read.sql': 'SELECT 1 AS one' };
const quiet = { 'queries.proof': 'off', 'http.processes': 1, 'pool.threads': 1 };

t.test('a reload switches it on, to another collector, and off', async (t) => {
  const first = await startCollector(t);
  const second = await startCollector(t);
  const service = await startService(t, { database, scripts, config: quiet });
  let reloads = 0;
  const reload = async (config: object) => {
    service.configure({ ...quiet, ...config });
    service.signal('SIGHUP');
    await service.line('reloaded', ++reloads);
  };
  const on = { 'trace.ratio': 1, 'trace.endpoint': first.endpoint };
  await reload(on);
  await until(async () => {
    await service.ask('a/one');
    return first.collector.spans.length > 0;
  });
  await reload({ ...on, 'trace.endpoint': second.endpoint, 'trace.service': 'other' });
  await until(async () => {
    await service.ask('a/one');
    return second.collector.spans.length > 0;
  });
  t.equal(second.collector.spans[0]?.resource['service.name'], 'other');
  service.configure({ ...quiet, 'trace.endpoint': 'nowhere' });
  service.signal('SIGHUP');
  await service.line('not reloaded');
  await reload({});
  // Connections that are kept still lead to the old process.
  await until(async () => {
    const before = second.collector.spans.length;
    await service.ask('a/one');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return second.collector.spans.length === before;
  });
  t.pass('off');
});

t.test('the death of an HTTP process, and the end of the service', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const config = { ...quiet, 'trace.endpoint': endpoint, 'trace.ratio': 1 };
  const service = await startService(t, { database, scripts, config });
  await service.ask('a/one');
  const { resource } = await collector.span(({ kind }) => kind === 'server');
  process.kill(Number(resource['process.pid']), 'SIGKILL');
  await service.line('an HTTP process died');
  await until(() => service.ask('a/one').catch(() => undefined));
  const next = await collector.span((one) => one.resource['process.pid'] !== resource['process.pid']); // prettier-ignore
  t.equal(next.resource['service.instance.id'], resource['service.instance.id']);
  const roots = () => collector.spans.filter(({ kind }) => kind === 'server').length;
  const before = roots();
  await service.ask('a/one');
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  t.equal(roots(), before + 1, 'what waited was sent at the end');
});

t.test('a collector that is not there delays nothing', async (t) => {
  const port = await freePort();
  const config = {
    ...quiet,
    'trace.endpoint': `http://127.0.0.1:${port}`,
    'trace.headers': 'authorization=hush',
    'trace.ratio': 1,
    'metrics.listen': '127.0.0.1:0',
  };
  const service = await startService(t, { database, scripts, config });
  const url = await metricsUrl(service);
  for (let i = 0; i < 10; i++) t.equal((await service.ask('a/one')).status, 200);
  const line = await service.line('spans cannot be exported');
  t.match(line, { reason: 'ECONNREFUSED' });
  const failed = async () => sum(await scrape(url), 'service_trace_spans_total', 'failed');
  await until(async () => (await failed()) >= 50);
  t.equal((await service.ask('a/one')).status, 200);
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  t.notMatch(service.output, 'hush');
});
