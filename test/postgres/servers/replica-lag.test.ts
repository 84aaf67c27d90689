/** How far replicas are behind, as parts of the limit. */
import t from 'tap';
import { ReplicaLag } from '#app/postgres/servers/replica-lag.js';

t.test('in bytes', (t) => {
  const lag = new ReplicaLag({ bytes: 100 });
  t.equal(lag.behind(5n), 0, 'nothing is known of the primary');
  lag.primaryAt(1_000n, 0);
  lag.primaryAt(1_200n, 1);
  t.equal(lag.behind(1_200n), 0);
  t.equal(lag.behind(1_300n), 0, 'the primary was seen earlier');
  t.equal(lag.behind(1_100n), 1);
  t.equal(lag.behind(1_000n), 2);
  t.end();
});

t.test('in time', (t) => {
  const lag = new ReplicaLag({ time: 10_000 });
  lag.primaryAt(100n, 0);
  lag.primaryAt(100n, 60_000);
  t.equal(lag.behind(100n), 0, 'a primary that writes nothing');
  lag.primaryAt(200n, 61_000);
  t.equal(lag.behind(100n), 0, 'it has just written');
  lag.primaryAt(300n, 66_000);
  t.equal(lag.behind(100n), 0.5);
  t.equal(lag.behind(200n), 0);
  lag.primaryAt(300n, 76_000);
  t.equal(lag.behind(100n), 1.5);
  t.equal(lag.behind(250n), 1);
  for (let at = 77_000; at < 200_000; at += 1_000) lag.primaryAt(BigInt(at), at);
  t.ok(lag.behind(100n) > 1, 'also when earlier positions are forgotten');
  t.ok(lag.behind(195_000n) < 1);
  t.end();
});

t.test('in time far over the limit, and with one in bytes', (t) => {
  for (const limit of [{ time: 10_000 }, { bytes: 100 }]) {
    const lag = new ReplicaLag(limit);
    const last = 1_000_000;
    // One sample a second, with positions that are times.
    for (let at = 0; at <= last; at += 1_000) lag.primaryAt(BigInt(at), at);
    for (const behind of [0, 1_000, 5_000, 9_000, 30_000, 200_000, 900_000]) {
      // What it has not replayed was first seen a second later.
      const expected = Math.max(0, behind - 1_000);
      const seen = lag.time(BigInt(last - behind));
      t.ok(seen <= expected && seen >= expected * 0.9 - 500, `${behind}: ${seen}`);
      t.equal(lag.bytes(BigInt(last - behind)), behind);
    }
    t.equal(lag.time(-1n), last, 'as long as it was watched');
  }
  t.end();
});

t.test('time stands still while the primary is not seen', (t) => {
  const lag = new ReplicaLag({ time: 10_000 });
  lag.primaryAt(100n, 0);
  lag.primaryAt(200n, 1_000);
  t.equal(lag.behind(100n), 0);
  t.end();
});

t.test('another primary, which is not as far', (t) => {
  const lag = new ReplicaLag({ time: 10_000 });
  lag.primaryAt(100n, 0);
  lag.primaryAt(200n, 1_000);
  lag.primaryAt(150n, 20_000);
  t.equal(lag.behind(140n), 0);
  t.equal(lag.behind(160n), 0);
  t.end();
});
