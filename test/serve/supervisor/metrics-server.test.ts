/** `/metrics` on an address of its own: requests that are refused, scrapers that misbehave, addresses that cannot be had. */
import { once } from 'node:events';
import net from 'node:net';
import t, { type Test } from 'tap';
import { createLogger } from '#app/observe/log.js';
import type { Exposition } from '#app/observe/metrics/exposition.js';
import { MetricsServer } from '#app/serve/supervisor/metrics-server.js';
import { sendRaw } from '../../support/raw-http.js';

const log = createLogger({ level: 'silent', pretty: false }, {});
const EMPTY: Exposition = { contentType: 'text/plain', body: 'metrics\n' };
const TOKEN = 'a-token-of-24-characters';

/** Starts one on a free port; the URL has its port. */
async function start(
  t: Pick<Test, 'teardown'>,
  scrape: (accept: string) => Exposition | undefined = () => EMPTY,
): Promise<{ readonly server: MetricsServer; readonly url: string; readonly port: number }> {
  let url = '';
  const lines = {
    info: (fields: { readonly url: string }) => (url = fields.url),
  } as unknown as typeof log;
  const server = await MetricsServer.open({ host: '127.0.0.1', port: 0 }, scrape, lines);
  t.teardown(() => server.close());
  return { server, url, port: Number(new URL(url).port) };
}

t.test('an address that cannot be had', async (t) => {
  const { port } = await start(t);
  const cases: [host: string, port: number, reason: RegExp][] = [
    ['127.0.0.1', port, /^metrics\.listen: port \d+ is already in use on 127\.0\.0\.1/],
    ['192.0.2.1', 0, /^metrics\.listen: .* not an address of this machine/],
    ['no.such.host.invalid', 0, /^metrics\.listen: .* the host name is unknown/],
  ];
  for (const [host, taken, message] of cases)
    await t.rejects(
      MetricsServer.open({ host, port: taken }, () => EMPTY, log),
      { message },
    );
});

t.test('requests that are refused', async (t) => {
  const { url, server } = await start(t);
  const status = async (path: string, options: RequestInit = {}): Promise<number> => {
    const response = await fetch(new URL(path, url), options);
    await response.text();
    return response.status;
  };
  for (const path of ['/', '/metricsx', '/metrics/', '/METRICS', '/..%2fmetrics'])
    t.equal(await status(path), 404, path);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    t.equal(await status('/metrics', { method }), 405, method);
  t.equal(await status('/metrics?x=1'), 200);
  t.equal(await status('/metrics', { method: 'HEAD' }), 200);
  server.protect(TOKEN);
  const authorizations = ['', TOKEN, `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, 'Bearer ', 'Bearer a b'];
  for (const authorization of authorizations)
    t.equal(await status('/metrics', { headers: { authorization } }), 401, authorization);
  t.equal(await status('/metrics', { headers: { authorization: `Bearer ${TOKEN}` } }), 200);
  t.equal(await status('/metrics', { headers: { authorization: `bearer ${TOKEN}` } }), 200);
  t.equal(await status('/nope'), 404);
  server.protect(undefined);
  t.equal(await status('/metrics'), 200);
});

t.test('pages whose name leads to this machine', async (t) => {
  const { port, server } = await start(t);
  const status = async (host: string, ...headers: string[]): Promise<number> =>
    (
      await sendRaw(
        port,
        ['GET /metrics HTTP/1.1', `Host: ${host}`, ...headers, '', ''].join('\r\n'),
      )
    ).status;
  for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]:9187', 'LOCALHOST:1'])
    t.equal(await status(host), 200, host);
  for (const host of ['attacker.example', `a.example:${port}`, '127.0.0.1.a.example', '']) {
    t.equal(await status(host), 421, host);
  }
  t.equal(await status('localhost', 'Origin: https://a.example'), 421);
  server.protect(TOKEN);
  t.equal(await status('a.example'), 401);
  t.equal(await status('a.example', `Authorization: Bearer ${TOKEN}`), 200, 'behind a proxy');
});

t.test('requests that are never sent whole', async (t) => {
  const { port, url } = await start(t);
  const opened = Array.from({ length: 60 }, () => {
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
    t.teardown(() => socket.destroy());
    socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-');
    return socket;
  });
  await Promise.all(opened.slice(0, 28).map((socket) => once(socket.resume(), 'close')));
  for (let i = 0; i < 3; i++) t.equal((await fetch(url)).status, 200);
});

t.test('a failure is answered, and the next scrape is not affected', async (t) => {
  let fails = true;
  const { url } = await start(t, (accept) => {
    if (fails) return undefined;
    return { contentType: 'text/plain', body: accept };
  });
  const failed = await fetch(url);
  t.equal(failed.status, 500);
  await failed.text();
  fails = false;
  t.equal(await (await fetch(url, { headers: { accept: 'x/y' } })).text(), 'x/y');
});

t.test('scrapers that read nothing', async (t) => {
  const body = Buffer.alloc(32 << 20);
  const { port, url } = await start(t, () => ({ contentType: 'text/plain', body }));
  const sockets = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const socket = net.connect(port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await new Promise((resolve) => socket.once('readable', resolve));
      return socket;
    }),
  );
  const refused = await fetch(url);
  t.equal(refused.status, 503);
  t.equal(refused.headers.get('retry-after'), '1');
  await refused.text();
  for (const socket of sockets) socket.destroy();
  for (;;) {
    const { status, body: sent } = await fetch(url);
    await sent?.cancel();
    if (status === 200) break;
  }
});

t.test('garbage ends its connection only', async (t) => {
  const { port, url } = await start(t);
  for (const garbage of ['\0\0\0\0\r\n\r\n', `GET /${'x'.repeat(1 << 16)} HTTP/1.1\r\n`]) {
    const socket = net.connect(port, '127.0.0.1').resume();
    socket.on('error', () => undefined);
    socket.write(garbage);
    await new Promise((resolve) => socket.once('close', resolve));
  }
  t.equal((await fetch(url)).status, 200);
});
