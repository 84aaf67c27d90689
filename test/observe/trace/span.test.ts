/** Spans as a collector reads them, whatever is in their attributes; the clock of spans. */
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { MessageWriter } from '#app/observe/protobuf-writer.js';
import { monotonic, WallClock } from '#app/observe/trace/clock.js';
import { exportRequest, rejectedOf } from '#app/observe/trace/export-request.js';
import { CLIENT, INTERNAL, SERVER, writeSpan, type Span } from '#app/observe/trace/span.js';
import { readRequest } from '../../support/otlp.js';

const SPAN: Span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentId: undefined,
  remoteParent: false,
  name: 'GET /a',
  kind: SERVER,
  start: 1_700_000_000_123_456_789n,
  end: 1_700_000_000_123_456_790n,
  failed: false,
  attributes: {},
};
const service = { name: 'shop', version: '1.2.3', instance: 'i' };

function encode(...spans: readonly Span[]): Buffer {
  const message = new MessageWriter();
  for (const span of spans) writeSpan(message, span);
  return message.bytes();
}

t.test('spans', (t) => {
  const attributes = { text: 'é😀\n', empty: '', zero: 0, large: 2 ** 53 - 1, none: undefined };
  const parentId = 'ffffffffffffffff';
  const [first, second, third] = readRequest(
    exportRequest(service, [
      { pid: 1, spans: [encode(SPAN), encode({ ...SPAN, kind: CLIENT, parentId, attributes })] },
      { pid: 2 ** 22, spans: [encode({ ...SPAN, kind: INTERNAL, failed: true, parentId, remoteParent: true })] }, // prettier-ignore
    ]),
  );
  const { traceId, spanId, name, start, end, failed } = SPAN;
  t.match(first, { traceId, spanId, name, start, end, failed, parentId: '', kind: 'server' });
  t.equal(first?.flags, 0x101);
  t.match(second, { parentId, kind: 'client', failed: false, flags: 0x101 });
  t.same(second?.attributes, { text: 'é😀\n', empty: '', zero: 0, large: 2 ** 53 - 1 });
  t.match(third, { kind: 'internal', failed: true, flags: 0x301 });
  t.same(first?.resource, {
    'service.name': 'shop',
    'service.version': '1.2.3',
    'service.instance.id': 'i',
    'process.pid': 1,
    'telemetry.sdk.name': 'sql-rest-service',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': '1.2.3',
  });
  t.equal(third?.resource['process.pid'], 2 ** 22);
  t.end();
});

t.test('what a collector rejects', (t) => {
  const partial = new MessageWriter();
  partial.integer(1, 5);
  partial.text(2, 'too old');
  const response = new MessageWriter();
  response.message(1, partial);
  t.same(rejectedOf(response.bytes()), { spans: 5, message: 'too old' });
  for (const body of ['', '{}', '<html>', '\xff'.repeat(100), '\x0a\x7f'])
    t.same(rejectedOf(Buffer.from(body, 'latin1')), { spans: 0, message: '' }, body);
  t.end();
});

t.test('the clock', (t) => {
  const clock = new WallClock();
  clock.adjust();
  const now = clock.nanoseconds(monotonic(performance.now()));
  const difference = Number(now / 1_000_000n) - Date.now();
  t.ok(Math.abs(difference) < 1_000, String(difference));
  const later = clock.nanoseconds(1_000.25) - clock.nanoseconds(1_000);
  t.ok(later > 249_000n && later < 251_000n, String(later));
  t.end();
});
