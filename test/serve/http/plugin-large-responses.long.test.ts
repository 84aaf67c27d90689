/** Large responses of plugins to clients that read slowly or disconnect: other clients are served, in bounded memory. */
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ISOLATIONS } from '../../support/plugin-folder.js';
import { requestBytes } from '../../support/raw-http.js';
import { allRead } from '../../support/tcp-state.js';
import { until } from '../../support/until.js';
import { errorOf, probeFolder, servePlugins } from './served-plugins.js';

const MIB = 1 << 20;
const LARGE = 8 * MIB;
const folder = probeFolder(t);
const path = `/_PLUGIN/probe/Large?size=${LARGE}`;

/** Requests a large response and reads only its beginning. */
async function askAndStall(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(requestBytes('GET', path));
  await once(socket, 'data');
  socket.pause();
  return socket;
}

for (const isolation of ISOLATIONS)
  t.test(isolation, async (t) => {
    const plugins = { isolation, maxResponse: LARGE };
    const { port, send } = await servePlugins(t, folder, { plugins });
    const url = `http://127.0.0.1:${port}${path}`;
    const whole = async (): Promise<string> => {
      const answer = await fetch(url);
      const text = await answer.text();
      const good = text.length === LARGE && /^x*$/.test(text);
      return `${answer.status} ${answer.headers.get('content-type')} ${good}`;
    };
    const GOOD = '200 text/plain true';
    t.strictSame([await whole(), await whole()], [GOOD, GOOD]);
    const head = await send(`GET probe/Large?size=${LARGE + 1}`);
    t.match(errorOf(head), /^502 plugin_response_too_large/);

    const slow = await askAndStall(port);
    t.equal(await whole(), GOOD, 'others are not held up');
    let got = 0;
    slow.on('data', (data) => (got += data.length)).resume();
    await until(() => got >= LARGE - MIB); // one that reads on gets the rest
    slow.destroy();

    const stalled = await Promise.all(Array.from({ length: 12 }, () => askAndStall(port)));
    t.match(errorOf(await send(`GET probe/Large?size=${LARGE}`)), /^503 busy/, 'there is an end');
    t.equal((await send('GET probe/Hello')).status, 200, 'small responses are sent');
    for (const socket of stalled) socket.resetAndDestroy();
    await until(async () => (await whole().catch(String)) === GOOD); // there is room once they are gone
  });

t.test('clients that go away', async (t) => {
  const { port, send, process: httpProcess } = await servePlugins(t, folder);
  // Of clients that do not say so it would be noticed some seconds later (docs/http.md).
  const target = '/_PLUGIN/probe/Sleep?ms=1000';
  const sleeping = requestBytes('GET', target, ['Connection: keep-alive']);
  const sockets = Array.from({ length: 200 }, () => {
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(sleeping);
    return socket;
  });
  await allRead(port, sockets);
  for (const socket of sockets) socket.resetAndDestroy();
  // Two threads would need 100 s for all of them, more than plugins.timeout.
  t.equal((await send('GET probe/Hello')).status, 200, 'calls without a client are not run');
  const bytes = requestBytes('POST', '/_PLUGIN/probe/Echo', ['Content-Length: 4'], 'abcd');
  await Promise.all(
    Array.from({ length: bytes.length }, async (_, length) => {
      const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write(bytes.slice(0, length + 1));
      await sleep(20 + (length % 7));
      socket.resetAndDestroy();
    }),
  );
  t.equal((await send('GET probe/Hello')).status, 200);
  t.doesNotThrow(() => process.kill(httpProcess.pid ?? 0, 0), 'the HTTP process is alive');
});
