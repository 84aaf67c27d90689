/** The exporter counts every span once, whatever the collector does, and neither waits for it nor grows. */
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import type { Logger } from '#app/observe/log.js';
import { MessageWriter } from '#app/observe/protobuf-writer.js';
import { TraceExporter, type SpanCounts } from '#app/serve/supervisor/trace-exporter.js';
import { SERVER, writeSpan } from '#app/observe/trace/span.js';
import { makeCertificate } from '../../support/certificates.js';
import { startCollector, type Answer } from '../../support/collector.js';
import { freePort } from '#scripts/free-port.mjs';
import { until } from '../../support/until.js';

const TIMES = { gather: 1, limit: 250_000, firstWait: 1 };

/** An encoded span. */
const SPAN = (() => {
  const message = new MessageWriter();
  writeSpan(message, {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    parentId: undefined,
    remoteParent: false,
    name: 'GET /a',
    kind: SERVER,
    start: 1n,
    end: 2n,
    failed: false,
    attributes: {},
  });
  return message.bytes();
})();

interface Tested {
  readonly exporter: TraceExporter;
  readonly counts: SpanCounts;
  readonly logged: readonly string[];
}

function open(t: Pick<Test, 'teardown'>, url: string, times = TIMES): Tested {
  const counts: SpanCounts = { exported: 0, dropped: 0, failed: 0 };
  const logged: string[] = [];
  const write = (fields: unknown, msg?: string) => logged.push(`${msg ?? ''} ${JSON.stringify(fields)}`); // prettier-ignore
  const log = { info: write, warn: write, error: write } as unknown as Logger;
  const settings = { url: `${url}/v1/traces`, headers: { 'x-key': 'hush' }, service: 'shop' };
  const exporter = new TraceExporter(settings, counts, log, times);
  t.teardown(() => exporter.close());
  return { exporter, counts, logged };
}

const add = ({ exporter }: Tested, pid = 1): void => exporter.add({ pid, spans: SPAN, count: 1 });
const total = ({ counts }: Tested): number => counts.exported + counts.dropped + counts.failed;

t.test('spans of several processes in one request', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const tested = open(t, endpoint, { ...TIMES, gather: 100 });
  for (const pid of [1, 2, 1, 3]) add(tested, pid);
  await until(() => tested.counts.exported === 4);
  t.equal(collector.bodies.length, 1);
  t.same(collector.spans.map(({ resource }) => resource['process.pid']).sort(), [1, 1, 2, 3]);
  t.match(collector.headers[0], { 'x-key': 'hush', 'content-type': 'application/x-protobuf' });
  t.notMatch(tested.logged.join(), 'hush');
});

/** What a collector answers, how often it gets the request, and what the log says. */
const REFUSED: readonly (readonly [name: string, Answer, requests: number, RegExp])[] = [
  ['400', (response) => response.writeHead(400).end('bad'), 1, /status 400/],
  ['401', (response) => response.writeHead(401).end(), 1, /status 401/],
  ['404', (response) => response.writeHead(404).end(), 1, /status 404/],
  ['a redirect', (response) => response.writeHead(302, { location: '/' }).end(), 1, /status 302/],
  ['500', (response) => response.writeHead(500).end(), 1, /status 500/],
  ['503', (response) => response.writeHead(503).end(), 5, /status 503/],
  ['429', (response) => response.writeHead(429, { 'retry-after': '0' }).end(), 5, /status 429/],
  ['a date in the past', (response) => response.writeHead(503, { 'retry-after': 'Mon, 01 Jan 2001 00:00:00 GMT' }).end(), 5, /503/],
  ['an odd Retry-After', (response) => response.writeHead(503, { 'retry-after': '-1e99' }).end(), 5, /503/],
  ['garbage', (response) => response.socket!.end('\0\xff\r\n\r\n'), 5, /HPE_/],
  ['a reset', (response) => response.socket!.destroy(), 5, /ECONNRESET/],
  ['half a response', (response) => { response.writeHead(200, { 'content-length': 10 }); response.write('x'); response.socket!.end(); }, 5, /ECONNRESET|aborted|closed/],
]; // prettier-ignore

t.test('what a collector does not take has failed', async (t) => {
  for (const [name, answer, requests, said] of REFUSED) {
    const { collector, endpoint } = await startCollector(t);
    collector.answer = answer;
    const tested = open(t, endpoint);
    add(tested);
    await until(() => tested.counts.failed === 1);
    t.equal(collector.bodies.length, requests, `${name}: attempts`);
    const warnings = tested.logged.filter((line) => line.startsWith('spans cannot be exported'));
    t.equal(warnings.length, 1, `${name}: ${tested.logged.join(' | ')}`);
    t.match(warnings[0], said, name);
    collector.answer = undefined;
    add(tested);
    await until(() => tested.counts.exported === 1);
    t.match(tested.logged.at(-1), 'spans are exported again', name);
    t.same(tested.counts, { exported: 1, dropped: 0, failed: 1 }, name);
  }
});

t.test('a long response to a request that was taken', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  collector.answer = (response) => {
    response.writeHead(200);
    response.end('x'.repeat(10 << 20));
  };
  const tested = open(t, endpoint);
  add(tested);
  await until(() => tested.counts.exported === 1);
});

t.test('a part that is rejected', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const partial = new MessageWriter();
  partial.integer(1, 2);
  partial.text(2, `too old\n\x1b[31m${'x'.repeat(1_000)}`);
  const body = new MessageWriter();
  body.message(1, partial);
  collector.answer = (response) => response.end(body.bytes());
  const tested = open(t, endpoint, { ...TIMES, gather: 100 });
  for (let i = 0; i < 5; i++) add(tested);
  await until(() => total(tested) === 5);
  t.same(tested.counts, { exported: 3, dropped: 0, failed: 2 });
  const line = tested.logged.find((one) => one.startsWith('the collector rejects spans'))!;
  t.match(line, 'too old');
  t.notMatch(line, /\\u001b/);
  t.ok(line.length < 300);
});

t.test('a collector that is down, and comes up', async (t) => {
  const port = await freePort();
  const tested = open(t, `http://127.0.0.1:${port}`);
  add(tested);
  await until(() => tested.counts.failed === 1);
  t.match(tested.logged.at(-1), 'ECONNREFUSED');
});

t.test(
  'a collector that never responds: the queue is bounded, and close does not wait for it',
  async (t) => {
    const sockets = new Set<{ destroy(): void }>();
    const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const tested = open(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const spans = Buffer.alloc(1 << 20);
    const send = () => tested.exporter.add({ pid: 1, spans, count: 10 });
    send();
    await until(() => sockets.size === 1);
    for (let i = 0; i < 20; i++) send();
    t.equal(tested.counts.dropped, 120, 'eight fit');
    await tested.exporter.close();
    t.equal(tested.counts.dropped, 200);
    send();
    t.equal(tested.counts.dropped, 210, 'afterwards nothing is taken');
  },
);

t.test('a certificate of an unknown authority', async (t) => {
  const { cert, key } = makeCertificate('127.0.0.1');
  let requests = 0;
  const server = createHttpsServer({ cert, key }, () => requests++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const tested = open(t, `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  add(tested);
  await until(() => tested.counts.failed === 1);
  t.match(tested.logged.at(-1), 'SELF_SIGNED_CERT');
  t.equal(requests, 0, 'nothing was sent');
});

t.test('a collector that is too slow', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  collector.answer = () => undefined;
  const tested = open(t, endpoint, { ...TIMES, limit: 20 });
  add(tested);
  await until(() => tested.counts.failed === 1);
  t.match(tested.logged.at(-1), 'no response in 0.02 s');
  t.equal(collector.bodies.length, 5);
});

t.test('what is queued is sent by close, without the wait before it', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const tested = open(t, endpoint, { ...TIMES, gather: 250_000 });
  add(tested);
  await tested.exporter.close();
  t.same(tested.counts, { exported: 1, dropped: 0, failed: 0 });
  t.equal(collector.spans.length, 1);
});
