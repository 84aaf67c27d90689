/** The connections to a server on 127.0.0.1 as the kernel sees them: whether the server has read what its clients sent. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { until } from './until.js';

const FILES = ['/proc/net/tcp', '/proc/net/tcp6']; // a server may listen on an address of IPv6 for both
const ESTABLISHED = '01';

interface End {
  readonly state: string;
  /** Bytes that the other end has not acknowledged, and bytes that this end has not read. */
  readonly unsent: number;
  readonly unread: number;
}

/** The ends of all connections on 127.0.0.1 by their two ports, `LOCAL:REMOTE`: reading them takes milliseconds. */
function allEnds(): ReadonlyMap<string, End> {
  const ends = new Map<string, End>();
  const row = /0100007F:(.{4}) [0-9A-F]*0100007F:(.{4}) (..) (.{8}):(.{8})/g;
  for (const file of FILES) {
    for (const match of readFileSync(file, 'utf8').matchAll(row)) {
      const [local, remote, , unsent, unread] = match.slice(1).map((hex) => parseInt(hex, 16));
      ends.set(`${local}:${remote}`, { state: match[3]!, unsent: unsent!, unread: unread! });
    }
  }
  return ends;
}

/** isConnected tells whether a server's end of the connection of a client is established: not once the client closed it. */
export function isConnected(server: number, client: number): boolean {
  return connectedOf(server, [client]).length === 1;
}

/** connectedOf gives those of some clients whose connections isConnected tells of. */
export function connectedOf(server: number, clients: readonly number[]): number[] {
  const ends = allEnds();
  return clients.filter((client) => ends.get(`${server}:${client}`)?.state === ESTABLISHED);
}

/** allRead waits until a server has read everything that was written to some sockets, or has closed their connections. */
export async function allRead(server: number, sockets: readonly Socket[]): Promise<void> {
  const isRead = (socket: Socket, ends: ReadonlyMap<string, End>): boolean => {
    const { localPort } = socket;
    const ours = ends.get(`${localPort}:${server}`);
    const theirs = ends.get(`${server}:${localPort}`);
    return (ours?.unsent ?? 0) === 0 && (theirs?.unread ?? 0) === 0;
  };
  const isWritten = ({ connecting, writableLength, localPort }: Socket): boolean =>
    !connecting && writableLength === 0 && localPort !== undefined;
  await until(() => {
    const open = sockets.filter(({ destroyed }) => !destroyed);
    if (!open.every(isWritten)) return false;
    const ends = allEnds();
    return open.every((socket) => isRead(socket, ends));
  });
}
