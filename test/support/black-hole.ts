/** Databases that never answer: one that takes connections and says nothing, one whose packets are dropped. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';

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
  const child = spawn(process.execPath, ['-e', LISTENER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const sockets: Socket[] = [];
  t.teardown(() => {
    child.kill('SIGKILL');
    for (const socket of sockets) socket.destroy();
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
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
