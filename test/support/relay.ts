/**
 * A TCP relay in front of servers that take each other's place: each new connection goes to the server that is the target
 * then, and stays with it. It can hold back answers from the moment that a client sends a certain text.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** One connection: the sides to the client and to the server. */
interface Wire {
  readonly client: Socket;
  readonly server: Socket;
}

interface Watch {
  readonly text: string;
  readonly seen: (wire: Wire) => void;
}

export class Relay {
  /** Where new connections go; undefined: they are reset. */
  target: Target | undefined;
  /** How long answers take, ms. */
  delay = 0;
  readonly #server: Server;
  readonly #links = new Set<readonly Socket[]>();
  readonly #watches = new Set<Watch>();

  private constructor(target: Target) {
    this.target = target;
    this.#server = createServer({ noDelay: true }, (client) => this.#accept(client));
  }

  static async start(t: Pick<Test, 'teardown'>, target: Target): Promise<Relay> {
    const relay = new Relay(target);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    t.teardown(() => {
      relay.#server.close();
      relay.target = undefined;
      relay.cut();
    });
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** cut closes all connections, behind what was sent. */
  cut(): void {
    for (const link of this.#links) for (const socket of link) socket.destroy();
  }

  /** sent resolves when a client next sends a text. */
  sent(text: string): Promise<Wire> {
    return new Promise((resolve) => this.#watches.add({ text, seen: resolve }));
  }

  /** answered resolves when the next answer to a text is on its way to the client. */
  async answered(text: string): Promise<void> {
    const { server } = await this.sent(text);
    await once(server, 'data');
  }

  /** holds resolves when a client next sends a text, to a function that lets the answers of its connection pass. */
  holds(text: string): Promise<() => void> {
    return new Promise((resolve) =>
      this.#watches.add({
        text,
        seen: ({ server }) => {
          server.pause();
          resolve(() => server.resume());
        },
      }),
    );
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.target === undefined) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ ...this.target, noDelay: true });
    const link = [client, server];
    this.#links.add(link);
    server.on('error', () => client.resetAndDestroy());
    for (const socket of link)
      socket.on('close', () => {
        this.#links.delete(link);
        for (const other of link) other.destroy();
      });
    client.on('data', (data) => {
      for (const watch of this.#watches)
        if (data.includes(watch.text)) {
          this.#watches.delete(watch);
          watch.seen({ client, server });
        }
      server.write(data);
    });
    server.on('data', (data) => {
      if (this.delay === 0) client.write(data);
      else setTimeout(() => client.write(data), this.delay);
    });
  }
}
