/** A proxy before a PostgreSQL that has clients take it for version 12.9. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Test } from 'tap';
import type { Postgres } from './postgres.js';

/** startOlder gives the URL of the proxy. */
export async function startOlder(t: Pick<Test, 'teardown'>, postgres: Postgres): Promise<string> {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(postgres.port, postgres.host);
    for (const socket of [client, server])
      sockets.add(socket.on('error', () => undefined).on('close', () => client.destroy()));
    client.pipe(server);
    server.on('data', (bytes: Buffer) => client.write(older(bytes)));
    client.on('close', () => server.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(postgres.url);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return url.href;
}

/** The version is four characters long in both, so that no length changes: `18.4`. */
function older(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  return Buffer.from(text.replace(/(?<=server_version\0)\d\d\.\d(?=[\0 ])/, '12.9'), 'latin1');
}
