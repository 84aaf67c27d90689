import t from 'tap';
import { ResultBudget } from '#app/postgres/connection/result-budget.js';

t.test('one database may use the whole budget', (t) => {
  const sending = new Int32Array(1);
  const budget = new ResultBudget(50, 100 << 10, sending);
  t.equal(budget.use(100 << 10), true);
  t.equal(budget.use(1), false);
  budget.use(-(50 << 10) - 1);
  sending[0] = 50;
  t.equal(budget.use(0), true);
  t.equal(budget.use(1), false, 'what is being sent counts too');
  t.end();
});

t.test('each of several databases leaves as much to the others as it uses', (t) => {
  const stalled = new ResultBudget(10, 100);
  const second = stalled.another();
  const third = second.another();
  t.equal(stalled.use(50), true);
  t.equal(stalled.use(1), false, 'not more than half');
  stalled.use(-1);
  t.equal(second.use(25), true, 'another may use half of the rest');
  t.equal(second.use(1), false);
  second.use(-1);
  t.equal(third.use(12), true);
  second.use(-25);
  t.equal(third.use(13), true, 'freed bytes can be used again');
  t.end();
});
