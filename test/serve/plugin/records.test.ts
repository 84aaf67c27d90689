/** Records arrive over a socket in chunks of any size. */
import t from 'tap';
import { RecordReader, readRecords } from '#app/serve/plugin/records.js';
import { RECORD_HEAD, type PluginRecord } from '#app/serve/plugin/wire.js';

function record(id: number, head: string, body: string | Buffer): Buffer {
  const bytes = [Buffer.from(head), Buffer.from(body)] as const;
  const begin = Buffer.alloc(RECORD_HEAD);
  begin.writeUInt32LE(id, 0);
  begin.writeUInt16LE(id % 10, 4);
  begin.writeUInt16LE(599, 6);
  begin.writeUInt32LE(bytes[0].length, 8);
  begin.writeUInt32LE(bytes[1].length, 12);
  return Buffer.concat([begin, ...bytes]);
}

function pushAll(bytes: Buffer, size: number, most = 1 << 20): PluginRecord[] {
  const taken: PluginRecord[] = [];
  const reader = new RecordReader(most, (one) => taken.push(one));
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return taken;
}

const shown = ({ id, kind, status, head, body }: PluginRecord): unknown[] => [
  id,
  kind,
  status,
  head.toString(),
  body.toString(),
];

t.test('chunks of every size', (t) => {
  const parts = [
    record(1, '', ''),
    record(0xffff_ffff, '\r\nA: b', 'ü'),
    record(23, '', 'x'.repeat(200)),
    record(4, 'head', ''),
    record(5, '', '5'),
  ];
  const bytes = Buffer.concat(parts);
  const whole: PluginRecord[] = [];
  readRecords(bytes, (one) => whole.push(one));
  t.strictSame(whole.map(shown), [
    [1, 1, 599, '', ''],
    [0xffff_ffff, 5, 599, '\r\nA: b', 'ü'],
    [23, 3, 599, '', 'x'.repeat(200)],
    [4, 4, 599, 'head', ''],
    [5, 5, 599, '', '5'],
  ]);
  for (let size = 1; size <= bytes.length; size++)
    t.strictSame(pushAll(bytes, size).map(shown), whole.map(shown), `chunks of ${size}`);
  t.end();
});

t.test('a record within one chunk is not copied', (t) => {
  const bytes = record(1, 'head', 'body');
  const [taken] = pushAll(bytes, bytes.length);
  t.equal(taken?.body.buffer, bytes.buffer);
  t.end();
});

t.test('a large record in small chunks takes no more memory than its size', (t) => {
  const body = Buffer.alloc(8 << 20, 'y');
  const [taken] = pushAll(record(1, '', body), 4_096, 8 << 20);
  t.ok(taken?.body.equals(body));
  t.equal(taken?.body.buffer.byteLength, body.length + RECORD_HEAD);
  t.end();
});

t.test('records stay valid while later ones are parsed', (t) => {
  const bytes = Buffer.concat([record(1, '', 'one'), record(2, '', 'two'), record(3, '', 'six')]);
  const bodies = pushAll(bytes, 7).map(({ body }) => body);
  t.strictSame(bodies.map(String), ['one', 'two', 'six']);
  t.end();
});

t.test('a record that is too long', (t) => {
  const most = 100;
  t.equal(pushAll(record(1, '12345', 'x'.repeat(95)), 3, most).length, 1);
  for (const size of [1, 16, 1_000])
    t.throws(() => pushAll(record(1, '12345', 'x'.repeat(96)), size, most), RangeError);
  const garbage = Buffer.alloc(64, 0xff);
  t.throws(() => pushAll(garbage, 64), RangeError);
  t.end();
});
