/** The spans of sampled requests, as a collector gets them: of scripts, listings, MCP calls and requests without a route. */
import t from 'tap';
import { startCollector } from '../support/collector.js';
import type { ReadSpan } from '../support/otlp.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';

const postgres = await startPostgres(t);
const database = postgres.url;
const port = Number(new URL(database).port);
const scripts = {
  'a/one.read.sql': 'SELECT {{sqlVal "v"}}::text AS value',
  'a/add.write.sql': 'SELECT 1 AS one UNION SELECT 2',
  'a/fails.read.sql': 'SELECT 1 / {{sqlVal "zero"}}::int AS value',
  'a/broken.read.sql': '{{if}}',
  'a/orders.read.sql': '-- @path /orders/{id}\nSELECT {{sqlVal "id"}} AS id',
};

const names = (spans: readonly ReadSpan[]): string[] => spans.map(({ name }) => name).sort();

t.test('a request of each kind', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const config = {
    'trace.endpoint': endpoint,
    'trace.ratio': 0,
    'trace.service': 'shop',
    'trace.headers': 'authorization=Bearer%20t0ken,x-tenant=a',
    'queries.proof': 'off',
  };
  const service = await startService(t, { database, scripts, config });
  const ask = (target: string, id: number, options = {}) => {
    const traceparent = `00-${trace.slice(0, -4)}${String(id).padStart(4, '0')}-${parent}-01`;
    const tracestate = 'vendor=secret-state';
    return service.ask(target, { headers: { traceparent, tracestate }, ...options });
  };
  const spansOf = (id: number, count: number) =>
    collector.trace(`${trace.slice(0, -4)}${String(id).padStart(4, '0')}`, count);

  await ask('a/one?v=hidden-value', 1);
  const spans = await spansOf(1, 6);
  t.same(names(spans), ['GET /_QUERIES/a/one', 'a/one', 'answer', 'queue', 'render', 'wait']);
  const server = spans.find(({ kind }) => kind === 'server')!;
  t.equal(server.parentId, parent);
  t.equal(server.flags, 0x301);
  t.equal(server.failed, false);
  t.same(server.attributes, {
    'http.request.method': 'GET',
    'http.route': '/_QUERIES/a/one',
    'http.response.status_code': 200,
    'url.scheme': 'http',
    'server.address': '127.0.0.1',
    'service.trace.kept': 'sampled',
  });
  t.match(server.resource, {
    'service.name': 'shop',
    'service.version': /^\d/,
    'service.instance.id': /^[0-9a-f-]{36}$/,
    'telemetry.sdk.name': 'sql-rest-service',
  });
  t.not(server.resource['process.pid'], service.pid, 'that of the HTTP process');
  for (const one of spans.filter((span) => span !== server)) {
    t.equal(one.parentId, server.spanId, one.name);
    t.equal(one.flags, 0x101, one.name);
    t.ok(one.start >= server.start && one.end <= server.end, `${one.name} is within the request`);
  }
  const ofDatabase = spans.find(({ kind }) => kind === 'client')!;
  t.same(ofDatabase.attributes, {
    'db.system.name': 'postgresql',
    'db.namespace': new URL(database).pathname.slice(1),
    'db.operation.name': 'a/one',
    'db.response.returned_rows': 1,
    'server.address': '127.0.0.1',
    'server.port': port,
    'service.lane': 'slow',
    'service.attempts': 1,
  });
  const order = ['queue', 'render', 'wait', 'a/one', 'answer'].map(
    (name) => spans.find((one) => one.name === name)!.start,
  );
  t.same(
    order,
    [...order].sort((a, b) => Number(a - b)),
    'one after the other',
  );
  const age = Date.now() - Number(server.start / 1_000_000n);
  t.ok(age >= 0 && age < 300_000, 'the time of day');

  const cases: readonly [target: string, names: string[], attributes: object, options?: object][] =
    [
      [
        'a/fails?zero=0',
        ['GET /_QUERIES/a/fails', 'a/fails', 'answer', 'queue', 'render', 'wait'],
        { 'http.response.status_code': 400, 'error.type': '22012' },
      ],
      [
        'a/broken',
        ['GET /_QUERIES/a/broken', 'answer', 'queue', 'render'],
        { 'http.response.status_code': 400, 'error.type': 'script_not_usable' },
      ],
      [
        'a/add',
        ['POST /_QUERIES/a/add', 'a/add', 'answer', 'queue', 'render', 'wait'],
        { 'http.request.method': 'POST', 'http.response.status_code': 200 },
        { method: 'POST' },
      ],
      [
        'a/add',
        ['POST /_QUERIES/a/add', 'a/add', 'answer', 'queue', 'receive', 'render', 'wait'],
        { 'http.response.status_code': 200 },
        { method: 'POST', body: 'of no use' },
      ],
      [
        '/tables',
        ['/tables', 'GET /tables', 'answer', 'queue', 'render', 'wait'],
        { 'http.route': '/tables' },
      ],
      [
        '/orders/order-of-ann',
        ['GET /orders/{id}', 'a/orders', 'answer', 'queue', 'render', 'wait'],
        { 'http.route': '/orders/{id}' },
      ],
      [
        '/secret-path',
        ['GET', 'answer'],
        { 'http.response.status_code': 404, 'error.type': 'not_found' },
      ],
      [
        'a/missing',
        ['GET /_QUERIES', 'answer', 'queue', 'render'],
        { 'error.type': 'script_not_found' },
      ],
      ['/_PLUGIN/none/hello', ['GET /_PLUGIN', 'answer'], { 'http.response.status_code': 404 }],
    ];
  for (const [i, [target, wanted, attributes, options]] of cases.entries()) {
    const { text } = await ask(target, 10 + i, options);
    const found = await spansOf(10 + i, wanted.length);
    t.same(names(found), wanted, `${target}: ${text}`);
    t.match(found.find(({ kind }) => kind === 'server')!.attributes, attributes, target);
  }
  const ofFailed = collector.spans.find(({ name }) => name === 'a/fails');
  t.match(ofFailed, { failed: true, attributes: { 'db.response.status_code': '22012' } });

  const exported = Buffer.concat(collector.bodies).toString('latin1');
  for (const hidden of ['hidden-value', 'secret', 'SELECT', 'order-of-ann', 't0ken', 'missing'])
    t.notOk(exported.includes(hidden), hidden);
  t.match(collector.headers[0], { authorization: 'Bearer t0ken', 'x-tenant': 'a' });
  t.notMatch(service.output, 't0ken');
  t.same(new Set(collector.spans.map(({ spanId }) => spanId)).size, collector.spans.length);
});

t.test('MCP', async (t) => {
  await postgres.sql('CREATE TABLE things (id int)');
  t.teardown(() => postgres.sql('DROP TABLE things'));
  const { collector, endpoint } = await startCollector(t);
  const config = { 'trace.endpoint': endpoint, 'trace.ratio': 1, 'queries.proof': 'off' };
  const service = await startService(t, { database, config });
  const call = (name: string, args: object) =>
    service.ask('/_mcp', {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
  const { text } = await call('service.select_table', { table: 'things' });
  t.match(text, '"rows"');
  const root = await collector.span(({ name }) => name === 'POST /_mcp');
  t.match(root.attributes, { 'gen_ai.tool.name': 'select_table', 'http.route': '/_mcp' });
  const spans = await collector.trace(root.traceId, 6);
  t.same(names(spans), ['/_mcp/public.things', 'POST /_mcp', 'answer', 'queue', 'receive', 'wait']);
  await call('no_such_tool', {});
  const other = await collector.span(
    ({ name, traceId }) => name === 'POST /_mcp' && traceId !== root.traceId,
  );
  t.notOk('gen_ai.tool.name' in other.attributes);
  t.notOk(Buffer.concat(collector.bodies).toString('latin1').includes('no_such_tool'));
});
