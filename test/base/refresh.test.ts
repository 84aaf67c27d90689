/** A cached value that is refreshed on demand. */
import t from 'tap';
import { Refresh } from '#app/base/refresh.js';

const INTERVAL = 100;

/** A refresh that has ended once, and counts. */
async function refreshed(): Promise<{ readonly refresh: Refresh; readonly runs: () => number }> {
  let runs = 0;
  const task = (): Promise<void> => {
    runs++;
    return Promise.resolve();
  };
  const refresh = new Refresh(task, () => INTERVAL, 2);
  await refresh.run();
  return { refresh, runs: () => runs };
}

t.test('nothing was ever read', (t) => {
  const refresh = new Refresh(() => Promise.resolve(), () => INTERVAL, 2); // prettier-ignore
  t.notOk(refresh.isUsable(performance.now()));
  t.ok(refresh.running, 'a refresh has begun');
  t.end();
});

// Half a millisecond from each boundary: the sum of a time and an age is rounded.
const AGES: readonly [age: number, usable: boolean, refreshes: boolean, what: string][] = [
  [0, true, false, 'fresh'],
  [INTERVAL - 0.5, true, false, 'just fresh'],
  [INTERVAL + 0.5, true, true, 'stale: served while it is refreshed'],
  [2 * INTERVAL - 0.5, true, true, 'stale for long'],
  [2 * INTERVAL + 0.5, false, true, 'expired'],
];

for (const [age, usable, refreshes, what] of AGES)
  t.test(what, async (t) => {
    const { refresh, runs } = await refreshed();
    t.equal(refresh.isUsable(refresh.ended + age), usable);
    t.equal(refresh.running, refreshes);
    await refresh.run();
    t.equal(runs(), 2, 'callers join the refresh that has begun');
  });

t.test('the interval follows from how long a refresh took', async (t) => {
  const times: number[] = [];
  const refresh: Refresh = new Refresh(
    () => new Promise((resolve) => setTimeout(resolve, 5)),
    (took) => {
      times.push(took);
      return took * 10;
    },
    2,
  );
  await refresh.run();
  t.strictSame(times, [refresh.ended - refresh.began]);
  t.ok(refresh.isUsable(refresh.ended + times[0]! * 10 - 1));
  t.notOk(refresh.running);
});
