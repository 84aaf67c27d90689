/**
 * One request and its answer: what is remembered between the two, and the writing. An answer is one corked write of as
 * few native calls as possible; a large one is handed to the kernel as fast as the client reads, from one buffer of
 * its own size. Never touches a response twice.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { releaseBuffer } from '../native/mailbox.js';
import { JSON_BODY, NO_BODY, XML_BODY } from '../protocol.js';

/** Label of an answer whose Content-Type is among its lines, with all else that depends on its status. */
export const TYPED = 3;

/** Number of no worker: that of requests that plugins have (`Exchange.worker`). */
export const PLUGINS = 0x3fff_ffff;

/** What an answer with status 401 and one with status 503 have, unless it is TYPED. */
export const CHALLENGE = '\r\nWWW-Authenticate: Bearer';
export const RETRY_AFTER = '\r\nRetry-After: 1';

/** Bodies longer than this (characters) are written piece by piece. */
const WHOLE = 65_536;

const labels: string[] = [];
const TYPES: Readonly<Record<number, string>> = {
  [JSON_BODY]: '\r\nContent-Type: application/json',
  [XML_BODY]: '\r\nContent-Type: application/xml',
  [NO_BODY]: '',
  [TYPED]: '',
};

/** The status line with the headers that follow from it, made once for each status and label: one native call. */
function label(status: number, type: number): string {
  const i = status * 4 + type;
  const known = labels[i];
  if (known !== undefined) return known;
  const retry = status === 503 && type !== TYPED ? RETRY_AFTER : '';
  const challenge = status === 401 && type !== TYPED ? CHALLENGE : '';
  const made = `${status} ${STATUS_CODES[status] ?? 'Unknown'}${TYPES[type] ?? ''}\r\nX-Content-Type-Options: nosniff${retry}${challenge}`;
  labels[i] = made;
  return made;
}

/** isBodiless tells whether an answer with a status never has a body, nor the length of one. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** A body: text, memory of a mailbox, which is released when it was sent, or bytes that are anybody's. */
export type Body = string | ArrayBuffer | Uint8Array;

/** Crowd is the requests in flight to one database, or to all plugins. */
export interface Crowd {
  size: number;
  /** Bytes of answers of plugins that are still being sent. */
  sending: number;
}

/** Exchange is one request on its way to its answer. */
export class Exchange {
  readonly id: number;
  readonly res: HttpResponse;
  /** As sent. */
  readonly method: string;
  /** Raw, without the query string. */
  readonly path: string;
  readonly query: string;
  readonly requestId: string;
  /** When it arrived (performance.now). */
  readonly started: number;
  /** Number of the worker that has it, PLUGINS, or -1 when none does. */
  worker = -1;
  /** Those it is counted among. */
  crowd: Crowd | undefined;
  /** Whether the connection ends with the answer. */
  close = false;
  /** More header lines of the answer, each beginning with CRLF. */
  lines = '';
  /** The caller's name, for the log; empty when he has none or is not known. */
  user = '';
  /** Called once it is answered, or its client is gone. */
  ended: (() => void) | undefined;
  /** Memory of a body, to be released when it was sent. */
  #held: ArrayBuffer | undefined;
  /** Whether all of a body that is sent piece by piece is on its way. */
  #finished = false;

  constructor(
    id: number,
    res: HttpResponse,
    method: string,
    path: string,
    query: string,
    requestId: string,
    started: number,
  ) {
    this.id = id;
    this.res = res;
    this.method = method;
    this.path = path;
    this.query = query;
    this.requestId = requestId;
    this.started = started;
  }

  /**
   * answer writes the answer. Returns false when the body is still being sent; `sent` is then called once it is, unless
   * the connection is lost before.
   */
  answer(status: number, type: number, body: Body, sent: () => void): boolean {
    if (isBodiless(status)) {
      this.res.cork(() => {
        this.#head(status, type === TYPED ? TYPED : NO_BODY);
        this.#ending(0);
      });
      return true;
    }
    if (typeof body !== 'string') return this.#apart(status, type, body, sent);
    if (body.length > WHOLE && this.method !== 'HEAD') {
      this.#stream(status, type, Buffer.from(body), sent);
      return this.#finished;
    }
    this.res.cork(() => this.#whole(status, type, body));
    return true;
  }

  /** addHeader adds a header to the answer. */
  addHeader(name: string, value: string): void {
    this.lines += `\r\n${name}: ${value}`;
  }

  /** release frees what is held for an answer that is over. */
  release(): void {
    if (this.#held !== undefined) releaseBuffer(this.#held);
    this.#held = undefined;
  }

  /** Answers with a body that is bytes. */
  #apart(status: number, type: number, body: ArrayBuffer | Uint8Array, sent: () => void): boolean {
    if (body instanceof ArrayBuffer) this.#held = body;
    if (this.method === 'HEAD')
      this.res.cork(() => {
        this.#head(status, type);
        this.#ending(body.byteLength);
      });
    else if (body.byteLength > WHOLE) {
      this.#stream(status, type, bufferOf(body), sent);
      if (!this.#finished) return false;
    } else
      this.res.cork(() => {
        this.#head(status, type);
        this.res.end(body, this.close);
      });
    this.release();
    return true;
  }

  #head(status: number, type: number): void {
    const head = label(status, type) + this.lines;
    // From Node 22 on, uWebSockets.js writes a string of Latin-1 characters as such and not as UTF-8.
    this.res.writeStatus(type === TYPED && !ASCII.test(head) ? Buffer.from(head) : head);
    this.res.writeHeader('X-Request-Id', this.requestId);
  }

  #whole(status: number, type: number, body: string): void {
    const { res, method, close } = this;
    this.#head(status, type);
    if (method !== 'HEAD') {
      const ascii = Buffer.byteLength(body) === body.length;
      res.end(ascii ? body : Buffer.from(body), close); // says `Connection: close` by itself
      return;
    }
    this.#ending(Buffer.byteLength(body));
  }

  /** Ends an answer without a body, but with the length it would have. */
  #ending(length: number): void {
    const { res, close } = this;
    if (close) res.writeHeader('Connection', 'close');
    // What HEAD has no body for may have one all the same when it is asked for with GET.
    if (length > 0) res.writeHeader('Content-Length', String(length));
    res.endWithoutBody(); // with arguments, uWebSockets.js adds a length or leaves the response open
  }

  #stream(status: number, type: number, whole: Buffer, sent: () => void): void {
    const { res } = this;
    let body = whole;
    res.onWritable((offset) => {
      if (this.#finished) return true;
      const [taken, done] = this.#send(body, offset);
      if (done) sent();
      return taken;
    });
    res.cork(() => {
      this.#head(status, type);
      if (this.close) res.writeHeader('Connection', 'close');
      this.#send(body, 0);
    });
    // Of answers that came together one must not keep the others in memory until its client has read it.
    if (!this.#finished && body.buffer.byteLength > 2 * body.length) body = Buffer.from(body);
  }

  /** Offers what is left of a body to the kernel: whether it took all that was offered, and whether that was all. */
  #send(body: Buffer, offset: number): [taken: boolean, done: boolean] {
    const result = this.res.tryEnd(body.subarray(offset), body.length);
    this.#finished = result[1];
    return result;
  }
}

const ASCII = /^[\0-\x7f]*$/;

/** bufferOf is bytes as a Buffer, which they share. */
function bufferOf(bytes: ArrayBuffer | Uint8Array): Buffer {
  if (bytes instanceof ArrayBuffer) return Buffer.from(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
