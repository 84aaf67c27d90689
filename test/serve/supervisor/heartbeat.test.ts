/** When a process counts as one that has stopped responding. */
import t from 'tap';
import { Heartbeat } from '#app/serve/supervisor/heartbeat.js';
import { until } from '../../support/until.js';

/** Time between two pings (milliseconds). */
const INTERVAL = 5;

t.test('a process that answers every ping', async (t) => {
  let pings = 0;
  let lost = 0;
  const heartbeat = new Heartbeat(
    () => {
      pings++;
      heartbeat.answered();
    },
    () => lost++,
    INTERVAL,
  );
  t.teardown(() => heartbeat.stop());
  await until(() => pings >= 20);
  t.equal(lost, 0);
});

t.test('a process that answers late', async (t) => {
  let pings = 0;
  let lost = 0;
  let turns = 0;
  const heartbeat = new Heartbeat(
    () => pings++,
    () => lost++,
    INTERVAL,
  );
  // Made later with the same interval, it runs after the other one: an answer after four silent intervals.
  const answers = setInterval(() => {
    if (++turns % 5 === 0) heartbeat.answered();
  }, INTERVAL);
  t.teardown(() => {
    heartbeat.stop();
    clearInterval(answers);
  });
  await until(() => pings >= 3);
  t.equal(lost, 0);
});

t.test('a process that answers no more', async (t) => {
  let pings = 0;
  let lost = 0;
  const heartbeat = new Heartbeat(
    () => pings++,
    () => lost++,
    INTERVAL,
  );
  t.teardown(() => heartbeat.stop());
  await until(() => lost > 0);
  t.equal(pings, 1, 'no ping waits behind another one');
  const later = performance.now() + 20 * INTERVAL;
  await until(() => performance.now() > later);
  t.equal(lost, 1);
});
