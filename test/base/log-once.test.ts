/** A failure that repeats is logged once. */
import t from 'tap';
import { LogOnce } from '#app/base/log-once.js';

t.test('once for each reason in a row, and once for the end', (t) => {
  const failures = new LogOnce();
  t.notOk(failures.end(), 'nothing has failed yet');
  t.strictSame(
    ['away', 'away', 'denied', 'away', 'away'].map((reason) => failures.isNew(reason)),
    [true, false, true, true, false],
  );
  t.ok(failures.end());
  t.notOk(failures.end());
  t.ok(failures.isNew('away'), 'a new outage');
  t.end();
});
