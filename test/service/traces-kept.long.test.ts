/** Which requests are traced: by ratio and flag, those that fail or are slow; their trace ids are in the log. */
import t from 'tap';
import { startCollector } from '../support/collector.js';
import { startPostgres } from '../support/postgres.js';
import { metricsUrl, scrape, sum } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const { url: database } = await startPostgres(t);
const scripts = {
  'a/one.read.sql': 'SELECT 1 AS one',
  'a/nap.read.sql': 'SELECT 1 AS one FROM pg_sleep(1.5)',
  'a/raises.read.sql': `DO $$ BEGIN RAISE SQLSTATE 'PT503'; END $$`,
  'a/fails.read.sql': 'SELECT * FROM no_such_table',
};
const quiet = { 'queries.proof': 'off', 'http.processes': 1, 'pool.threads': 1 };
const id = (n: number) => `${'ab'.repeat(14)}${String(n).padStart(4, '0')}`;
const parent = '00f067aa0ba902b7';

t.test('failed and slow requests are kept, others are not', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const config = {
    ...quiet,
    'trace.endpoint': endpoint,
    'trace.ratio': 0,
    'trace.slow': '1s',
    'log.slow': '1s',
    'log.access': true,
  };
  const service = await startService(t, { database, scripts, config });
  const line = (id: string, message: string) =>
    service.line(({ msg, requestId }) => requestId === id && msg.startsWith(message));
  const ask = (target: string, requestId: string, traceparent?: string) =>
    service.ask(target, {
      headers: { 'X-Request-Id': requestId, ...(traceparent && { traceparent }) },
    });
  await ask('a/one', 'r-fast', `00-${id(1)}-${parent}-00`);
  await ask('a/missing', 'r-missing');
  await ask('/_health', 'r-health', `00-${id(2)}-${parent}-01`);
  const failed = await ask('a/fails', 'r-fails', `00-${id(3)}-${parent}-00`);
  t.equal(failed.status, 500);
  const spans = await collector.trace(id(3), 4);
  t.same(spans.map(({ name }) => name).sort(), ['GET /_QUERIES/a/fails', 'a/fails', 'answer', 'wait']); // prettier-ignore
  const root = spans.find(({ kind }) => kind === 'server');
  t.match(root, { failed: true, parentId: parent });
  t.match(root?.attributes, { 'service.trace.kept': 'failed', 'error.type': '42P01' });
  t.equal((await ask('a/nap', 'r-nap')).status, 200);
  const slow = await collector.span(({ name }) => name === 'GET /_QUERIES/a/nap');
  t.match(slow, { failed: false, parentId: '', attributes: { 'service.trace.kept': 'slow' } });
  const names = (await collector.trace(slow.traceId, 4)).map(({ name }) => name);
  t.same(names.sort(), ['GET /_QUERIES/a/nap', 'a/nap', 'answer', 'wait']);
  t.equal((await line('r-nap', 'request'))['traceId'], slow.traceId, 'its own id');
  t.equal((await line('r-nap', 'a statement was slow'))['traceId'], slow.traceId);
  await ask('a/fails', 'r-own');
  const own = await collector.span(({ name, parentId }) => name.endsWith('a/fails') && parentId === ''); // prettier-ignore
  t.equal((await line('r-own', 'request'))['traceId'], own.traceId);
  t.equal((await line('r-own', 'relation'))['traceId'], own.traceId, 'the failure in the log');
  t.notOk('traceId' in (await line('r-missing', 'request')));
  t.equal(collector.spans.filter(({ kind }) => kind === 'server').length, 3);
});

t.test('a database that does not answer', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const config = { ...quiet, 'trace.endpoint': endpoint, 'trace.ratio': 0 };
  const away = 'postgres://u@127.0.0.1:1/d';
  const service = await startService(t, { database: away, scripts, config });
  t.equal((await service.ask('a/one')).status, 503);
  const root = await collector.span(({ kind }) => kind === 'server');
  t.match(root.attributes, { 'http.response.status_code': 503, 'service.trace.kept': 'failed' });
  const [wait] = (await collector.trace(root.traceId, 3)).filter(({ name }) => name === 'wait');
  t.match(wait, { failed: true });
});

t.test('a request that exceeds its time', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const config = {
    ...quiet,
    'trace.endpoint': endpoint,
    'trace.ratio': 0,
    'trace.slow': '1s',
    'http.timeout': '2s',
  };
  const long = { 'a/long.read.sql': 'SELECT 1 AS one FROM pg_sleep(1000)' };
  const service = await startService(t, { database, scripts: long, config });
  t.equal((await service.ask('a/long')).status, 504);
  const root = await collector.span(({ kind }) => kind === 'server');
  t.match(root.attributes, { 'error.type': 'timeout', 'http.response.status_code': 504 });
  const statement = (await collector.trace(root.traceId, 4)).find(({ kind }) => kind === 'client');
  t.match(statement, { name: 'a/long', failed: true, parentId: root.spanId }, 'cancelled later');
});

t.test('ratio 1, a hundred scripts, hostile headers', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const many = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`b/s${i}.read.sql`, `SELECT ${i} AS i`]),
  );
  const config = {
    ...quiet,
    'http.processes': 2,
    'trace.endpoint': endpoint,
    'trace.ratio': 1,
    'metrics.listen': '127.0.0.1:0',
    'log.access': true,
  };
  const service = await startService(t, { database, scripts: many, config });
  const hostile = ['x'.repeat(8_000), `00-${id(1)}-${parent}-01, secret`, `00-${'0'.repeat(32)}-${parent}-01`, '😀']; // prettier-ignore
  for (let i = 0; i < 100; i++) {
    const traceparent = Buffer.from(hostile[i % hostile.length]!).toString('latin1');
    const headers = { traceparent, tracestate: `evil=${'y'.repeat(600)}` };
    t.equal((await service.ask(`b/s${i}`, { headers })).status, 200);
  }
  const roots = await until(() => {
    const found = collector.spans.filter(({ kind }) => kind === 'server');
    return found.length >= 100 && found;
  });
  t.equal(roots.length, 100);
  t.equal(new Set(roots.map(({ traceId }) => traceId)).size, 100);
  t.equal(new Set(roots.map(({ name }) => name)).size, 100);
  t.ok(roots.every(({ parentId }) => parentId === ''));
  const { traceId } = roots.find(({ name }) => name === 'GET /_QUERIES/b/s7')!;
  const logged = await service.line((line) => line['path'] === '/_QUERIES/b/s7');
  t.equal(logged['traceId'], traceId, 'the log has its own trace id');
  const text = Buffer.concat(collector.bodies).toString('latin1');
  for (const hidden of ['evil', 'xxxx', 'yyyy', 'secret', id(1)])
    t.notOk(text.includes(hidden), hidden);
  await until(() => collector.spans.length >= 600);
  const series = await scrape(await metricsUrl(service));
  t.ok(sum(series, 'service_trace_spans_total', 'exported') >= 600);
  t.equal(sum(series, 'service_trace_spans_total', 'failed'), 0);
});

t.test('a failing service is bounded', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const config = {
    ...quiet,
    'trace.endpoint': endpoint,
    'trace.ratio': 0,
    'metrics.listen': '127.0.0.1:0',
    'log.level': 'fatal',
    'http.port': 0,
  };
  const away = 'postgres://u@127.0.0.1:1/d';
  const infos = { ...config, 'log.level': 'info' };
  const service = await startService(t, { database: away, scripts, config: infos });
  const url = await metricsUrl(service);
  // Within a few seconds, of which each keeps 100 at most.
  const began = performance.now();
  const asked = 3_000;
  for (let i = 0; i < asked / 50; i++)
    await Promise.all(Array.from({ length: 50 }, () => service.ask('a/one')));
  const seconds = Math.ceil((performance.now() - began) / 1_000) + 1;
  const roots = () => collector.spans.filter(({ kind }) => kind === 'server').length;
  const dropped = async () => sum(await scrape(url), 'service_trace_spans_total', 'dropped');
  await until(async () => roots() + (await dropped()) >= asked);
  t.ok(roots() <= 100 * seconds, `${roots()} in ${seconds} s`);
  t.equal(roots() + (await dropped()), asked, 'all others are counted');
});
