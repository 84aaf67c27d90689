/**
 * One keep-alive connection of a client that tells exactly how each answer ended. It never sends a request twice.
 */
import { connect, type Socket } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * Why a request has no answer: no connection was made; the connection ended before a byte of the answer; it ended within
 * the answer; nothing came in time; what came is no HTTP answer, or goes on behind its end.
 */
export type NoAnswer = 'refused' | 'reset' | 'cut' | 'hung' | 'garbled';

export type Reply = HttpAnswer | NoAnswer;

export interface ReadOptions {
  /** How long the whole answer may take (milliseconds). */
  readonly limit: number;
  /** Given a reader of its own, a client takes the bytes as slowly as it likes. */
  readonly received?: (socket: Socket) => void;
}

/** Head is the part of an answer before its body, which begins at byte `end`. */
interface Head {
  readonly answer: Omit<HttpAnswer, 'body'>;
  readonly end: number;
}

interface Waiting {
  readonly bodiless: boolean;
  readonly settle: (reply: Reply) => void;
}

export class HttpConnection {
  readonly socket: Socket;
  /** Whether another request can be sent. */
  open = true;
  #connected = false;
  #chunks: Buffer[] = [];
  #length = 0;
  #head: Head | undefined;
  /** Requests without an answer, in the order in which they were sent. */
  readonly #waiting: Waiting[] = [];

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('connect', () => (this.#connected = true));
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.socket.on('end', () => this.#ended());
    this.socket.on('close', () => this.#ended());
  }

  /** ask sends the bytes of one request and waits for its answer. */
  ask(bytes: string | Buffer, { limit, received }: ReadOptions): Promise<Reply> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#fail('hung'), limit);
      const settle = (reply: Reply): void => {
        clearTimeout(timer);
        resolve(reply);
      };
      this.#waiting.push({ bodiless: bytes.toString().startsWith('HEAD '), settle });
      if (received) this.socket.on('data', () => received(this.socket));
      if (this.socket.destroyed || this.socket.readableEnded) this.#ended();
      else this.socket.write(bytes);
    });
  }

  close(): void {
    this.open = false;
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length > 0) {
      const waiting = this.#waiting[0];
      if (!waiting) {
        this.close();
        return;
      }
      const head = this.#head ?? this.#readHead();
      if (!head) return;
      const { answer, end } = head;
      const empty = waiting.bodiless || answer.status === 204 || answer.status === 304;
      const whole = end + (empty ? 0 : Number(answer.headers.get('content-length')));
      const last = this.#waiting.length === 1;
      if (Number.isNaN(whole) || (last && this.#length > whole)) {
        this.#fail('garbled');
        return;
      }
      if (this.#length < whole) return;
      const received = Buffer.concat(this.#chunks);
      this.#chunks = [received.subarray(whole)];
      this.#length -= whole;
      this.#head = undefined;
      if (answer.headers.get('connection')?.toLowerCase() === 'close') this.close();
      this.#waiting.shift();
      waiting.settle({ ...answer, body: received.subarray(end, whole) });
    }
  }

  /** The head of the next answer; undefined while it is not whole, or when it is none. */
  #readHead(): Head | undefined {
    const received = Buffer.concat(this.#chunks);
    this.#chunks = [received];
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const answer = headOf(received.toString('latin1', 0, end));
    if (!answer) this.#fail('garbled');
    return (this.#head = answer && { answer, end: end + 4 });
  }

  #ended(): void {
    this.open = false;
    if (this.#connected) this.#fail(this.#length > 0 ? 'cut' : 'reset');
    else this.#fail('refused');
  }

  /** Gives the first request without an answer this reply, and those behind it, of which nothing came, `reset`. */
  #fail(reply: NoAnswer): void {
    this.close();
    this.#length = 0;
    for (const [i, { settle }] of this.#waiting.splice(0).entries())
      settle(i === 0 || reply !== 'cut' ? reply : 'reset');
  }
}

function headOf(text: string): Omit<HttpAnswer, 'body'> | undefined {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0);
  if (status === 0) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status, headers };
}
