/** For how many requests reading from the connection is paused. */
import t from 'tap';
import { ReadPauses } from '#app/serve/http/transport/read-pauses.js';

/** For how many of `requests` without a Connection header reading is paused. */
function taken(pauses: ReadPauses, requests: number): number {
  let count = 0;
  for (let i = 0; i < requests; i++) if (pauses.take('')) count++;
  return count;
}

t.test('a new connection gets pauses although all others are used up', (t) => {
  const pauses = new ReadPauses();
  t.equal(taken(pauses, 10_000), 125);
  pauses.connected();
  t.equal(taken(pauses, 10_000), 32);
  pauses.renew();
  t.equal(taken(pauses, 10_000), 125);
  t.end();
});

t.test('connections accepted just before a renewal keep pauses', (t) => {
  const pauses = new ReadPauses();
  for (let i = 0; i < 100; i++) pauses.connected();
  pauses.renew();
  t.equal(taken(pauses, 10_000), (125 + 3_200) >> 1);
  for (let i = 0; i < 100; i++) pauses.connected();
  for (let i = 0; i < 5; i++) pauses.renew();
  t.equal(taken(pauses, 10_000), 125, 'but not for long');
  t.end();
});

t.test('a Connection header decides by itself', (t) => {
  const pauses = new ReadPauses();
  taken(pauses, 10_000);
  const cases = { close: true, Upgrade: true, 'keep-alive': false, 'Keep-Alive, TE': false };
  for (const [connection, paused] of Object.entries(cases))
    t.equal(pauses.take(connection), paused, connection);
  t.end();
});
