/** A query worker that dies while large responses are made and sent: each is complete or a 502; their memory is freed. */
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { databaseSettings, httpProcessSettings } from '../../support/http-process.js';
import { startPostgres } from '../../support/postgres.js';
import { requestBytes } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { startServer } from './worker-server.js';

const SIZE = 4_000_000;
const folder = t.testdir({ t: { 'big.read.sql': `SELECT repeat('x', ${SIZE}) AS x` } });
const postgres = await startPostgres(t);
const port = await startServer(
  t,
  httpProcessSettings({
    grace: 200,
    worker: { databases: [databaseSettings('main', postgres)], scripts: folder },
  }),
  'mortal-worker.js',
);
const big = `http://127.0.0.1:${port}/_QUERIES/t/big`;

/** Status and length of a response. */
async function ask(): Promise<string> {
  const response = await fetch(big);
  const { length } = await response.text();
  return response.status === 200 ? `200 ${length}` : String(response.status);
}

const WHOLE = `200 ${SIZE + 10}`;

t.test('responses are complete or lost', async (t) => {
  t.equal(await ask(), WHOLE);
  const sizes: number[] = [];
  let [whole, lost] = [0, 0];
  for (let round = 0; round < 6; round++) {
    const asked = Array.from({ length: 12 }, () => ask());
    await Promise.race(asked);
    writeFileSync(path.join(folder, 'die'), '');
    for (const outcome of await Promise.all(asked)) {
      if (outcome === WHOLE) whole++;
      else if (outcome === '502') lost++;
      else t.fail(outcome);
    }
    t.equal(await served(), WHOLE, 'served again');
    sizes.push(process.memoryUsage.rss());
  }
  t.ok(whole > 0 && lost > 0, `${whole} were whole, ${lost} lost`);
  const growth = (sizes.at(-1)! - sizes[3]!) / (1 << 20);
  t.ok(growth < 100, `resident memory grew by ${Math.round(growth)} MiB`);
});

t.test('a response is sent to its end without the thread that it came from', async (t) => {
  t.equal(await served(), WHOLE);
  const socket = net.connect(port, '127.0.0.1');
  socket.write(requestBytes('GET', '/_QUERIES/t/big', ['Connection: close']));
  await new Promise((resolve) => socket.once('readable', resolve));
  writeFileSync(path.join(folder, 'die'), '');
  await sleep(200);
  t.equal(await served(), WHOLE, 'the thread was replaced');
  let text = '';
  for await (const chunk of socket.setEncoding('latin1') as AsyncIterable<string>) text += chunk;
  t.equal(text.length - text.indexOf('\r\n\r\n') - 4, SIZE + 10);
  t.match(text.slice(-5), 'xx"}]');
  t.ok(/^HTTP\/1\.1 200 [^]*?\r\n\r\n\[\{"x":"x+"\}\]$/.test(text), 'not a byte is changed');
});

/** The first response that is not lost. */
function served(): Promise<string> {
  return until(async () => {
    const outcome = await ask();
    return outcome !== '502' && outcome;
  }, 50);
}
