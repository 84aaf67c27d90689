/** What a scrape has: every metric that is declared, with its type and its help, and samples that add up. */
import t from 'tap';
import { SERVERS, TABLES } from '#app/observe/metrics/catalogue.js';
import { startPostgres } from '../support/postgres.js';
import { metricsUrl, scrape, sum } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const FORMATS: [accept: string, type: string][] = [
  ['', 'text/plain; version=0.0.4; charset=utf-8'],
  ['application/openmetrics-text;version=1.0.0', 'application/openmetrics-text; version=1.0.0'],
];

t.test('a service with requests', async (t) => {
  const { url: database } = await startPostgres(t);
  const service = await startService(t, {
    database,
    scripts: {
      'shop/one.read.sql': 'SELECT 1 AS one',
      'shop/wrong.read.sql': 'SELECT 1 / 0',
      'shop/item.read.sql': '-- @path /items/{id}\nSELECT {{sqlVal "id"}} AS id',
      'shop/add.write.sql': 'SELECT {{sqlVal "body.n"}}::int',
    },
    config: { 'http.processes': 1, 'metrics.listen': '127.0.0.1:0', 'queries.proof': 'off' },
  });
  const url = await metricsUrl(service);
  for (const path of ['shop/one', 'shop/one', 'shop/wrong', '/items/7', '/items/8', '/nope'])
    await service.ask(path);
  await service.ask('shop/add', { method: 'POST', body: '{"n":1}', headers: JSON_TYPE });
  await service.ask('shop/nope');
  await service.ask('shop/one', { method: 'POST' });
  const rpc = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'service.list_tables' },
  };
  await service.ask('/_mcp', {
    method: 'POST',
    body: JSON.stringify(rpc),
    headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream' },
  });
  // Gauges are written once a second.
  const series = await until(async () => {
    const found = await scrape(url);
    const idle = sum(found, 'db_client_connection_count', 'state="idle"');
    return idle > 0 && sum(found, 'http_server_active_requests') === 0 && found;
  });
  const counted = (method: string, route: string, status: number): number =>
    sum(
      series,
      'http_server_request_duration_seconds_count',
      `method="${method}"`,
      `route="${route}"`,
      `status="${status}"`,
    );
  const expected: [method: string, route: string, status: number, count: number][] = [
    ['GET', '/_QUERIES/shop/one', 200, 2],
    ['GET', '/_QUERIES/shop/wrong', 400, 1],
    ['GET', '/items/{id}', 200, 2],
    ['POST', '/_QUERIES/shop/add', 200, 1],
    ['GET', '/_QUERIES', 404, 1],
    ['POST', '/_QUERIES/shop/one', 405, 1],
    ['GET', 'unmatched', 404, 1],
    ['POST', '/_mcp', 200, 1],
  ];
  for (const [method, route, status, count] of expected)
    t.equal(counted(method, route, status), count, `${method} ${route} ${status}`);
  t.equal(sum(series, 'http_server_request_duration_seconds_count'), 10);
  const values: [name: string, count: number, ...parts: string[]][] = [
    ['db_client_operation_duration_seconds_count', 2, 'script="shop/one",database="postgres"'],
    ['db_client_operation_errors_total', 1, 'script="shop/wrong"'],
    ['http_server_request_body_size_bytes_count', 2],
    ['http_server_response_body_size_bytes_count', 10],
    ['service_errors_total', 1, 'code="sqlstate"'],
    ['service_errors_total', 1, 'code="script_not_found"'],
    ['service_mcp_tool_calls_total', 1, 'tool="list_tables"'],
    ['service_http_processes', 1],
    ['service_query_workers', 1],
    ['service_build_info', 1],
  ];
  for (const [name, count, ...parts] of values) t.equal(sum(series, name, ...parts), count, name);
  t.ok(sum(series, 'process_memory_usage_bytes', 'process="http_0"') > 1 << 20);
  t.ok(sum(series, 'process_open_file_descriptor_count', 'process="supervisor"') > 3);
  t.ok(sum(series, 'service_thread_cpu_seconds_total', 'thread="query_0"') > 0);
  t.ok(sum(series, 'v8js_memory_heap_used_bytes', 'thread="http"') > 1 << 20);
  // There are no replicas.
  const isShown = TABLES.flatMap((table) =>
    table.fields.map(({ name }) => [name, table !== SERVERS] as const),
  );
  for (const [accept, type] of FORMATS) {
    const response = await fetch(url, { headers: { accept } });
    const text = await response.text();
    t.ok(response.headers.get('content-type')?.startsWith(type), type);
    for (const [name, shown] of isShown)
      t.equal(new RegExp(`^# TYPE ${name}(_total)? `, 'm').test(text), shown, name);
  }
});

const JSON_TYPE = { 'content-type': 'application/json' };
