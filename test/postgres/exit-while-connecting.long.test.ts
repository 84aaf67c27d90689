/** A process may exit while it connects, also in a TLS handshake: it ends with its own status. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startOwnPostgres } from '../support/postgres.js';

const PROGRAM = fileURLToPath(new URL('../support/exit-while-connecting.js', import.meta.url));

/** A self-signed certificate and its key. */
function certificate(folder: string): Record<string, string> {
  const files = { 'server.crt': join(folder, 'crt'), 'server.key': join(folder, 'key') };
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=x'];
  const output = ['-out', files['server.crt'], '-keyout', files['server.key']];
  execFileSync('openssl', [...request, ...output], { stdio: 'ignore' });
  return Object.fromEntries(Object.entries(files).map(([k, v]) => [k, readFileSync(v, 'utf8')]));
}

/** Runs the program and returns its status or signal. */
async function exit(conninfo: string, after: number): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, conninfo, String(after)], { stdio: 'inherit' });
  const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return String(signal ?? status);
}

t.test('in a TLS handshake', { timeout: 60_000 }, async (t) => {
  const server = await startOwnPostgres(t, {
    settings: { ssl: 'on', max_connections: 100 },
    files: certificate(t.testdir()),
  });
  const conninfo = `host=127.0.0.1 port=${server.port} user=postgres password=${server.password} dbname=postgres sslmode=require`;
  for (let after = 0; after < 24; after++) t.equal(await exit(conninfo, after), '0', `${after} ms`);
});

t.test('without waiting for a database that does not answer', async (t) => {
  const silent = createServer((socket) => socket.on('error', () => undefined).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  t.equal(await exit(`host=127.0.0.1 port=${port} connect_timeout=3600`, 50), '0');
});
