/** A database that accepts connections and never answers: callers get an error in time, and no attempt is left over. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { describe, TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';
import { SilentServer } from './silent-server.js';

// They mostly wait.
t.jobs = 2;

// prettier-ignore
t.test('once attempts have failed, callers wait a moment for the next one', { buffered: true }, async (t) => {
  const silent = await new SilentServer().start(t);
  const db = new TestDatabase(t, silent);
  const order: string[] = [];
  const ask = (caller: string): Promise<number> =>
    db.read('SELECT 1').then((outcome) => order.push(`${caller} ${describe(outcome)}`));
  // After the first failure there is another attempt at once.
  const before = ask('one');
  await until(() => {
    silent.reset();
    return order.length > 0;
  });
  await before;
  await sleep(200); // longer than the back-off
  const first = ask('two');
  await until(() => silent.sockets.size > 0);
  await sleep(1_200); // longer than callers wait for an attempt
  await ask('three');
  silent.reset();
  await first;
  t.same(order, ['one 08001', 'three 08001', 'two 08001']);
});

t.test('a probe times out, and later ones do not pile up', { buffered: true }, async (t) => {
  const silent = await new SilentServer().start(t);
  const db = new TestDatabase(t, silent);
  const probes = Array.from({ length: 5 }, () => db.database.probe());
  t.same(await Promise.all(probes), Array(5).fill('no answer in 3 s'));
  t.equal(silent.taken, 1, 'there is one attempt to connect for all of them');
});
