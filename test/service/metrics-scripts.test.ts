/** What is counted of scripts: rows, and the lane of statements. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { metricsUrl, scrape, sum, type Series } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

interface Case {
  readonly script: string;
  readonly sql: string;
  readonly method: string;
  readonly query?: string;
  readonly status?: number;
  readonly rows: number;
}

const LARGE = "SELECT repeat('x', 1000) AS x FROM generate_series(1, 500)";
const SEVERAL = 'SELECT id FROM t';
const HEADER = '-- @header X-Id: {id}\n';

const CASES: readonly Case[] = [
  { script: 'insert', sql: 'INSERT INTO t SELECT generate_series(1, 5)', method: 'POST', rows: 5 },
  { script: 'returning', sql: 'UPDATE t SET id = id RETURNING id', method: 'POST', rows: 5 },
  { script: 'nothing', sql: 'DELETE FROM t WHERE id = 99', method: 'POST', rows: 0 },
  { script: 'select', sql: 'SELECT id FROM t WHERE id < 4', method: 'POST', rows: 3 },
  { script: 'several', sql: 'SELECT id FROM t; SELECT 1 UNION SELECT 2', method: 'POST', rows: 2 },
  { script: 'ddl', sql: 'CREATE TABLE u (id int)', method: 'POST', rows: 0 },
  { script: 'fails', sql: 'INSERT INTO t SELECT 1 / 0', method: 'POST', status: 400, rows: 0 },
  { script: 'read', sql: 'SELECT id FROM t', method: 'GET', rows: 5 },
  { script: 'arrays', sql: 'SELECT ARRAY[id, 1] AS a FROM t', method: 'GET', rows: 5 },
  { script: 'none', sql: 'SELECT id FROM t WHERE false', method: 'GET', rows: 0 },
  { script: 'xml', sql: 'SELECT id FROM t', method: 'GET', query: '?_renderer=xml', rows: 5 },
  { script: 'head', sql: 'SELECT id FROM t', method: 'HEAD', rows: 5 },
  { script: 'large', sql: LARGE, method: 'GET', rows: 500 },
  { script: 'one', sql: '-- @one\nSELECT 1 AS a', method: 'GET', rows: 1 },
  { script: 'one-many', sql: `-- @one\n${SEVERAL}`, method: 'GET', status: 500, rows: 0 },
  { script: 'one-none', sql: '-- @one\nSELECT 1 WHERE false', method: 'GET', status: 404, rows: 0 },
  { script: 'scalar', sql: "-- @scalar\nSELECT '[1, 2]'::json", method: 'GET', rows: 1 },
  {
    script: 'status',
    sql: '-- @status 202\nSELECT id FROM t',
    method: 'GET',
    status: 202,
    rows: 5,
  },
  { script: 'header', sql: `${HEADER}SELECT id FROM t`, method: 'GET', rows: 5 },
  { script: 'header-none', sql: `${HEADER}SELECT id FROM t WHERE false`, method: 'GET', rows: 0 },
  {
    script: 'header-many',
    sql: `${HEADER}-- @one\n${SEVERAL}`,
    method: 'GET',
    status: 500,
    rows: 0,
  },
  { script: 'header-one', sql: `${HEADER}-- @one\nSELECT 1 AS id`, method: 'GET', rows: 1 },
  { script: 'header-write', sql: `${HEADER}SELECT id FROM t`, method: 'POST', rows: 5 },
];

const COUNT = 'db_client_operation_duration_seconds_count';
const SLOW = 'service_script_slow_lane_total';

const of = (series: Series, name: string, script: string): number =>
  sum(series, name, `script="a/${script}"`);

const SETUP = 'CREATE TABLE t (id int)';
const config = { 'http.processes': 1, 'metrics.listen': '127.0.0.1:0', 'queries.proof': 'off' };

for (const aggregate of ['json_agg', 'jsonb_agg'])
  t.test(`rows, with ${aggregate}`, async (t) => {
    const { url: database } = await startPostgres(t, { setup: SETUP });
    const service = await startService(t, {
      database,
      scripts: Object.fromEntries(
        CASES.map(({ script, sql, method }) => [
          `a/${script}.${method === 'POST' ? 'write' : 'read'}.sql`,
          sql,
        ]),
      ),
      config: { ...config, 'json.agg.type': aggregate },
    });
    for (const { script, method, query = '', status = 200 } of CASES)
      t.equal((await service.ask(`a/${script}${query}`, { method })).status, status, script);
    const series = await scrape(await metricsUrl(service));
    for (const { script, rows } of CASES)
      t.equal(of(series, 'db_client_operation_result_rows_total', script), rows, script);
  });

t.test('the slow lane', async (t) => {
  const { url: database } = await startPostgres(t, { setup: SETUP });
  const scripts = {
    'a/read.read.sql': 'SELECT id FROM t',
    'a/slow.read.sql': 'SELECT pg_sleep(0.02)',
  };
  const service = await startService(t, { database, scripts, config });
  const url = await metricsUrl(service);
  for (let i = 0; i < 3; i++) await service.ask('a/slow');
  // The first runs of a script have a connection of their own, the later ones of a fast script have not.
  const series = await until(async () => {
    await service.ask('a/read');
    const found = await scrape(url);
    return of(found, SLOW, 'read') < of(found, COUNT, 'read') && found;
  });
  t.equal(of(series, SLOW, 'slow'), 3);
  t.equal(of(series, COUNT, 'slow'), 3);
  t.ok(of(series, SLOW, 'read') >= 1, 'new at first');
});
