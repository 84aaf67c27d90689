/** What is counted of the statements of requests: remembered texts, prepared statements, and the depth of pipelines. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { metricsUrl, scrape, sum, type Series } from '../support/scrape.js';
import { startService } from '../support/service.js';

const { url: database } = await startPostgres(t);
const service = await startService(t, {
  database,
  scripts: {
    's/bound.read.sql': 'SELECT {{sqlVal "a"}}::text AS a',
    's/own.read.sql': "SELECT '{{.a}}' AS a",
  },
  config: {
    'metrics.listen': '127.0.0.1:0',
    'http.processes': 1,
    'pool.threads': 1,
    'pg.maxopenconn': 1,
    'queries.proof': 'off',
  },
});
const url = await metricsUrl(service);

const NAMES = ['remembered', 'new', 'prepared', 'added', 'unprepared', 'depth'] as const;

function countsOf(series: Series): Record<(typeof NAMES)[number], number> {
  const texts = (result: string): number =>
    sum(series, 'service_rendered_texts_total', `result="${result}"`);
  const uses = (result: string): number =>
    sum(series, 'service_pg_statement_uses_total', 'database="postgres"', `result="${result}"`);
  return {
    remembered: texts('remembered'),
    new: texts('new'),
    prepared: uses('prepared'),
    added: uses('new'),
    unprepared: uses('unprepared'),
    depth: sum(series, 'service_pg_pipeline_depth_count', 'database="postgres"'),
  };
}

/** counted gives what five requests for a script have counted. */
async function counted(script: string): Promise<Record<string, number>> {
  const before = countsOf(await scrape(url));
  for (let i = 0; i < 5; i++)
    t.strictSame(await service.rows(`${script}?a=v${i}`), [{ a: `v${i}` }]);
  const after = countsOf(await scrape(url));
  return Object.fromEntries(NAMES.map((name) => [name, after[name] - before[name]]));
}

t.test('a script that binds its values is prepared with its second use', async (t) => {
  const { depth, ...others } = await counted('s/bound');
  t.strictSame(others, { remembered: 4, new: 1, prepared: 3, added: 1, unprepared: 1 });
  t.ok(depth! >= 5, 'statements of the service itself have a depth too');
});

t.test('a script that interpolates its values renders another text each time', async (t) => {
  const { depth, ...others } = await counted('s/own');
  t.strictSame(others, { remembered: 0, new: 5, prepared: 0, added: 0, unprepared: 5 });
  t.ok(depth! >= 5);
});
