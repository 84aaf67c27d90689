/** A front end lets nobody log in while its supervisor does not answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { SupervisedAttempts } from '#app/http/supervised-attempts.js';
import type { FrontEndMessage } from '#app/protocol.js';

const KEYS = { user: 'u', address: 'a' };

t.test('each answer reaches who asked', async (t) => {
  const told: FrontEndMessage[] = [];
  const attempts = new SupervisedAttempts((message) => told.push(message));
  const [first, second] = [attempts.begin(KEYS), attempts.begin({ ...KEYS, user: undefined })];
  t.match(told, [
    { type: 'attempt', id: 1, keys: KEYS },
    { type: 'attempt', id: 2, keys: { user: undefined, address: 'a' } },
  ]);
  attempts.answered(2, 0);
  attempts.answered(1, 500);
  attempts.answered(7, 0);
  t.strictSame(await Promise.all([first, second]), [500, 0]);
  attempts.end(KEYS, 'succeeded');
  t.match(told[2], { type: 'attempted', keys: KEYS, end: 'succeeded' });
});

t.test('no answer', async (t) => {
  const attempts = new SupervisedAttempts(() => undefined, 20);
  await t.rejects(attempts.begin(KEYS), { code: 'busy', status: 503 });
  attempts.answered(1, 0); // too late
  await sleep(5);
});

t.test('no supervisor', async (t) => {
  const told: FrontEndMessage[] = [];
  const attempts = new SupervisedAttempts((message) => told.push(message));
  const waiting = attempts.begin(KEYS);
  attempts.lost();
  await t.rejects(waiting, { code: 'busy' });
  await t.rejects(attempts.begin(KEYS), { code: 'busy' });
  attempts.end(KEYS, 'unchecked');
  t.equal(told.length, 1, 'nothing more is sent');
});
