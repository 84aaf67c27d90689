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

/** The end at `local` of the connection with `remote`, both ports. */
function endOf(local: number, remote: number): End | undefined {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
  const row = new RegExp(
    `0100007F:${hex(local)} [0-9A-F]*0100007F:${hex(remote)} (..) (.{8}):(.{8})`,
  ).exec(FILES.map((file) => readFileSync(file, 'utf8')).join(''));
  if (row === null) return undefined;
  const [, state = '', unsent = '', unread = ''] = row;
  return { state, unsent: parseInt(unsent, 16), unread: parseInt(unread, 16) };
}

/** isConnected tells whether a server's end of the connection of a client is established. */
export function isConnected(server: number, client: number): boolean {
  return endOf(server, client)?.state === ESTABLISHED;
}

/** allRead waits until a server has read everything that was written to some sockets, or has closed their connections. */
export async function allRead(server: number, sockets: readonly Socket[]): Promise<void> {
  const isRead = (socket: Socket): boolean => {
    if (socket.destroyed) return true;
    if (socket.connecting || socket.writableLength > 0 || socket.localPort === undefined)
      return false;
    const [ours, theirs] = [endOf(socket.localPort, server), endOf(server, socket.localPort)];
    return (ours?.unsent ?? 0) === 0 && (theirs?.unread ?? 0) === 0;
  };
  await until(() => sockets.every(isRead));
}
