/** A collector of traces for tests: takes what is exported over OTLP/HTTP, or responds as a test wants. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { readRequest, type ReadSpan } from './otlp.js';
import { until } from './until.js';

/** Responds to a request of the exporter instead of taking it. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export class TestCollector {
  /** All spans that it has taken. */
  readonly spans: ReadSpan[] = [];
  /** The bodies of all requests, and their headers. */
  readonly bodies: Buffer[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  /** Undefined: requests are taken. */
  answer: Answer | undefined;
  readonly #server: Server;

  constructor(t: Pick<Test, 'teardown'>) {
    this.#server = createServer((request, response) => this.#respond(request, response));
    t.teardown(() => this.close());
  }

  /** listen gives the URL of the collector. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** trace waits until it has that many spans of a trace, and gives them. */
  async trace(traceId: string, count: number): Promise<ReadSpan[]> {
    return until(() => {
      const found = this.spans.filter((one) => one.traceId === traceId);
      return found.length >= count && found;
    });
  }

  /** span waits for the first span that meets a condition. */
  async span(condition: (span: ReadSpan) => boolean): Promise<ReadSpan> {
    return until(() => this.spans.find(condition));
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      this.bodies.push(body);
      this.headers.push(request.headers);
      if (this.answer !== undefined) {
        this.answer(response, request);
        return;
      }
      if (request.method !== 'POST' || request.headers['content-type'] !== 'application/x-protobuf')
        throw new Error('not an export');
      this.spans.push(...readRequest(body));
      response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  }
}

/** startCollector starts one, and gives its URL too. */
export async function startCollector(
  t: Pick<Test, 'teardown'>,
): Promise<{ readonly collector: TestCollector; readonly endpoint: string }> {
  const collector = new TestCollector(t);
  return { collector, endpoint: await collector.listen() };
}
