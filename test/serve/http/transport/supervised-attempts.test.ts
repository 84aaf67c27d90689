/** An HTTP process rejects all logins while its supervisor does not reply. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { SupervisedAttempts } from '#app/serve/http/transport/supervised.js';
import type { HttpProcessMessage } from '#app/messages/ipc.js';

const KEYS = { user: 'u', address: 'a' };

t.test('each reply resolves its own attempt', async (t) => {
  const sent: HttpProcessMessage[] = [];
  const attempts = new SupervisedAttempts((message) => sent.push(message));
  const [first, second] = [attempts.begin(KEYS), attempts.begin({ ...KEYS, user: undefined })];
  t.match(sent, [
    { type: 'login-begin', id: 1, keys: KEYS },
    { type: 'login-begin', id: 2, keys: { user: undefined, address: 'a' } },
  ]);
  attempts.replied(2, 0);
  attempts.replied(1, 500);
  attempts.replied(7, 0);
  t.strictSame(await Promise.all([first, second]), [500, 0]);
  attempts.end(KEYS, 'succeeded');
  t.match(sent[2], { type: 'login-end', keys: KEYS, end: 'succeeded' });
});

t.test('no reply', async (t) => {
  const attempts = new SupervisedAttempts(() => undefined, 20);
  await t.rejects(attempts.begin(KEYS), { code: 'busy', status: 503 });
  attempts.replied(1, 0); // too late
  await sleep(5);
});

t.test('no supervisor', async (t) => {
  const sent: HttpProcessMessage[] = [];
  const attempts = new SupervisedAttempts((message) => sent.push(message));
  const pending = attempts.begin(KEYS);
  attempts.lost();
  await t.rejects(pending, { code: 'busy' });
  await t.rejects(attempts.begin(KEYS), { code: 'busy' });
  attempts.end(KEYS, 'unchecked');
  t.equal(sent.length, 1, 'nothing more is sent');
});
