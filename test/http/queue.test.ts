/** More requests at a time than configured: 503 at once, and served again as soon as there is room. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { requestBytes, sendRaw } from '../support/raw-http.js';
import { serveDatabase } from './served-database.js';

const { port, url } = await serveDatabase(
  t,
  { 'sleep.read.sql': 'SELECT pg_sleep(1)', 'one.read.sql': 'SELECT 1 AS one' },
  { queue: 3 },
);

t.test('a full queue', async (t) => {
  const base = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 100 && (await fetch(`${base}/_health`)).status !== 200; i++) await sleep(50);
  const slow = Array.from({ length: 3 }, () => fetch(url('sleep')));
  await sleep(300);
  for (const name of ['one', 'sleep']) {
    const refused = await fetch(url(name));
    t.equal(refused.status, 503);
    t.equal(refused.headers.get('retry-after'), '1');
    t.same(await refused.json(), { error: 'service is busy', code: 'busy' });
  }
  t.equal((await fetch(`${base}/_health`)).status, 200, 'the database is not down');
  t.equal((await fetch(`${base}/_ready`)).status, 200);
  const withBody = await sendRaw(port, requestBytes('POST', '/nope', ['Content-Length: 9'], 'abc'));
  t.equal(withBody.status, 503);
  t.equal(withBody.headers.get('connection'), 'close', 'its body is not waited for');
  for (const response of await Promise.all(slow)) t.equal(response.status, 200);
  t.equal((await fetch(url('one'))).status, 200);
});
