/** Responses in shared memory: every kind of text and number, results of a pipeline, a full ring, dead threads. */
import t from 'tap';
import { addon } from '#app/native/addon.js';
import { BODY, VALUE } from '#app/native/pipeline.js';
import {
  APART,
  createRing,
  LONGEST_LINES,
  LONGEST_TEXT,
  ResponseReader,
  ResponseRing,
} from '#app/native/response-ring.js';
import { Pipelined } from '../support/pipelined.js';
import { startPostgres } from '../support/postgres.js';
import { ringBody } from '../support/ring-body.js';
import { threadsTest } from './ring-threads.js';

const server = await startPostgres(t);
const conninfo = `host=127.0.0.1 port=${server.port} user=postgres password=${server.password} dbname=postgres`;

interface Response {
  readonly id: number;
  readonly status: number;
  readonly type: number;
  readonly lines: string;
  readonly body: string;
}

const OK: Response = { id: 5, status: 200, type: 0, lines: '', body: '[{"a":1}]' };

function makeRing(): { ring: ResponseRing; reader: ResponseReader; memory: SharedArrayBuffer } {
  const memory = createRing();
  return { ring: new ResponseRing(memory), reader: new ResponseReader(memory), memory };
}

function write(ring: ResponseRing, { id, status, type, lines, body }: Response): boolean {
  return ring.write(id, status, type, lines, body);
}

function readAll(reader: ResponseReader, bodies?: ArrayBuffer[]): Response[] {
  const all: Response[] = [];
  const count = reader.read(bodies, (id, status, type, lines, body) => {
    all.push({ id, status, type, lines, body: Buffer.from(body as Uint8Array).toString() });
  });
  t.equal(count, all.length);
  return all;
}

t.test('wrong arguments are rejected', (t) => {
  const Native = addon.ResponseRing as unknown as new (...values: unknown[]) => unknown;
  for (const wrong of [undefined, {}, createRing(), new Int32Array(1 << 17)])
    t.throws(() => new Native(wrong), TypeError);
  for (const length of [0, 256, 1 << 19, (1 << 19) + 255])
    t.throws(() => new Native(new Uint8Array(length)), /wrong size/);
  const { ring, reader } = makeRing();
  t.throws(() => ring.write(1, 200, 0, '', 'x'.repeat(LONGEST_TEXT + 1)), TypeError);
  t.throws(() => ring.write(1, 200, 0, 'x'.repeat(LONGEST_LINES + 1), ''), TypeError);
  t.throws(() => ring.write(1, 200, 0, '', 1 as unknown as string), TypeError);
  ring.publish();
  t.same(readAll(reader), []);
  t.end();
});

t.test('texts of each length and kind, between neighbours', (t) => {
  const { ring, reader } = makeRing();
  const bodies = [
    ...[0, 1, 15, 16, 17, 255, 256, 4_000, LONGEST_TEXT].map((length) => 'x'.repeat(length)),
    'é'.repeat(5_000),
    '\0'.repeat(300),
    'Łódź — 東京 — Ω'.repeat(100),
    '😀𝒳'.repeat(2_000),
    '東'.repeat(LONGEST_TEXT),
  ];
  for (const body of bodies) {
    const three = [OK, { ...OK, body }, OK];
    t.ok(three.every((one) => write(ring, one)));
    ring.publish();
    t.ok(JSON.stringify(readAll(reader)) === JSON.stringify(three), `${body.length} characters`);
  }
  write(ring, { ...OK, body: 'half \ud800' });
  ring.publish();
  t.equal(readAll(reader)[0]?.body, 'half \ufffd');
  t.end();
});

t.test('ids, statuses, types and header lines', (t) => {
  const { ring, reader } = makeRing();
  const all: Response[] = [
    ...[0, 1, 255, 256, 65_536, 2 ** 30 - 1].map((id) => ({ ...OK, id })),
    ...[100, 204, 255, 256, 404, 503, 599].map((status) => ({ ...OK, status })),
    ...[0, 1, 2, 8, 9].map((type) => ({ ...OK, type })),
    ...['\r\nAllow: GET', '\r\nA: 1\r\nB: 2', 'x'.repeat(255), 'x'.repeat(LONGEST_LINES)].map(
      (lines) => ({ ...OK, lines }),
    ),
    { ...OK, lines: 'x'.repeat(LONGEST_LINES), body: '東'.repeat(LONGEST_TEXT) },
  ];
  for (const one of all) t.ok(write(ring, one));
  t.same(readAll(reader), [], 'not published yet');
  ring.publish();
  t.same(readAll(reader), all);
  t.same(readAll(reader), []);
  t.end();
});

t.test('a record whose body travels apart waits for it, and those behind it with it', (t) => {
  const { ring, reader } = makeRing();
  const apart = { ...OK, id: 1, type: APART, body: '' };
  write(ring, { ...OK, id: 0 });
  write(ring, apart);
  write(ring, { ...OK, id: 2 });
  write(ring, { ...apart, id: 3 });
  ring.publish();
  const ids = (bodies?: ArrayBuffer[]): string[] =>
    readAll(reader, bodies).map(({ id, type, body }) => `${id} ${type} ${body.length}`);
  t.same(ids(), ['0 0 9']);
  t.same(ids(), []);
  t.same(ids([new ArrayBuffer(7)]), ['1 0 7', '2 0 9']);
  t.same(ids([new ArrayBuffer(8), new ArrayBuffer(9)]), ['3 0 8']);
  write(ring, { ...apart, id: 4 });
  ring.publish();
  t.same(ids(), ['4 0 9']);
  t.end();
});

t.test('a ring that is written and read around many times', (t) => {
  // The counts of bytes begin before the places where they become negative, and 0 again.
  for (const begin of [0, 0x7fff0000, -0x10000]) {
    const memory = createRing();
    const control = new Int32Array(memory);
    control[0] = control[16] = begin;
    const [ring, reader] = [new ResponseRing(memory), new ResponseReader(memory)];
    const waiting: Response[] = [];
    let full = 0;
    for (let id = 0; id < 5_000; id++) {
      const one = { ...OK, id, body: ringBody(id) };
      if (write(ring, one)) waiting.push(one);
      else full++;
      if (id % 97 > 0) continue;
      ring.publish();
      const got = readAll(reader);
      if (JSON.stringify(got) !== JSON.stringify(waiting)) t.fail(`at ${id}`);
      waiting.length = 0;
      t.equal(reader.takeFull(), full > 0);
      full = 0;
    }
  }
  t.end();
});

threadsTest(t, 60_000);

t.test('bodies that a pipeline places', async (t) => {
  const { ring, reader } = makeRing();
  const connection = await Pipelined.connect(conninfo, 1 << 20);
  t.teardown(() => connection.pq.finish());
  const { pipeline } = connection;
  const run = async (sql: string, form: number): Promise<unknown> => {
    pipeline.send('', sql, [], form);
    return (await connection.outcomes(1))[0];
  };
  t.equal(await run(`SELECT 'text'`, VALUE), 'text');
  t.equal(await run(`SELECT ''`, BODY), '');
  t.equal(await run('SELECT NULL', BODY), null);
  for (const [i, size] of [1, 100, 32_767].entries()) {
    const place = await run(`SELECT repeat('é', ${size} / 2) || 'x'`, BODY);
    t.type(place, 'number');
    ring.finish(place as number, i, 200, 1);
  }
  t.type(await run(`SELECT 'never finished'`, BODY), 'number');
  const large = await run(`SELECT repeat('x', 32768)`, BODY);
  t.match(large, { length: 32_768 });
  t.match(await run('SELECT 1/0', BODY), { failure: { sqlState: '22012' } });
  write(ring, OK);
  ring.publish();
  const sizes = readAll(reader).map(({ id, status, type, body }) => {
    t.match(body, /^(é*x|\[\{"a":1\}\])$/);
    return [id, status, type, Buffer.byteLength(body)];
  });
  t.same(sizes, [
    [0, 200, 1, 1],
    [1, 200, 1, 101],
    [2, 200, 1, 32_767],
    [5, 200, 0, 9],
  ]);
  while (ring.write(1, 200, 0, '', ''));
  t.equal(await run(`SELECT repeat('y', 2000)`, BODY), 'y'.repeat(2_000), 'a full ring');
});

t.test('the successor of a dead thread begins anew', (t) => {
  const { ring, reader, memory } = makeRing();
  write(ring, { ...OK, id: 1 });
  ring.publish();
  write(ring, { ...OK, id: 2, type: APART });
  ring.publish();
  t.same(
    readAll(reader).map(({ id }) => id),
    [1],
  );
  write(ring, { ...OK, id: 3 }); // never published
  reader.discard();
  const next = new ResponseRing(memory);
  write(next, { ...OK, id: 4 });
  next.publish();
  t.same(
    readAll(reader).map(({ id }) => id),
    [4],
  );
  t.end();
});
