/**
 * Checks that a port is free. HTTP processes share their port, and would silently share it with another instance of the
 * service. So before they start the port is opened exclusively for a moment, which fails while any process listens on it.
 */
import { createServer } from 'node:net';

/** assertFree throws when no process can listen on an address; the message has the address and the reason. */
export async function assertFree(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    const hint = failure.code === 'EADDRINUSE' ? IN_USE : '';
    throw new Error(listenFailure(host, port, failure) + hint, { cause: error });
  }
  await new Promise((resolve) => probe.close(resolve));
}

const IN_USE = '; end that one, or set another port with PORT or --http.port';

/** listenFailure says why no process can listen on an address. */
export function listenFailure(host: string, port: number, error: NodeJS.ErrnoException): string {
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
