/** Requests as bytes on a socket, for what no HTTP client would send, and their answers taken apart. */
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { allRead } from './tcp-state.js';

/** Whether uWebSockets.js's binary for this Node answers 505 to a request line in pieces (those up to Node 21 do). */
export const SPLITS_FAIL = Number(process.versions.modules) <= 120;

export interface RawAnswer {
  /** 0 when nothing came that is an HTTP answer. */
  readonly status: number;
  /** Names in lower case; of a repeated one the values joined with a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Whether the server ended the connection. */
  readonly closed: boolean;
  /** Everything that came. */
  readonly text: string;
}

export interface SendOptions {
  /** How many responses to wait for; 1 by default. */
  readonly responses?: number;
  /** How long the connection is watched after its last response (milliseconds), 50 by default. */
  readonly quiet?: number;
  /** Whether to read until the server closes the connection. */
  readonly untilClosed?: boolean;
  /** How long to wait for bytes (milliseconds), where it is no failure that none come; without it, until there is a response. */
  readonly wait?: number;
  /** Gets the connection, for `allRead`. */
  readonly connected?: (socket: net.Socket) => void;
  /** How long to wait between two parts (milliseconds). */
  readonly between?: number;
  /** Whether to end the sending half of the connection after the last part. */
  readonly halfClose?: boolean;
  /** The server's certificate, where it speaks TLS. */
  readonly ca?: string | undefined;
}

/** connect opens a connection, with TLS where there is a certificate. */
export function connect(port: number, ca?: string): net.Socket {
  const options = { port, host: '127.0.0.1', allowHalfOpen: true };
  return ca === undefined ? net.connect(options) : tls.connect({ ...options, ca });
}

/** sendRaw sends bytes on a connection of its own and reads until the server closes it, or has sent its responses and no more. */
export function sendRaw(
  port: number,
  bytes: string | readonly string[],
  options: SendOptions = {},
): Promise<RawAnswer> {
  const { responses = 1, untilClosed = false, wait, between = 0, halfClose = false, ca } = options;
  const { quiet: watched = 50 } = options;
  const isHead = (typeof bytes === 'string' ? bytes : bytes.join('')).startsWith('HEAD ');
  return new Promise((resolve) => {
    const socket = connect(port, ca);
    options.connected?.(socket);
    const chunks: Buffer[] = [];
    let text = '';
    let quiet = wait === undefined ? undefined : setTimeout(() => finish(false), wait);
    const finish = (closed: boolean): void => {
      clearTimeout(quiet);
      socket.destroy();
      resolve({ ...parse(Buffer.concat(chunks).toString()), closed });
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      text += chunk.toString('latin1');
      clearTimeout(quiet);
      if (untilClosed) return;
      const patience = isComplete(text, responses, isHead) ? watched : wait;
      if (patience !== undefined) quiet = setTimeout(() => finish(false), patience);
    });
    socket.on('error', () => undefined);
    socket.on('end', () => finish(true));
    socket.on('close', () => finish(true));
    const send = async (): Promise<void> => {
      if (ca !== undefined) await once(socket, 'secureConnect'); // or the first parts would go out together
      for (const [i, part] of (typeof bytes === 'string' ? [bytes] : bytes).entries()) {
        if (i > 0 && between > 0) await sleep(between);
        if (socket.writable) socket.write(part, 'latin1');
      }
      if (halfClose) socket.end();
    };
    send().catch(() => undefined); // the connection failed: it is closed
  });
}

/** requestBytes is a request with a Host header and those given, `Name: value`. */
export function requestBytes(
  method: string,
  target: string,
  headers: readonly string[] = [],
  body = '',
): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n');
}

/** A request that stays in flight until it is finished: its body comes in two parts. */
export class HeldRequest {
  readonly socket: net.Socket;
  /** Everything that came, once the connection is over; an error code when it was reset. */
  readonly closed: Promise<string>;
  text = '';

  private constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1');
    this.closed = new Promise((resolve) => {
      this.socket.on('data', (chunk) => (this.text += chunk.toString()));
      this.socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
      this.socket.on('close', () => resolve(this.text));
    });
  }

  /** begin sends the first part and waits until the HTTP process has it. */
  static async begin(port: number): Promise<HeldRequest> {
    const held = new HeldRequest(port);
    held.socket.write('POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na');
    await allRead(port, [held.socket]);
    return held;
  }

  finish(): void {
    this.socket.write('b');
  }
}

/** Whether a text has that many responses, of which the first may be one to HEAD. */
function isComplete(text: string, wanted: number, isHead: boolean): boolean {
  let at = 0;
  for (let n = 0; n < wanted;) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) return false;
    const head = text.slice(at, end);
    at = end + 4;
    if (head.startsWith('HTTP/1.1 1')) continue;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0;
    if (!(isHead && n === 0)) at += Number(length);
    if (at > text.length) return false;
    n++;
  }
  return true;
}

function parse(text: string): Omit<RawAnswer, 'closed'> {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0);
  return { status, headers, body: end < 0 ? '' : text.slice(end + 4), text };
}
