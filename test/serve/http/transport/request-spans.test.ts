/** What becomes of the spans of requests: reports that come late, more than there is room for, a supervisor that is busy. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { HttpRequest } from '#app/serve/http/transport/http-request.js';
import { RequestSpans } from '#app/serve/http/transport/request-spans.js';
import { RouteMetrics } from '#app/serve/http/transport/route-metrics.js';
import { exportRequest } from '#app/observe/trace/export-request.js';
import { monotonic } from '#app/observe/trace/clock.js';
import type { Work } from '#app/observe/trace/work.js';
import { readRequest, type ReadSpan } from '../../../support/otlp.js';
import { until } from '../../../support/until.js';

const SETTINGS = { ratio: 1, callers: 100, slow: 1_000, applicationName: false };
const service = { name: 's', version: '1', instance: 'i' };

class Tested {
  readonly taken: ReadSpan[] = [];
  dropped = 0;
  readonly spans: RequestSpans;
  /** Calls that tell that a message is on its way; undefined: at once. */
  held: (() => void)[] | undefined;

  constructor(settings = SETTINGS) {
    const address = { host: '0.0.0.0', port: 3000, tls: undefined };
    this.spans = new RequestSpans(settings, 'seed', address, (spans, count, dropped, done) => {
      const read = readRequest(exportRequest(service, [{ pid: 1, spans: [spans] }]));
      if (read.length !== count) throw new Error(`${read.length} spans instead of ${count}`);
      this.taken.push(...read);
      this.dropped += dropped;
      if (this.held === undefined) done();
      else this.held.push(done);
    });
  }

  /** open is a request at a query worker. */
  open(id: number, route = '/tables', members: Partial<HttpRequest> = {}): HttpRequest {
    const routeMetrics = new RouteMetrics(route);
    const started = performance.now();
    const own = {
      id,
      method: 'GET',
      requestId: `r${id}`,
      headers: '',
      started,
      routeMetrics,
      worker: 0,
    };
    const request = Object.assign(own, members) as unknown as HttpRequest;
    this.spans.opened(request, '');
    return request;
  }

  report(id: number, pending?: HttpRequest): void {
    const now = monotonic(performance.now());
    const spans = [{ name: 'render', kind: 1, start: now, end: now }] as const;
    this.spans.reported(JSON.stringify({ id, taken: now, spans } satisfies Work), (asked) =>
      pending?.id === asked ? pending : undefined,
    );
  }
}

const namesOf = (spans: readonly ReadSpan[]): string[] => spans.map(({ name }) => name);

t.test('reports before, after and long after the end of a request', async (t) => {
  const tested = new Tested();
  const [first, second, third] = [1, 2, 3].map((id) => tested.open(id));
  tested.report(1, first);
  tested.spans.ended(first!, 200, 5);
  tested.spans.ended(second!, 200, 5);
  tested.report(2);
  tested.report(2);
  tested.report(99);
  tested.spans.ended(third!, 499, 5);
  await until(() => tested.taken.length === 5);
  t.same(namesOf(tested.taken), ['GET /tables', 'render', 'GET /tables', 'render', 'GET /tables']);
  tested.report(3);
  await until(() => tested.taken.length === 6);
  const [, , , , gone, late] = tested.taken;
  t.equal(late?.parentId, gone?.spanId);
  t.equal(late?.traceId, gone?.traceId);
  t.equal(tested.dropped, 0);
});

t.test('what is not kept', async (t) => {
  const tested = new Tested({ ...SETTINGS, ratio: 0 });
  const cases: [route: string, status: number, time: number, kept: boolean][] = [
    ['/tables', 200, 999, false],
    ['/tables', 404, 1, false],
    ['/tables', 499, 1, false],
    ['/_health', 503, 1, false],
    ['/_ready', 503, 5_000, false],
    ['/metrics', 500, 1, false],
    ['/tables', 500, 1, true],
    ['/tables', 200, 1_000, true],
    ['/tables', 499, 1_000, true],
  ];
  for (const [i, [route, status, time]] of cases.entries()) {
    const request = tested.open(i, route);
    if (i === 0) tested.report(0, request); // a worker has found it slow
    tested.spans.ended(request, status, time);
  }
  await tested.spans.close();
  t.equal(tested.taken.length, cases.filter(([, , , kept]) => kept).length);
  t.ok(
    tested.taken.every(({ attributes }) => !('server.address' in attributes)),
    'a wildcard',
  );
});

t.test('a method of the caller, a route of none', async (t) => {
  const tested = new Tested();
  const members = { method: 'SECRET', worker: -1, routeMetrics: new RouteMetrics() };
  tested.spans.ended(tested.open(1, '', members), 404, 1);
  await tested.spans.close();
  t.match(tested.taken, [{ name: 'HTTP', attributes: { 'http.request.method': '_OTHER' } }]);
  t.notOk('http.route' in tested.taken[0]!.attributes);
});

t.test('more than there is room for', async (t) => {
  const tested = new Tested();
  for (let id = 1; id <= 700; id++) tested.spans.ended(tested.open(id), 200, 1);
  await tested.spans.close();
  t.equal(tested.taken.length, 500);
  t.equal(tested.dropped, 200);
});

t.test('failures are bounded for each second', async (t) => {
  const tested = new Tested({ ...SETTINGS, ratio: 0 });
  for (let id = 1; id <= 300; id++)
    tested.spans.ended(tested.open(id, '/tables', { started: 5_000 }), 503, 1);
  await until(() => tested.dropped === 200);
  t.equal(tested.taken.length, 100);
});

t.test('a supervisor that does not take the spans', async (t) => {
  const tested = new Tested();
  tested.held = [];
  tested.spans.ended(tested.open(1), 200, 1);
  await until(() => tested.taken.length === 1);
  tested.spans.ended(tested.open(2), 200, 1);
  await sleep(1_200); // nothing is sent
  t.equal(tested.taken.length, 1);
  for (const done of tested.held.splice(0)) done();
  await until(() => tested.dropped === 1);
  t.equal(tested.taken.length, 1, 'the second is dropped');
  for (const done of tested.held.splice(0)) done();
  tested.spans.ended(tested.open(3), 200, 1);
  await until(() => tested.taken.length === 2);
  t.equal(tested.dropped, 1);
});
