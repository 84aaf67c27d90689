/** A database that accepts connections and never answers: callers get an error in time, and no attempt is left over. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startMute } from '../support/black-hole.js';
import { describe, TestDatabase } from '../support/database.js';

const mute = await startMute(t);
const server = { host: '127.0.0.1', port: mute.port, password: 'none' };
const conninfo = (timeout: number): string =>
  `host=127.0.0.1 port=${mute.port} user=u dbname=d connect_timeout=${timeout}`;

t.test('once attempts have failed, callers wait a moment for the next one', async (t) => {
  const db = new TestDatabase(t, server, { conninfo: conninfo(2) });
  // Attempts end after 2 s; after the first failure there is another at once.
  t.equal(describe(await db.read('SELECT 1')), '08001');
  const order: string[] = [];
  await sleep(200);
  const first = db.read('SELECT 1').then(() => order.push('the first caller'));
  await sleep(1_200);
  const second = db.read('SELECT 1').then((outcome) => order.push(describe(outcome)));
  await Promise.all([first, second]);
  t.same(order, ['08001', 'the first caller']);
});

t.test('a probe times out, and later ones do not pile up', async (t) => {
  const before = mute.taken;
  const db = new TestDatabase(t, server, { conninfo: conninfo(30) });
  const probes = Array.from({ length: 5 }, () => db.database.probe());
  t.same(await Promise.all(probes), Array(5).fill('no answer in 3 s'));
  t.equal(mute.taken - before, 1, 'there is one attempt to connect for all of them');
});
