/**
 * Whether a port is free. Front ends share their port, and so would a second instance of the service started by
 * mistake, silently: before the first one starts, the port is opened for a moment without sharing, which fails while
 * anybody else listens on it.
 */
import { createServer } from 'node:net';

/** assertFree throws when an address cannot be listened on; the message names it and says why. */
export async function assertFree(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    throw new Error(reason(host, port, error as NodeJS.ErrnoException), { cause: error });
  }
  await new Promise((resolve) => probe.close(resolve));
}

function reason(host: string, port: number, error: NodeJS.ErrnoException): string {
  const address = `${host} port ${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} is already in use on ${host}: by another program or another instance of this service`;
    case 'EACCES':
      return `not permitted to listen on ${address}`;
    case 'EADDRNOTAVAIL':
      return `cannot listen on ${address}: not an address of this machine`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot listen on ${address}: the host name is unknown`;
    default:
      return `cannot listen on ${address}: ${error.message}`;
  }
}
