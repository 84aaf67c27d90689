/** The parts of a request that its client decides: how long its body takes to arrive, and its response to be taken. */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { LENGTH, read, SCRIPTS } from '../serve/http/slow-reader.js';
import { startCollector } from '../support/collector.js';
import type { ReadSpan } from '../support/otlp.js';
import { startPostgres } from '../support/postgres.js';
import { startService, type Service } from '../support/service.js';
import { allRead } from '../support/tcp-state.js';
import { until } from '../support/until.js';

/** How long a client does nothing, and what of it a span has at least, ns. */
const PAUSE = 100;
const PART = 50_000_000n;

const { url: database } = await startPostgres(t);
const scripts = {
  't/large.read.sql': SCRIPTS['large.read.sql'],
  't/add.write.sql': 'SELECT {{sqlVal "body.n"}}::int AS n',
};
const config = {
  'queries.proof': 'off',
  'http.processes': 1,
  'pool.threads': 1,
  'trace.ratio': 0,
};

const traceId = 'ab'.repeat(16);
const SAMPLED = `traceparent: 00-${traceId}-00f067aa0ba902b7-01\r\n`;

const named = (spans: readonly ReadSpan[], name: string): ReadSpan =>
  spans.find((one) => one.name === name)!;
const lengthOf = ({ start, end }: ReadSpan): bigint => end - start;
const rootOf = (spans: readonly ReadSpan[]): ReadSpan =>
  spans.find(({ kind }) => kind === 'server')!;

/** A client that sends a part of its body and pauses once that was read. */
async function post(t: Test, service: Service, header: string): Promise<net.Socket> {
  const socket = net.connect(service.port, '127.0.0.1').on('error', () => undefined);
  t.teardown(() => socket.destroy());
  socket.write(
    `POST /_QUERIES/t/add HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n${header}\r\n{"n"`,
  );
  await allRead(service.port, [socket]);
  await sleep(PAUSE);
  return socket;
}

t.test('a body that arrives slowly', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const slow = { 'trace.endpoint': endpoint, 'trace.slow': '50ms' };
  const service = await startService(t, { database, scripts, config: { ...config, ...slow } });
  await t.test('of a sampled request', async (t) => {
    (await post(t, service, SAMPLED)).write(':1}');
    const spans = await collector.trace(traceId, 7);
    const receive = named(spans, 'receive');
    t.equal(receive.start, rootOf(spans).start);
    t.equal(receive.parentId, rootOf(spans).spanId);
    t.ok(lengthOf(receive) >= PART);
    t.ok(receive.end <= named(spans, 'queue').start);
    t.ok(named(spans, 'answer').end <= rootOf(spans).end);
  });
  await t.test('of one that is kept because it was slow', async (t) => {
    const before = collector.spans.length;
    (await post(t, service, '')).write(':1}');
    const spans = await until(() => {
      const found = collector.spans.slice(before);
      return found.length >= 3 && found;
    });
    t.match(rootOf(spans).attributes, { 'service.trace.kept': 'slow' });
    t.ok(lengthOf(named(spans, 'receive')) >= PART);
    t.ok(named(spans, 'answer').start >= named(spans, 'receive').end);
  });
  await t.test('of one whose client leaves before its end', async (t) => {
    const before = collector.spans.length;
    (await post(t, service, '')).destroy();
    const spans = await until(() => {
      const found = collector.spans.slice(before);
      return found.length >= 2 && found;
    });
    t.match(rootOf(spans).attributes, { 'error.type': 'client_gone' });
    t.equal(named(spans, 'receive').end, rootOf(spans).end);
    t.notOk(spans.some(({ name }) => name === 'answer'));
  });
});

t.test('a large response', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const slow = { 'trace.endpoint': endpoint, 'trace.slow': '60s' };
  const service = await startService(t, { database, scripts, config: { ...config, ...slow } });
  const small = { buffer: 8_192, part: 8_192, pause: 0, stop: 10_000 };
  await t.test('to a client that reads slowly', async (t) => {
    const received = await read(service.port, {
      ...small,
      header: SAMPLED,
      until: async () => {
        await sleep(PAUSE);
        t.equal(collector.spans.length, 0, 'it has not ended');
      },
    });
    t.ok(received >= LENGTH);
    const spans = await collector.trace(traceId, 6);
    const answer = named(spans, 'answer');
    t.ok(lengthOf(answer) >= PART);
    t.equal(answer.end, rootOf(spans).end);
    t.ok(answer.start >= named(spans, 't/large').end);
    t.match(rootOf(spans).attributes, { 'http.response.status_code': 200 });
    t.notOk('error.type' in rootOf(spans).attributes);
  });
  await t.test('to a client that leaves', async (t) => {
    const id = 'cd'.repeat(16);
    const socket = net.connect(service.port, '127.0.0.1').on('error', () => undefined);
    t.teardown(() => socket.destroy());
    socket.write(
      `GET /_QUERIES/t/large?length=20000000 HTTP/1.1\r\nHost: a\r\n${SAMPLED.replace(traceId, id)}\r\n`,
    );
    socket.once('data', () => socket.destroy());
    const spans = await collector.trace(id, 6);
    const { attributes } = rootOf(spans);
    t.match(attributes, { 'http.response.status_code': 200, 'error.type': 'client_gone' });
    t.equal(named(spans, 'answer').end, rootOf(spans).end);
  });
});

t.test('a large response that was slow to be taken', async (t) => {
  const { collector, endpoint } = await startCollector(t);
  const slow = { 'trace.endpoint': endpoint, 'trace.slow': '1s' };
  const service = await startService(t, { database, scripts, config: { ...config, ...slow } });
  await read(service.port, {
    buffer: 8_192,
    part: 8_192,
    pause: 0,
    stop: 10_000,
    until: () => sleep(1_100),
  });
  const root = await collector.span(({ kind }) => kind === 'server');
  t.match(root.attributes, { 'service.trace.kept': 'slow', 'http.response.status_code': 200 });
  t.ok(lengthOf(root) >= 1_000_000_000n);
  await until(() => collector.spans.some(({ name }) => name === 'answer'));
});
