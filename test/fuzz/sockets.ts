/**
 * Malformed requests on the sockets of an HTTP process: each connection gets responses of HTTP or none, and is closed; the
 * process serves others meanwhile, and at the end it has no more descriptors than before, and hardly more memory.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type net from 'node:net';
import { startHttpProcess } from '../support/http-process.js';
import { connect, requestBytes, sendRaw } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { Cleanup } from '../faults/site.js';
import { Mutator } from './mutator.js';
import { expect, type Target } from './target.js';

interface Connection {
  /** What is sent, one character a byte. */
  readonly bytes: string;
  /** Where it is split into two packets. */
  readonly split: number;
}

const BODY = '{"a":1}';

const REQUESTS = [
  requestBytes('GET', '/_QUERIES/a/b?x=1&y=%20'),
  requestBytes('POST', '/_QUERIES/a/b', [`Content-Length: ${BODY.length}`, 'Content-Type: application/json'], BODY), // prettier-ignore
  requestBytes('POST', '/_QUERIES/a/b', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n0\r\n\r\n'),
  requestBytes('PUT', '/nope', ['Content-Length: 3', 'Expect: 100-continue'], 'abc'),
  requestBytes('OPTIONS', '/tables', ['Origin: http://a', 'Access-Control-Request-Method: GET']),
  requestBytes('GET', '/_PLUGIN/a/b', ['Authorization: Bearer x', 'X-Forwarded-For: 1.2.3.4']),
  requestBytes('DELETE', '/_health', ['Connection: close', 'If-Match: "a"']),
  requestBytes('GET', '//a/../b', ['X-Request-Id: a', 'Cookie: Service-LSN=1:0/1']),
  requestBytes('POST', '/auth', ['Content-Encoding: gzip', 'Content-Length: 2'], 'ab'),
];

const TOKENS = ['\r\n', '\n', '\r', '\r\n\r\n', ' ', '\t', ':', '\0', '\xff', ' HTTP/1.1', ' HTTP/1.0', ' HTTP/2.0', 'GET ', 'POST ', 'CONNECT ', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'Content-Length: 3\r\n', 'Content-Length: -1\r\n', 'Content-Length: 99999999999999999999\r\n', 'Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: gzip\r\n', 'Host: b\r\n', 'Upgrade: websocket\r\n', '0\r\n\r\n', 'ffffffffffffffff\r\n', '5;x=y\r\n', '%00', '?', '#', 'http://x/', '*', 'X-A: b\r\n', 'A'.repeat(3_000), `X-B: ${'c'.repeat(2_000)}\r\n`]; // prettier-ignore

/** Cases after which memory is measured for the first time. */
const WARM_UP = 2_000;

/** Bytes that a process may have more at the end: its heap has no fixed size. */
const GROWTH = 32 << 20;

export function fuzzSockets(): Target<Connection> {
  const mutator = new Mutator(REQUESTS, TOKENS, true);
  const cleanup = new Cleanup();
  let process: Served | undefined;
  let cases = 0;
  return {
    name: 'HTTP over sockets',
    cost: 50,
    input(random) {
      const requests = Array.from({ length: random.between(1, 5) }, () =>
        random.next() < 0.4 ? random.pick(REQUESTS) : mutator.next(random),
      );
      const bytes = requests.join('');
      return { bytes, split: random.next() < 0.1 ? random.between(0, bytes.length) : 0 };
    },
    async run({ bytes, split }) {
      process ??= await Served.start(cleanup);
      const text = await process.send(bytes, split);
      if (++cases === WARM_UP) process.remember();
      if (cases % 100 === 0) await process.checkServes();
      return checkResponses(text);
    },
    async close() {
      try {
        await process?.checkEnd();
      } finally {
        await cleanup.run();
        process = undefined;
      }
    },
  };
}

/** The HTTP process. */
class Served {
  readonly #port: number;
  readonly #pid: number;
  readonly #descriptors: number;
  #memory = Infinity;

  private constructor(port: number, pid: number) {
    this.#port = port;
    this.#pid = pid;
    this.#descriptors = this.#openDescriptors();
  }

  static async start(cleanup: Cleanup): Promise<Served> {
    const { port, process } = await startHttpProcess(cleanup);
    await sendRaw(port, requestBytes('GET', '/_QUERIES/a/b'));
    return new Served(port, process.pid!);
  }

  /** send sends bytes and the end of the connection, and gives what came until it was closed. */
  send(bytes: string, split: number): Promise<string> {
    return new Promise((resolve) => {
      const socket: net.Socket = connect(this.#port);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', () => undefined); // a reset: the connection is closed
      socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
      socket.on('connect', () => {
        socket.setNoDelay(true);
        socket.write(bytes.slice(0, split), 'latin1');
        setImmediate(() => socket.end(bytes.slice(split), 'latin1'));
      });
    });
  }

  remember(): void {
    this.#memory = this.#residentMemory();
  }

  async checkServes(): Promise<void> {
    const { status } = await sendRaw(this.#port, requestBytes('GET', '/nope'));
    expect(status === 404, 'the process still serves');
  }

  async checkEnd(): Promise<void> {
    await this.checkServes();
    await until(() => this.#openDescriptors() <= this.#descriptors);
    const grown = this.#residentMemory() - this.#memory;
    expect(grown < GROWTH, `memory does not grow: ${grown} bytes`);
  }

  #openDescriptors(): number {
    return readdirSync(`/proc/${this.#pid}/fd`).length;
  }

  #residentMemory(): number {
    const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]);
  }
}

/** What came are responses, one after the other. */
function checkResponses(text: string): string {
  const statuses: string[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, end);
    const [, status] = /^HTTP\/1\.1 ([1-5]\d\d) [^\r\n]+(?:\r\n[!-9;-~]+: ?[^\r\n]*)*$/.exec(head) ?? []; // prettier-ignore
    expect(end > 0 && status !== undefined, `a response is one: ${JSON.stringify(rest.slice(0, 200))}`); // prettier-ignore
    statuses.push(status);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const last = length === undefined && !status.startsWith('1') && status !== '204';
    const after = rest.slice(end + 4);
    // A response without a length, of uWebSockets.js itself, ends with its connection; one to HEAD has a length but no body.
    rest = last ? '' : after.startsWith('HTTP/1.1 ') ? after : after.slice(Number(length ?? 0));
  }
  return [...new Set(statuses)].sort().join(' ') || 'closed';
}
