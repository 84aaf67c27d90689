/** A server that accepts connections and never answers, until the test ends them. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Test } from 'tap';

/** SilentServer listens on 127.0.0.1. */
export class SilentServer {
  readonly sockets = new Set<Socket>();
  /** Connections ever taken. */
  taken = 0;
  readonly host = '127.0.0.1';
  readonly password = 'none';
  port = 0;

  /** A connection string that leads to it, without `connect_timeout`. */
  get conninfo(): string {
    return `host=${this.host} port=${this.port}`;
  }

  async start(t: Pick<Test, 'teardown'>): Promise<this> {
    const server = createServer((socket) => {
      this.taken++;
      this.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
      socket.resume();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => {
      server.close();
      this.reset();
    });
    this.port = (server.address() as AddressInfo).port;
    return this;
  }

  /** reset ends its connections. */
  reset(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
