/**
 * Writes the response of one request: one corked write of as few native calls as possible, or a LargeResponse. Never
 * uses a response of uWebSockets.js after it has ended.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { NO_BODY } from '../../../messages/batch.js';
import { headerLine } from '../../../base/headers.js';
import { releaseBuffer } from '../../../native/mailbox.js';
import { LargeResponse } from './large-response.js';
import { isBodiless, statusHead, TYPED } from './response-head.js';

/**
 * Longer bodies (bytes) are written in pieces. This is less than the kernel takes at once for a new connection, 46 KiB on
 * Ethernet. The rest is buffered by uWebSockets.js, which drops it when the client half-closes, or takes
 * nothing for 10 s.
 */
const WHOLE = 32_768;

/** More than uWebSockets.js buffers before it writes (bytes, LoopData::CORK_BUFFER_SIZE). */
const BEYOND_CORK = 16_385;

/** A body: text, memory of a mailbox, which is released once it was sent, or bytes that others may change afterwards. */
export type Body = string | ArrayBuffer | Uint8Array;

export class ResponseWriter {
  readonly res: HttpResponse;
  /** Further header lines, each beginning with CRLF. */
  lines = '';
  close = false;
  /** Whether, besides, nothing that follows on the connection may be parsed as a request. */
  last = false;
  /** Whether uWebSockets.js is inside a read of the connection: requests that follow in it are handled after this one. */
  parsing = true;
  readonly #isHead: boolean;
  readonly #requestId: string;
  /** Memory of a mailbox that is being sent. */
  #memory: ArrayBuffer | undefined;
  #large: LargeResponse | undefined;
  /** Whether reading from the connection is paused (read-pauses.ts); undefined when it never was. */
  #reading: 'paused' | 'resumed' | undefined;

  /** `isHead` tells whether the method is HEAD. */
  constructor(res: HttpResponse, isHead: boolean, requestId: string) {
    this.res = res;
    this.#isHead = isHead;
    this.#requestId = requestId;
  }

  addHeader(name: string, value: string): void {
    this.lines += headerLine(name, value);
  }

  /** addLines adds header lines, each of which begins with CRLF. */
  addLines(lines: string): void {
    this.lines += lines;
  }

  /**
   * write writes the response. Returns false while the body is still being sent; `sent` is called at its end, unless the
   * connection is lost before.
   */
  write(status: number, type: number, body: Body, sent: () => void): boolean {
    if (this.last) {
      this.close = true;
      if (this.parsing && typeof body === 'string') {
        this.#writeAndClose(status, type, body);
        return true;
      }
      if (this.#reading === 'resumed') this.pauseReading();
    }
    if (isBodiless(status)) {
      this.res.cork(() => {
        this.#resumeReading();
        this.#writeHead(status, type === TYPED ? TYPED : NO_BODY);
        this.#endWithoutBody(0);
      });
      return true;
    }
    if (typeof body !== 'string') return this.#writeBytes(status, type, body, sent);
    if (isLong(body) && !this.#isHead)
      return this.#writeInPieces(status, type, Buffer.from(body), sent);
    this.res.cork(() => this.#writeText(status, type, body));
    return true;
  }

  /**
   * writeAhead writes a complete short response with `Connection: close` and leaves the response open, so that the rest of
   * the body can be read. uWebSockets.js has no call for that. All that it adds to a status is CRLF, which becomes the end
   * of the body, or of the head when there is no body.
   */
  writeAhead(status: number, type: number, body: Body, padding = 0): void {
    const date = new Date().toUTCString();
    const head = `${statusHead(status, type)}${this.lines}\r\nX-Request-Id: ${this.#requestId}\r\nDate: ${date}\r\nConnection: close`;
    const text = typeof body === 'string' ? body : bufferOf(body).toString();
    const length = Buffer.byteLength(text) + padding + 2;
    const whole =
      isBodiless(status) || this.#isHead
        ? `${head}\r\nX-Padding: ${'-'.repeat(padding)}\r\n`
        : `${head}\r\nContent-Length: ${length}\r\n\r\n${text}${' '.repeat(padding)}`;
    this.res.cork(() => this.res.writeStatus(Buffer.from(whole)));
  }

  /** pauseReading delays the end of the connection until the response is written; uWebSockets.js then has no timeout. */
  pauseReading(): void {
    this.res.pause();
    this.#reading = 'paused';
  }

  /**
   * toggleReading resumes reading where it is paused, and pauses it where it was resumed: the end of a connection is
   * noticed in between. It must not stay resumed: uWebSockets.js closes a connection 10 s after that.
   */
  toggleReading(): void {
    if (this.#reading === 'resumed') this.pauseReading();
    else if (this.#reading === 'paused') {
      this.res.resume();
      this.#reading = 'resumed';
    }
  }

  /** push offers the rest of a large body to the kernel again, and returns how many bytes it has taken so far. */
  push(): number {
    this.#large?.push();
    return this.#large?.taken ?? 0;
  }

  /** release frees the memory of a response that has ended. */
  release(): void {
    this.#large?.stop();
    if (this.#memory !== undefined) releaseBuffer(this.#memory);
    this.#memory = undefined;
  }

  #writeBytes(
    status: number,
    type: number,
    body: ArrayBuffer | Uint8Array,
    sent: () => void,
  ): boolean {
    if (body instanceof ArrayBuffer) this.#memory = body;
    if (this.#isHead)
      this.res.cork(() => {
        this.#resumeReading();
        this.#writeHead(status, type);
        this.#endWithoutBody(body.byteLength);
      });
    else if (body.byteLength > WHOLE) {
      if (!this.#writeInPieces(status, type, bufferOf(body), sent)) return false;
    } else
      this.res.cork(() => {
        this.#resumeReading();
        this.#writeHead(status, type);
        this.res.end(body, this.close);
      });
    this.release();
    return true;
  }

  #writeText(status: number, type: number, body: string): void {
    const { res, close } = this;
    this.#resumeReading();
    this.#writeHead(status, type);
    if (this.#isHead) this.#endWithoutBody(Buffer.byteLength(body));
    else {
      const ascii = Buffer.byteLength(body) === body.length;
      res.end(ascii ? body : Buffer.from(body), close); // adds `Connection: close`
    }
  }

  /** Returns false while the body is still being sent. */
  #writeInPieces(status: number, type: number, body: Buffer, sent: () => void): boolean {
    const { res, last } = this;
    const large = new LargeResponse(res, body, { paused: this.#reading === 'paused', last, sent });
    this.#large = large;
    large.begin(() => {
      this.#writeHead(status, type);
      if (this.close) res.writeHeader('Connection', 'close');
    });
    return large.finished;
  }

  #writeHead(status: number, type: number): void {
    const head = statusHead(status, type) + this.lines;
    // From Node 22 on, uWebSockets.js writes a string of Latin-1 characters as such and not as UTF-8.
    this.res.writeStatus(type === TYPED && !ASCII.test(head) ? Buffer.from(head) : head);
    this.res.writeHeader('X-Request-Id', this.#requestId);
  }

  /** Ends a response without a body, with the length that its body would have. */
  #endWithoutBody(length: number): void {
    const { res, close } = this;
    if (close) res.writeHeader('Connection', 'close');
    // A length of 0 is left out: the response to GET may have a body.
    if (length > 0) res.writeHeader('Content-Length', String(length));
    res.endWithoutBody(); // with arguments, uWebSockets.js adds a length or leaves the response open
  }

  /** To be called before a response is ended: afterwards nothing can resume reading. */
  #resumeReading(): void {
    if (this.#reading === 'paused' && !this.last) this.res.resume();
  }

  /**
   * Writes a response and closes the connection at once. Otherwise uWebSockets.js would handle the next request of the same
   * read: a response that ends inside a read is only buffered, and its connection closed once the whole read was parsed.
   * So the response is padded beyond that buffer, which gets it written, and closed before the handler returns, which
   * stops the parser.
   */
  #writeAndClose(status: number, type: number, body: string): void {
    this.writeAhead(status, type, body, BEYOND_CORK);
    this.res.close();
  }
}

const ASCII = /^[\0-\x7f]*$/;

/** Whether a text has more than WHOLE bytes; a UTF-16 unit has three at most. */
function isLong(text: string): boolean {
  return text.length * 3 > WHOLE && Buffer.byteLength(text) > WHOLE;
}

/** The bytes as a Buffer that shares their memory. */
function bufferOf(bytes: ArrayBuffer | Uint8Array): Buffer {
  if (bytes instanceof ArrayBuffer) return Buffer.from(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
