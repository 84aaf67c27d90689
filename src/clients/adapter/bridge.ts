/**
 * Sends lines of standard input to the endpoint and writes the responses to standard output. Messages are sent in order
 * of arrival, a bounded number at a time; while too many bytes are queued, no input is read. Each request gets exactly
 * one response under its id, the endpoint's or an error of the adapter; notifications, cancelled requests and responses
 * of the client get none.
 */
import type { IncomingMessage } from 'node:http';
import { ClientCall, ClientCallQueue } from './call-queue.js';
import type { ServerEndpoint } from './endpoint.js';
import { readEvents } from './event-stream.js';
import { VERSION_HEADER } from './era-headers.js';
import { httpFailure, networkFailure, redirectFailure } from './failure.js';
import type { HttpClient } from './http-client.js';
import type { LineOutput } from './line-output.js';
import { LineSplitter, TOO_LONG, type Line } from './line-splitter.js';
import { readClientMessage } from './client-message.js';
import { readNegotiation } from './negotiation.js';
import {
  errorLine,
  isResponse,
  readEndpointMessage,
  withId,
  type EndpointMessage,
} from './endpoint-message.js';

export const MAX_REQUESTS = 32;

/** Queued bytes beyond which no input is read. */
const MAX_QUEUED = 16 << 20;

/** Largest message of the client, and largest response of the endpoint, bytes. */
const MAX_MESSAGE = 64 << 20;
const MAX_RESPONSE = 256 << 20;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;

export class Bridge {
  readonly #endpoint: ServerEndpoint;
  readonly #client: HttpClient;
  readonly #output: LineOutput;
  readonly #log: (text: string) => void;
  readonly #queue = new ClientCallQueue();
  /** Requests without a response yet, by id. */
  readonly #pending = new Map<string, ClientCall>();
  #running = 0;
  /** The protocol version that initialize negotiated. */
  #version: string | undefined;
  /** The initialize request in flight: messages behind it wait for its version. */
  #handshake: ClientCall | undefined;
  #resume: (() => void) | undefined;
  #idle: (() => void) | undefined;
  #lastFailure: string | undefined;

  /** `log` takes a line for standard error. */
  constructor(
    endpoint: ServerEndpoint,
    client: HttpClient,
    makeOutput: (drained: () => void) => LineOutput,
    log: (text: string) => void,
  ) {
    this.#endpoint = endpoint;
    this.#client = client;
    this.#output = makeOutput(() => this.#pump());
    this.#log = log;
  }

  /** run forwards messages until the input ends, and resolves when all responses are written. */
  async run(input: AsyncIterable<Buffer>): Promise<void> {
    const lines = new LineSplitter(MAX_MESSAGE);
    try {
      for await (const bytes of input) {
        for (const line of lines.push(bytes)) this.#take(line);
        if (this.#full) await new Promise<void>((resolve) => (this.#resume = resolve));
      }
    } catch (error) {
      this.#log(`standard input cannot be read: ${(error as Error).message}`);
    }
    const last = lines.end();
    if (last !== undefined) this.#take(last);
    if (this.#running > 0 || !this.#queue.empty)
      await new Promise<void>((resolve) => (this.#idle = resolve));
    await this.#output.flushed();
  }

  get #full(): boolean {
    return this.#queue.bytes >= MAX_QUEUED || this.#output.bytes >= MAX_QUEUED;
  }

  #take(line: Line): void {
    if (line === TOO_LONG) {
      const limit = `${MAX_MESSAGE >> 20} MiB`;
      this.#error(undefined, INVALID_REQUEST, `a message of more than ${limit} is not forwarded`);
      return;
    }
    if (line.every((byte) => BLANKS.has(byte))) return;
    const message = readClientMessage(line);
    if (message === undefined) {
      this.#error(undefined, PARSE_ERROR, 'the line is not JSON in UTF-8');
      return;
    }
    if (message.cancels !== undefined) this.#pending.get(message.cancels)?.cancel();
    const call = new ClientCall(line, message);
    if (message.expectsResponse && message.id !== undefined) this.#pending.set(message.id, call);
    this.#queue.push(call);
    this.#pump();
  }

  #pump(): void {
    while (this.#running < MAX_REQUESTS && this.#handshake === undefined && !this.#output.full) {
      const call = this.#queue.shift();
      if (call === undefined) break;
      if (!call.cancelled) void this.#run(call);
    }
    if (!this.#full) this.#resume?.();
    if (this.#running === 0 && this.#queue.empty) this.#idle?.();
  }

  async #run(call: ClientCall): Promise<void> {
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
    if (id !== undefined && this.#pending.get(id) === call) this.#pending.delete(id);
    this.#running--;
    this.#pump();
  }

  async #exchange(call: ClientCall): Promise<void> {
    const response = await this.#client.post(call.line, this.#headersOf(call), call.stop);
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      response.destroy();
      this.#fail(call, redirectFailure(response, this.#endpoint));
    } else if (call.message.expectsResponse && status !== 202 && isEventStream(response)) {
      await this.#forwardEvents(call, response);
    } else {
      this.#forwardBody(call, response, await bodyOf(response));
    }
  }

  #forwardBody(call: ClientCall, response: IncomingMessage, body: Buffer): void {
    const { expectsResponse } = call.message;
    const { statusCode = 0 } = response;
    if (statusCode === 202 || (!expectsResponse && statusCode < 300)) return;
    const message = expectsResponse ? readEndpointMessage(body) : undefined;
    if (message !== undefined && isResponse(message)) this.#forward(call, message);
    else this.#fail(call, httpFailure(response, body, this.#endpoint));
  }

  async #forwardEvents(call: ClientCall, response: IncomingMessage): Promise<void> {
    let answered = false;
    for await (const data of readEvents(response, MAX_RESPONSE)) {
      const message = readEndpointMessage(data);
      if (message === undefined) continue;
      this.#forward(call, message);
      answered ||= isResponse(message);
    }
    if (!answered) this.#fail(call, httpFailure(response, Buffer.alloc(0), this.#endpoint));
  }

  #forward(call: ClientCall, message: EndpointMessage): void {
    if (call.cancelled) return;
    const { id, method } = call.message;
    if (method === 'initialize') {
      const { version, warning } = readNegotiation(message.value);
      this.#version = version ?? this.#version;
      if (warning !== undefined) this.#log(warning);
    }
    this.#lastFailure = undefined;
    this.#output.write(withId(message, id));
  }

  #headersOf({ message }: ClientCall): Readonly<Record<string, string>> {
    if (message.headers !== undefined) return message.headers;
    if (this.#version === undefined || message.method === 'initialize') return {};
    return { [VERSION_HEADER]: this.#version };
  }

  /** Responds with an error of the adapter. The same failure is logged only once in a row. */
  #fail({ cancelled, message: { expectsResponse, id } }: ClientCall, text: string): void {
    if (cancelled) return;
    if (text !== this.#lastFailure) this.#log(text);
    this.#lastFailure = text;
    if (expectsResponse) this.#error(id, INTERNAL_ERROR, text);
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
    if (length > MAX_RESPONSE) throw new Error(`an answer of more than ${MAX_RESPONSE} bytes`);
  }
  return Buffer.concat(chunks);
}
