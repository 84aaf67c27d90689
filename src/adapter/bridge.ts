/**
 * From lines of standard input to requests, and from answers to lines of standard output. Messages go to the endpoint in
 * the order they came, a bounded number at one time; when too much waits, no more is read. Each request gets one answer
 * under its id, its own or one made up here; a notification, a cancelled request and an answer of the client get none.
 */
import type { IncomingMessage } from 'node:http';
import { Call, CallQueue } from './call.js';
import type { Endpoint } from './endpoint.js';
import { readEvents } from './event-stream.js';
import { VERSION_HEADER } from './era-headers.js';
import { httpFailure, networkFailure, redirectFailure } from './failure.js';
import type { HttpClient } from './http-client.js';
import type { LineOutput } from './line-output.js';
import { LineSplitter, TOO_LONG, type Line } from './line-splitter.js';
import { readMessage } from './message.js';
import { readNegotiation } from './negotiation.js';
import { errorLine, isResponse, readReply, withId, type Reply } from './reply.js';

/** Requests at one time. */
export const AT_ONCE = 32;

/** Bytes of messages that wait before no more are read. */
const MOST_WAITING = 16 << 20;

/** Bytes of one message from the client, and of one from the endpoint. */
const LONGEST_MESSAGE = 64 << 20;
const LONGEST_ANSWER = 256 << 20;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;

export class Bridge {
  readonly #endpoint: Endpoint;
  readonly #client: HttpClient;
  readonly #output: LineOutput;
  readonly #say: (text: string) => void;
  readonly #waiting = new CallQueue();
  /** What is to be answered and not yet is, by id. */
  readonly #open = new Map<string, Call>();
  #running = 0;
  /** The version that initialize agreed on. */
  #version: string | undefined;
  /** An initialize under way: what follows needs its version. */
  #handshake: Call | undefined;
  #roomy: (() => void) | undefined;
  #idle: (() => void) | undefined;
  #lastFailure: string | undefined;

  /** `say` takes a line for whoever runs the adapter. */
  constructor(
    endpoint: Endpoint,
    client: HttpClient,
    makeOutput: (drained: () => void) => LineOutput,
    say: (text: string) => void,
  ) {
    this.#endpoint = endpoint;
    this.#client = client;
    this.#output = makeOutput(() => this.#pump());
    this.#say = say;
  }

  /** run forwards until the input ends, and resolves when everything is answered and written. */
  async run(input: AsyncIterable<Buffer>): Promise<void> {
    const lines = new LineSplitter(LONGEST_MESSAGE);
    try {
      for await (const bytes of input) {
        for (const line of lines.push(bytes)) this.#take(line);
        if (this.#full) await new Promise<void>((resolve) => (this.#roomy = resolve));
      }
    } catch (error) {
      this.#say(`standard input cannot be read: ${(error as Error).message}`);
    }
    const last = lines.end();
    if (last !== undefined) this.#take(last);
    if (this.#running > 0 || !this.#waiting.empty)
      await new Promise<void>((resolve) => (this.#idle = resolve));
    await this.#output.flushed();
  }

  get #full(): boolean {
    return this.#waiting.bytes >= MOST_WAITING || this.#output.bytes >= MOST_WAITING;
  }

  #take(line: Line): void {
    if (line === TOO_LONG) {
      const limit = `${LONGEST_MESSAGE >> 20} MiB`;
      this.#error(undefined, INVALID_REQUEST, `a message of more than ${limit} is not forwarded`);
      return;
    }
    if (line.every((byte) => BLANKS.has(byte))) return;
    const message = readMessage(line);
    if (message === undefined) {
      this.#error(undefined, PARSE_ERROR, 'the line is not JSON in UTF-8');
      return;
    }
    if (message.cancels !== undefined) this.#open.get(message.cancels)?.cancel();
    const call = new Call(line, message);
    if (message.answered && message.id !== undefined) this.#open.set(message.id, call);
    this.#waiting.push(call);
    this.#pump();
  }

  #pump(): void {
    while (this.#running < AT_ONCE && this.#handshake === undefined && !this.#output.clogged) {
      const call = this.#waiting.shift();
      if (call === undefined) break;
      if (!call.cancelled) void this.#run(call);
    }
    if (!this.#full) this.#roomy?.();
    if (this.#running === 0 && this.#waiting.empty) this.#idle?.();
  }

  async #run(call: Call): Promise<void> {
    const { id, method } = call.message;
    this.#running++;
    if (method === 'initialize') this.#handshake = call;
    try {
      await this.#exchange(call);
    } catch (error) {
      const { signal } = call.stop;
      if (!call.cancelled)
        this.#fail(call, networkFailure(signal.aborted ? signal.reason : error, this.#endpoint));
    }
    if (this.#handshake === call) this.#handshake = undefined;
    if (id !== undefined && this.#open.get(id) === call) this.#open.delete(id);
    this.#running--;
    this.#pump();
  }

  async #exchange(call: Call): Promise<void> {
    const response = await this.#client.post(call.line, this.#headersOf(call), call.stop);
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      response.destroy();
      this.#fail(call, redirectFailure(response, this.#endpoint));
    } else if (call.message.answered && status !== 202 && isEventStream(response)) {
      await this.#passEvents(call, response);
    } else {
      this.#passBody(call, response, await bodyOf(response));
    }
  }

  #passBody(call: Call, response: IncomingMessage, body: Buffer): void {
    const { answered } = call.message;
    const { statusCode = 0 } = response;
    if (statusCode === 202 || (!answered && statusCode < 300)) return;
    const reply = answered ? readReply(body) : undefined;
    if (reply !== undefined && isResponse(reply)) this.#pass(call, reply);
    else this.#fail(call, httpFailure(response, body, this.#endpoint));
  }

  async #passEvents(call: Call, response: IncomingMessage): Promise<void> {
    let answered = false;
    for await (const data of readEvents(response, LONGEST_ANSWER)) {
      const reply = readReply(data);
      if (reply === undefined) continue;
      this.#pass(call, reply);
      answered ||= isResponse(reply);
    }
    if (!answered) this.#fail(call, httpFailure(response, Buffer.alloc(0), this.#endpoint));
  }

  #pass(call: Call, reply: Reply): void {
    if (call.cancelled) return;
    const { id, method } = call.message;
    if (method === 'initialize') {
      const { version, warning } = readNegotiation(reply.value);
      this.#version = version ?? this.#version;
      if (warning !== undefined) this.#say(warning);
    }
    this.#lastFailure = undefined;
    this.#output.write(withId(reply, id));
  }

  #headersOf({ message }: Call): Readonly<Record<string, string>> {
    if (message.headers !== undefined) return message.headers;
    if (this.#version === undefined || message.method === 'initialize') return {};
    return { [VERSION_HEADER]: this.#version };
  }

  /** Answers a request itself; once is enough for whoever reads the log. */
  #fail({ cancelled, message: { answered, id } }: Call, text: string): void {
    if (cancelled) return;
    if (text !== this.#lastFailure) this.#say(text);
    this.#lastFailure = text;
    if (answered) this.#error(id, INTERNAL_ERROR, text);
  }

  #error(id: string | undefined, code: number, message: string): void {
    this.#output.write(errorLine(id, { code, message }));
  }
}

/** Space, tab and CR. */
const BLANKS = new Set([0x20, 0x09, 0x0d]);

function isEventStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\s*(;|$)/i.test(headers['content-type'] ?? '');
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new Error(`an answer of more than ${LONGEST_ANSWER} bytes`);
  }
  return Buffer.concat(chunks);
}
