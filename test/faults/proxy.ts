/**
 * A TCP proxy whose connections can be disturbed: each direction of each connection has a flow (flows.ts), and new
 * connections pass, are reset, or are accepted and left without an answer. Bytes are never reordered or changed.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pass, type CloseForm, type Flow, type Wire } from './flows.js';

/** What becomes of new connections. */
export type Arrivals = 'pass' | 'reset' | 'hang';

/** Bytes that may wait in one direction before its source is not read any more. */
const PENDING_LIMIT = 4 << 20;

export class Proxy {
  readonly links = new Set<Link>();
  /** Flows of new connections: from client to server, and from server to client. */
  requests: Flow = pass;
  answers: Flow = pass;
  arrivals: Arrivals = 'pass';
  readonly #server: Server;
  readonly #waiting = new Set<Socket>();

  private constructor(target: { readonly host: string; readonly port: number }) {
    // Without allowHalfOpen Node would answer the FIN of one side before the other side has sent its own.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      client.on('error', () => undefined);
      if (this.arrivals === 'reset') client.resetAndDestroy();
      else if (this.arrivals === 'hang') {
        this.#waiting.add(client.pause());
        client.on('close', () => this.#waiting.delete(client));
      } else {
        const server = connect({ ...target, allowHalfOpen: true, noDelay: true });
        const link = new Link(client, server, this.requests, this.answers);
        this.links.add(link);
        void link.closed.then(() => this.links.delete(link));
      }
    });
  }

  static async start(target: { readonly host: string; readonly port: number }): Promise<Proxy> {
    const proxy = new Proxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** set changes the flows of open and of new connections. */
  set(requests: Flow, answers: Flow): void {
    Object.assign(this, { requests, answers });
    this.setOpen(requests, answers);
  }

  /** setOpen changes the flows of connections that are open now; new ones keep theirs. */
  setOpen(requests: Flow, answers: Flow): void {
    for (const { up, down } of this.links) {
      up.flow = requests;
      down.flow = answers;
    }
  }

  /** cutAll closes all open connections. */
  cutAll(how: CloseForm): void {
    for (const link of this.links) link.close(how);
  }

  /** clear lets everything pass again, and resets connections that have lost bytes or that wait without an answer. */
  clear(): void {
    this.arrivals = 'pass';
    this.set(pass, pass);
    for (const socket of this.#waiting) socket.resetAndDestroy();
    for (const link of this.links) {
      link.hold(false);
      if (link.up.lost || link.down.lost) link.close('RST');
    }
  }

  close(): void {
    this.#server.close();
    this.arrivals = 'reset';
    this.cutAll('RST');
    for (const socket of this.#waiting) socket.resetAndDestroy();
  }
}

/** Link is one connection through the proxy. */
export class Link {
  readonly up: Direction;
  readonly down: Direction;
  readonly closed: Promise<unknown>;
  readonly #sockets: readonly [client: Socket, server: Socket];

  constructor(client: Socket, server: Socket, requests: Flow, answers: Flow) {
    this.#sockets = [client, server];
    const close = (how: CloseForm): void => this.close(how);
    this.up = new Direction(client, server, requests, close);
    this.down = new Direction(server, client, answers, close);
    this.closed = Promise.all(
      this.#sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    );
  }

  /** close ends both sides: at once with RST, or with FIN behind what was sent. */
  close(how: CloseForm): void {
    this.up.lose();
    this.down.lose();
    for (const socket of this.#sockets)
      if (how === 'RST') socket.resetAndDestroy();
      else socket.end();
  }

  /** halfClose sends a FIN to one side only; what that side sends still passes. */
  halfClose(side: 'client' | 'server'): void {
    const [client, server] = this.#sockets;
    (side === 'client' ? this.down : this.up).lose();
    (side === 'client' ? client : server).end();
  }

  /** hold stops reading on both sides, so that their buffers fill; false goes on. */
  hold(held: boolean): void {
    this.up.hold(held);
    this.down.hold(held);
  }
}

class Direction implements Wire {
  flow: Flow;
  lost = false;
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #close: (how: CloseForm) => void;
  /** What waits for its time; undefined is the end of the stream. */
  readonly #queue: { readonly chunk: Buffer | undefined; readonly due: number }[] = [];
  #queued = 0;
  #timer: NodeJS.Timeout | undefined;
  #held = false;

  constructor(from: Socket, to: Socket, flow: Flow, close: (how: CloseForm) => void) {
    this.#from = from;
    this.#to = to;
    this.flow = flow;
    this.#close = close;
    from.on('data', (chunk: Buffer) => {
      if (!this.lost) this.flow(this, chunk);
    });
    from.on('end', () => this.#enqueue(undefined, 0));
    from.on('error', () => undefined);
    from.on('close', (failed: boolean) => {
      // What still waits for its time is passed on, unless the source has taken it back with a reset.
      if (failed && !this.lost) to.resetAndDestroy();
    });
    to.on('drain', () => this.#readable());
  }

  send(chunk: Buffer, wait = 0): void {
    this.#enqueue(chunk, performance.now() + wait);
  }

  pace(chunk: Buffer, wait: number): void {
    this.#enqueue(chunk, Math.max(performance.now(), this.#queue.at(-1)?.due ?? 0) + wait);
  }

  lose(): void {
    this.lost = true;
    this.#queue.length = this.#queued = 0;
    this.#readable();
  }

  close(how: CloseForm): void {
    this.#close(how);
  }

  hold(held: boolean): void {
    this.#held = held;
    this.#readable();
  }

  #enqueue(chunk: Buffer | undefined, at: number): void {
    if (this.lost) return;
    const due = Math.max(at, this.#queue.at(-1)?.due ?? 0);
    if (this.#queue.length === 0 && due <= performance.now()) this.#write(chunk);
    else {
      this.#queue.push({ chunk, due });
      this.#queued += chunk?.length ?? 0;
      this.#timer ??= setTimeout(() => this.#deliver(), due - performance.now());
    }
    this.#readable();
  }

  #deliver(): void {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#queue.length > 0 && this.#queue[0]!.due <= now) {
      const { chunk } = this.#queue.shift()!;
      this.#queued -= chunk?.length ?? 0;
      this.#write(chunk);
    }
    const next = this.#queue[0];
    if (next) this.#timer = setTimeout(() => this.#deliver(), next.due - now);
    this.#readable();
  }

  #write(chunk: Buffer | undefined): void {
    if (this.#to.destroyed || this.#to.writableEnded) return;
    if (chunk) this.#to.write(chunk);
    else this.#to.end();
  }

  #readable(): void {
    const full = !this.lost && this.#queued + this.#to.writableLength > PENDING_LIMIT;
    if (this.#held || full) this.#from.pause();
    else this.#from.resume();
  }
}
