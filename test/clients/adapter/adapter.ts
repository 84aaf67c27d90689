/**
 * Runs the adapter as MCP clients do, as a process with lines on its standard input and output, and starts endpoints
 * whose responses the test chooses.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

// From dist-test/test/clients/adapter to the project.
const MAIN = fileURLToPath(new URL('../../../../dist/clients/adapter/main.js', import.meta.url));

type Teardown = Pick<Test, 'teardown'>;

/** ReceivedRequest is a request that an endpoint received, with its whole body. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Endpoint is a server and the requests that it received. */
export interface Endpoint {
  /** Emits `received` when a request is complete. */
  readonly server: http.Server;
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedRequest[];
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** close ends the server and its connections. */
  close(): Promise<void>;
}

/** startEndpoint starts a server on 127.0.0.1, on a free port unless one is given. */
export async function startEndpoint(
  t: Teardown,
  answer: (received: ReceivedRequest, response: ServerResponse) => void,
  port = 0,
): Promise<Endpoint> {
  const received: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      received.push({ path, headers, body: Buffer.concat(chunks).toString() });
      answer(received.at(-1)!, response);
      server.emit('received');
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  t.teardown(close);
  const used = (server.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${used}`, port: used, server, received, sockets, close };
}

/** reply responds with a result of `{n}` under the request's id; to a message without id with 202. */
export function reply({ body }: ReceivedRequest, response: ServerResponse): void {
  const { id } = JSON.parse(body) as { id?: unknown };
  if (id === undefined) response.writeHead(202).end();
  else json(response, 200, { jsonrpc: '2.0', id, result: { n: id } });
}

/** json responds with a status and a body. */
export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** request is a JSON-RPC request as a line. */
export function request(id: unknown, method = 'ping', params?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** Adapter is a running adapter. */
export class Adapter {
  readonly child: ChildProcess;
  readonly #closed: Promise<number | null>;
  #stdout = '';
  #stderr = '';
  #changed: () => void = () => undefined;

  constructor(
    t: Teardown,
    env: Readonly<Record<string, string>>,
    { args = [], read = true }: { readonly args?: readonly string[]; readonly read?: boolean } = {},
  ) {
    this.child = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin!.on('error', () => undefined);
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
      this.#changed();
    });
    if (read) this.read();
    this.#closed = once(this.child, 'close').then(([code]) => code as number | null);
    t.teardown(() => this.child.kill('SIGKILL'));
  }

  read(): void {
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#changed();
    });
  }

  send(...lines: readonly string[]): this {
    this.child.stdin!.write(lines.map((line) => `${line}\n`).join(''));
    return this;
  }

  /** The complete lines of standard output. */
  get lines(): string[] {
    return this.#stdout.split('\n').slice(0, -1);
  }

  /** The lines, parsed. */
  get messages(): Message[] {
    return this.lines.map((line) => JSON.parse(line) as Message);
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** until resolves once a condition holds; it is checked whenever the adapter has written something. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.#changed = resolve));
  }

  /** answered resolves with the messages once there are that many. */
  async answered(count: number): Promise<Message[]> {
    await this.until(() => this.lines.length >= count);
    return this.messages;
  }

  /** end ends the input and resolves with the exit code. */
  end(): Promise<number | null> {
    this.child.stdin!.end();
    return this.#closed;
  }

  /** closed resolves with the exit code. */
  closed(): Promise<number | null> {
    return this.#closed;
  }
}

/** A message that the adapter wrote. */
export interface Message {
  readonly id?: string | number | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** converse sends lines to an endpoint, ends the input and resolves with all messages of the adapter. */
export async function converse(
  t: Teardown,
  url: string,
  lines: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Adapter & { readonly code: number | null }> {
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url, ...env }).send(...lines);
  return Object.assign(adapter, { code: await adapter.end() });
}
