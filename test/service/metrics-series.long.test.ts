/** How many series there are: callers make none, and thousands of scripts are bounded. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { metricsUrl, scrape, sum, type Series } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const COUNT = 'http_server_request_duration_seconds_count';
const STATEMENTS = 'db_client_operation_duration_seconds_count';
const SCRIPTS = 3_000;

/** scrapeOf gives the series once that many are counted of each: a request counts after its answer was written. */
function scrapeOf(url: string, count: number, names: readonly string[]): Promise<Series> {
  return until(async () => {
    const series = await scrape(url);
    return names.every((name) => sum(series, name) >= count) && series;
  });
}

function routesOf(series: Series): string[] {
  const keys = [...series.keys()].filter((key) => key.startsWith(COUNT));
  return keys.map((key) => /route="([^"]*)"/.exec(key)![1]!);
}

t.test('unknown paths and methods', async (t) => {
  const { url: database } = await startPostgres(t);
  const service = await startService(t, {
    database,
    scripts: { 'shop/one.read.sql': 'SELECT 1', 'shop/by.read.sql': '-- @path /by/{id}\nSELECT 1' },
    config: { 'http.processes': 1, 'metrics.listen': '127.0.0.1:0', 'queries.proof': 'off' },
  });
  const url = await metricsUrl(service);
  for (let i = 0; i < 30; i++)
    for (const path of [`shop/x${i}`, `f${i}/one`, `postgres/f/x${i}`, `a${i}/f/x`, `/p${i}/q`])
      await service.ask(path);
  for (let i = 0; i < 30; i++)
    for (const path of [`/_PLUGIN/l${i}/f`, `/by/${i}`, `/_x${i}`, `/_QUERIES/a/b/c/d${i}`])
      await service.ask(path);
  for (const method of ['PROPFIND', 'MKCOL', 'X-ODD']) await service.ask('shop/one', { method });
  const series = await scrapeOf(url, 30 * 9 + 3, [COUNT]);
  const routes = new Set(routesOf(series));
  t.same([...routes].sort(), ['/_PLUGIN', '/_QUERIES', '/by/{id}', 'unmatched']);
  t.equal(sum(series, COUNT), 30 * 9 + 3);
  t.notMatch([...series.keys()].join(), /PROPFIND|MKCOL|X-ODD|x29|p29/);
});

t.test('thousands of scripts', async (t) => {
  const { url: database } = await startPostgres(t);
  const scripts: Record<string, string> = {};
  for (let i = 0; i < SCRIPTS; i++) scripts[`shop/s${i}.read.sql`] = `SELECT ${i} AS n`;
  const service = await startService(t, {
    database,
    scripts,
    config: { 'http.processes': 1, 'metrics.listen': '127.0.0.1:0', 'queries.proof': 'off' },
  });
  const url = await metricsUrl(service);
  for (let i = 0; i < SCRIPTS; i += 50)
    await Promise.all(Array.from({ length: 50 }, (_, k) => service.ask(`shop/s${i + k}`)));
  const series = await scrapeOf(url, SCRIPTS, [COUNT, STATEMENTS]);
  t.equal(sum(series, COUNT), SCRIPTS);
  t.equal(new Set(routesOf(series)).size, 2_001, 'with other');
  t.equal(sum(series, COUNT, 'route="other"'), SCRIPTS - 2_000);
  t.equal(sum(series, STATEMENTS), SCRIPTS);
  t.equal(sum(series, STATEMENTS, 'script="other"'), SCRIPTS - 2_000);
});
