/** More requests at a time than configured: 503 at once, and served again as soon as there is room. */
import t from 'tap';
import { Gate, GATES } from '../../support/gate.js';
import { requestBytes, sendRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { serveDatabase } from './served-database.js';

const { port, postgres, url } = await serveDatabase(
  t,
  { 'slow.read.sql': `SELECT wait_at('slow')`, 'one.read.sql': 'SELECT 1 AS one' },
  { queue: 3 },
);
await postgres.sql(GATES);

t.test('a full queue', async (t) => {
  const base = `http://127.0.0.1:${port}`;
  const gate = new Gate(postgres, 'slow');
  await until(async () => (await fetch(`${base}/_health`)).status === 200);
  const slow = Array.from({ length: 3 }, () => fetch(url('slow')));
  await gate.reached(3);
  for (const name of ['one', 'slow']) {
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
  await gate.open();
  for (const response of await Promise.all(slow)) t.equal(response.status, 200);
  t.equal((await fetch(url('one'))).status, 200);
});
