/**
 * Databases that never answer: one that takes connections and says nothing, one whose packets are dropped, and a proxy that
 * swallows what passes through it; and backends that are stopped.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import type { OwnPostgres, Postgres } from './postgres.js';
import { spawnGroup } from './spawn-group.js';

/** MuteServer takes connections, reads what comes and never answers. */
export interface MuteServer {
  readonly port: number;
  /** Connections open now. */
  readonly open: number;
  /** Connections ever taken. */
  readonly taken: number;
}

/** startMute starts a mute server on 127.0.0.1. */
export async function startMute(t: Pick<Test, 'teardown'>): Promise<MuteServer> {
  const sockets = new Set<Socket>();
  let taken = 0;
  const server = createServer((socket) => {
    taken++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return sockets.size;
    },
    get taken() {
      return taken;
    },
  };
}

const LISTENER = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));
`;

/** startDeaf gives a port of 127.0.0.1 where packets are dropped: nobody takes what comes, and there is no room left. */
export async function startDeaf(t: Pick<Test, 'teardown'>): Promise<{ readonly port: number }> {
  const child = spawnGroup(t, [process.execPath, '-e', LISTENER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const sockets: Socket[] = [];
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  const port = Number(line.toString());
  child.kill('SIGSTOP');
  // The kernel takes one more than the backlog by itself, and drops what comes after that.
  for (let filled = true; filled;) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    filled = await Promise.race([
      once(socket, 'connect').then(() => true),
      sleep(500).then(() => false),
    ]);
  }
  return { port };
}

/** What a proxy passes on: everything, what clients send, or nothing. It always acknowledges what it gets. */
export type Passing = 'everything' | 'requests' | 'nothing';

/** Proxy stands before a server. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** URL of the database behind it. */
  readonly url: string;
  /** Connections ever taken. */
  readonly taken: number;
  /** swallow sets what is passed on of the connections that are open now. */
  swallow(passing: Passing): void;
  /** slow has answers come at that many bytes a second. */
  slow(rate: number): void;
  /** deafen has it keep the connections that come from now on, and never answer them; false ends that. */
  deafen(deaf: boolean): void;
  /** cut ends the connections that are swallowed, and those never answered; `last` is what it says first. */
  cut(last?: Buffer): void;
}

/** startProxy starts a proxy before a server, on 127.0.0.1. */
export async function startProxy(
  t: Pick<Test, 'teardown'>,
  target: Pick<Postgres, 'host' | 'port' | 'password'>,
): Promise<Proxy> {
  const links = new Map<Socket, { passing: Passing; upstream: Socket | undefined }>();
  let taken = 0;
  let deafened = false;
  let slow: Trickle | undefined;
  const server = createServer({ noDelay: true }, (client) => {
    taken++;
    const upstream = deafened ? undefined : connect(target.port, target.host).setNoDelay();
    const link = { passing: upstream ? ('everything' as Passing) : ('nothing' as const), upstream };
    links.set(client, link);
    client
      .on('data', (data) => link.passing === 'nothing' || upstream?.write(data))
      .on('error', () => undefined)
      .on('close', () => {
        links.delete(client);
        upstream?.end();
      });
    upstream
      ?.on('data', (data) => {
        if (link.passing !== 'everything') return;
        if (slow === undefined) client.write(data);
        else void slow.pass(data, upstream, client);
      })
      .on('error', () => undefined)
      .on('close', () => link.passing !== 'everything' || client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.teardown(() => {
    server.close();
    for (const [client, { upstream }] of links) {
      client.destroy();
      upstream?.destroy();
    }
  });
  const { password } = target;
  return {
    host: '127.0.0.1',
    port,
    password,
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    get taken() {
      return taken;
    },
    swallow: (passing) => {
      for (const link of links.values()) link.passing = passing;
    },
    slow: (rate) => (slow = new Trickle(rate)),
    deafen: (deaf) => (deafened = deaf),
    cut: (last) => {
      for (const [client, { passing }] of links)
        if (passing !== 'everything') client.end(last ?? '');
    },
  };
}

/** Passes data on at a number of bytes a second. */
class Trickle {
  readonly #rate: number;
  readonly #began = performance.now();
  #sent = 0;

  constructor(rate: number) {
    this.#rate = rate;
  }

  async pass(data: Buffer, from: Socket, to: Socket): Promise<void> {
    from.pause();
    for (let at = 0; at < data.length && !to.destroyed;) {
      const due = ((performance.now() - this.#began) / 1000) * this.#rate - this.#sent;
      const piece = data.subarray(at, at + Math.max(0, Math.floor(due)));
      if (piece.length === 0) await sleep(20);
      else to.write(piece);
      at += piece.length;
      this.#sent += piece.length;
    }
    from.resume();
  }
}

/** freeze stops the backends of an application until the test ends: they acknowledge and never answer. */
export async function freeze(
  t: Pick<Test, 'teardown'>,
  postgres: OwnPostgres,
  application: string,
): Promise<number> {
  const backends = await postgres.sql<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND backend_type = 'client backend'",
    [application],
  );
  for (const { pid } of backends) {
    process.kill(pid, 'SIGSTOP');
    t.teardown(() => process.kill(pid, 'SIGCONT'));
  }
  return backends.length;
}
