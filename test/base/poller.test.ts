/** A task that is run again and again. */
import t from 'tap';
import { Poller } from '#app/base/poller.js';

t.test('runs follow one another, each after the delay asked for at its end', async (t) => {
  let runs = 0;
  const delays: number[] = [];
  await new Promise<void>((resolve) => {
    const poller: Poller = new Poller(
      () => {
        if (++runs === 3) resolve();
        return Promise.resolve();
      },
      () => {
        delays.push(runs);
        return 1;
      },
    );
    t.teardown(() => poller.stop());
    t.equal(runs, 0, 'the first run is up to the owner');
    void poller.run();
    // The timer does not keep the process running.
    const alive = setInterval(() => undefined, 1_000);
    t.teardown(() => clearInterval(alive));
  });
  t.strictSame(delays.slice(0, 2), [1, 2]);
});

t.test('a run in between takes the place of the next', async (t) => {
  let runs = 0;
  const poller = new Poller(
    () => {
      runs++;
      return Promise.resolve();
    },
    () => 20,
  );
  t.teardown(() => poller.stop());
  await poller.run();
  for (let i = 0; i < 5; i++) {
    await poller.run();
    t.equal(runs, i + 2);
  }
  await new Promise((resolve) => setTimeout(resolve, 30));
  t.ok(runs <= 7, `${runs} runs: one timer`);
});

t.test('stopped', async (t) => {
  let runs = 0;
  const poller = new Poller(
    () => {
      runs++;
      return Promise.resolve();
    },
    () => 1,
  );
  const run = poller.run();
  poller.stop();
  t.ok(poller.stopped);
  await run;
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(runs, 1);
});
