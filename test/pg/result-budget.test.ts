import t from 'tap';
import { ResultBudget } from '#app/pg/result-budget.js';

t.test('one database may hold all there is', (t) => {
  const sending = new Int32Array(1);
  const budget = new ResultBudget(50, 100 << 10, sending);
  t.equal(budget.hold(100 << 10), true);
  t.equal(budget.hold(1), false);
  budget.hold(-(50 << 10) - 1);
  sending[0] = 50;
  t.equal(budget.hold(0), true);
  t.equal(budget.hold(1), false, 'what is being sent counts too');
  t.end();
});

t.test('of several, each leaves as much to the others as it holds', (t) => {
  const stalled = new ResultBudget(10, 100);
  const second = stalled.another();
  const third = second.another();
  t.equal(stalled.hold(50), true);
  t.equal(stalled.hold(1), false, 'it may not have more than half');
  stalled.hold(-1);
  t.equal(second.hold(25), true, 'of what is left another may have half');
  t.equal(second.hold(1), false);
  second.hold(-1);
  t.equal(third.hold(12), true);
  second.hold(-25);
  t.equal(third.hold(13), true, 'what was given back is free again');
  t.end();
});
