/** Clients that read responses slowly, in a way of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export const LENGTH = 6_000_000;
export const SHORT = 100_000;
export const SCRIPTS = { 'large.read.sql': `SELECT repeat('x', {{sqlVal "length"}}::int) AS x` };

/**
 * Reads a response with receive buffers and segments of a size, 0 for the system's, so many bytes at a time with a pause
 * (seconds) in between; then, after so many bytes, nothing for a while, or until it is told to go on. In Python, because Node cannot set the sizes.
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
        if still: time.sleep(still)
        else:
            print(client.getsockname()[1], flush=True)
            sys.stdin.readline()
        stop, pause = 0, 0
    time.sleep(pause)
print(received)`;

export interface Reader {
  readonly length?: number;
  readonly buffer: number;
  readonly segment?: number;
  readonly part: number;
  readonly pause: number;
  readonly stop?: number;
  readonly still?: number;
  /** What it waits for instead, given its port. */
  readonly until?: (client: number) => Promise<void>;
  /** A header line. */
  readonly header?: string;
}

/** Resolves to the bytes received. */
export async function read(port: number, reader: Reader): Promise<number> {
  const { length = LENGTH, buffer, segment = 0, part, pause, stop = 0, still = 0, header = '', until } = reader; // prettier-ignore
  const values = [port, length, buffer, segment, part, pause, stop, still, header].map(String);
  const python = spawn('python3', ['-c', CLIENT, ...values], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  python.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const closed = once(python, 'close');
  if (until !== undefined) {
    await once(python.stdout, 'data');
    await until(Number(output));
    output = '';
  }
  python.stdin.end('\n');
  await closed;
  return Number(output);
}
