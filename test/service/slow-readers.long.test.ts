/** Answers that callers are slow to read count against the budget of results; small ones are never refused for it. */
import { once } from 'node:events';
import net from 'node:net';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t);
const service = await startService(t, {
  database: postgres.url,
  config: {
    'http.processes': 1,
    'pool.threads': 1,
    'pg.max_result': 20 << 20,
    'pg.result_budget': 40 << 20,
  },
  scripts: {
    'big/value.read.sql': `SELECT repeat('x', 16000000) AS v`,
    'small/one.read.sql': 'SELECT 1 AS n',
  },
});

/** Asks for the large answer and reads its beginning only. */
async function askAndStall(): Promise<net.Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = net.connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  socket.write('GET /_QUERIES/big/value HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  return socket;
}

t.test('slow readers', async (t) => {
  const stalled = await Promise.all([askAndStall(), askAndStall()]);
  t.equal((await service.ask('small/one')).status, 200, 'small answers go on');
  const refused = await service.ask('big/value');
  t.equal(refused.status, 503, 'a third large one is refused');
  t.match(refused.json, { code: 'busy' });
  t.equal(refused.headers.get('retry-after'), '1');
  for (const socket of stalled) socket.destroy();
  let text = '';
  await until(async () => {
    const answer = await service.ask('big/value');
    text = answer.text;
    return answer.status === 200; // there is room once they are gone
  });
  t.ok(text.length > 16_000_000);
});
