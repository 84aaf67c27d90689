/** A response is sent to the end of a slow client; the connection of one that stops reading is closed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { serveDatabase } from './served-database.js';

const LENGTH = 6_000_000;
const SHORT = 100_000;
const SCRIPTS = { 'large.read.sql': `SELECT repeat('x', {{sqlVal "length"}}::int) AS x` };

/**
 * Reads a response with receive buffers and segments of a size, 0 for the system's, so many bytes at a time with a pause
 * (seconds) in between; then, after so many bytes, nothing for a while. In Python, because Node cannot set the sizes.
 */
const CLIENT = `
import socket, sys, time
port, length, buffer, segment, part, pause, stop, still = (float(x) for x in sys.argv[1:9])
client = socket.socket()
if buffer: client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(buffer))
if segment: client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, int(segment))
client.connect(('127.0.0.1', int(port)))
client.sendall(b'GET /_QUERIES/t/large?length=%d HTTP/1.1\\r\\nHost: a\\r\\n%s\\r\\n' % (length, sys.argv[9].encode()))
received = 0
while received < length:
    try: data = client.recv(int(part))
    except OSError: break
    if not data: break
    received += len(data)
    if stop and received > stop:
        time.sleep(still)
        stop, pause = 0, 0
    time.sleep(pause)
print(received)`;

interface Reader {
  readonly length?: number;
  readonly buffer: number;
  readonly segment?: number;
  readonly part: number;
  readonly pause: number;
  readonly stop?: number;
  readonly still?: number;
  /** A header line. */
  readonly header?: string;
}

/** Resolves to the bytes received. */
async function read(port: number, reader: Reader): Promise<number> {
  const { length = LENGTH, buffer, segment = 0, part, pause, stop = 0, still = 0, header = '' } = reader; // prettier-ignore
  const values = [port, length, buffer, segment, part, pause, stop, still, header].map(String);
  const python = spawn('python3', ['-c', CLIENT, ...values], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  python.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await once(python, 'close');
  return Number(output);
}

t.test('with a long pause', async (t) => {
  // Longer than the 8-12 s after which uWebSockets.js closes a connection on which a write failed.
  const { port } = await serveDatabase(t, SCRIPTS, { timeout: 25_000 });
  const large = [0, 131_072].map((buffer) =>
    read(port, { buffer, part: 65_536, pause: 0, stop: 10_000, still: 14 }),
  );
  // The kernel keeps less for segments as over Ethernet: it has all but a short rest by then.
  const rest = ['', 'Connection: keep-alive\r\n'].flatMap((header) =>
    [3_000, 5_000, 7_000].map(
      (stop) =>
      read(port, { length: SHORT, buffer: 4_096, segment: 1_460, part: 1_000, pause: 0, stop, still: 14, header }), // prettier-ignore
    ),
  );
  for (const bytes of await Promise.all(large)) t.ok(bytes >= LENGTH, `${bytes} bytes`);
  for (const bytes of await Promise.all(rest)) t.ok(bytes >= SHORT, `${bytes} bytes`);
});

t.test('with a short http.timeout', async (t) => {
  const { port } = await serveDatabase(t, SCRIPTS, { timeout: 1_000 });
  const [system, small, stalled] = await Promise.all([
    read(port, { buffer: 0, part: 65_536, pause: 0.03 }),
    read(port, { buffer: 131_072, part: 65_536, pause: 0.03 }),
    read(port, { buffer: 8_192, part: 8_192, pause: 0, stop: 10_000, still: 4 }),
  ]);
  t.ok(system >= LENGTH, `taken for longer: ${system} bytes`);
  t.ok(small >= LENGTH, `with a small buffer: ${small} bytes`);
  t.ok(stalled < LENGTH, `not taken: ${stalled} bytes`);
});
