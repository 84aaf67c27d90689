/** The lane of a script, by the measured time of its runs. */
import t from 'tap';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';

/** A script with these runs, milliseconds, `times` times over. */
function after(times: number, ...runs: readonly number[]): ScriptCost {
  const cost = new ScriptCost();
  for (let i = 0; i < times; i++) for (const run of runs) cost.record(run, () => 1);
  return cost;
}

const fast = (n: number): number[] => Array.from({ length: n }, () => 0.2);

/** How long after its last run a script is fast again, up to the limit, ms. */
function back(cost: ScriptCost, limit = 60_000): number {
  const now = performance.now();
  for (let later = 0; later < limit; later += 100) if (cost.isFast(now + later)) return later;
  return limit;
}

t.test('at once', (t) => {
  const cases: [what: string, cost: ScriptCost, fast: boolean][] = [
    ['never run', new ScriptCost(), false],
    ['one fast run', after(1, 0.2), true],
    ['one slow run', after(1, 200), false],
    ['a cold first run, then fast ones', after(1, 30, ...fast(10)), true],
    ['some cold runs at the start', after(1, 15, 15, 15, 15, ...fast(40)), true],
    ['always rather slow', after(1000, 9), false],
    ['just not slow', after(1000, 19), false],
    ['1 in 2', after(500, 200, 0.2), false],
    ['1 in 15 of 100 ms', after(50, 100, ...fast(14)), false],
    ['1 in 15 of 10.5 ms', after(50, 10.5, ...fast(14)), false],
    ['1 in 15 of 9.5 ms', after(50, 9.5, ...fast(14)), true],
    ['1 in 60 of 200 ms', after(50, 200, ...fast(59)), false],
    ['1 in 200 of 200 ms', after(50, 200, ...fast(199)), false],
    ['a disturbance of 30 ms every thousand runs', after(50, 30, ...fast(999)), true],
    ['fast, then one of 100 ms', after(1, ...fast(1000), 100), false],
    ['slow for long, then fast for longer', after(1, ...Array<number>(100).fill(200), ...fast(12_000)), true],
  ]; // prettier-ignore
  for (const [what, cost, fast] of cases) t.equal(cost.isFast(performance.now()), fast, what);
  t.end();
});

t.test('beside busy connections', (t) => {
  const of = (busy: number, ...runs: number[]): boolean => {
    const cost = new ScriptCost();
    for (let i = 0; i < 400; i++) for (const run of runs) cost.record(run, () => busy);
    return cost.isFast(performance.now());
  };
  const cases: [what: string, busy: number, runs: number[], fast: boolean][] = [
    ['two backends take no turns', 2, [15, ...fast(200)], false],
    ['four may take turns', 4, [15, ...fast(200)], true],
    ['but not that often', 4, [15, ...fast(100)], false],
    ['more of them take more', 8, [15, ...fast(100)], true],
    ['up to a limit', 100, [15, ...fast(50)], false],
    ['a script with slow runs has them however busy the others are', 100, [15, ...fast(14)], false],
    ['just not slow', 100, [19, ...fast(14)], false],
    ['slow', 100, [39, ...fast(99)], false],
    ['the average counts as it is', 100, [9], false],
  ];
  for (const [what, busy, runs, fast] of cases) t.equal(of(busy, ...runs), fast, what);
  t.end();
});

t.test('with time', (t) => {
  const alternating = back(after(50, 200, ...fast(59)));
  t.ok(alternating > 1_000, `one that alternates stays out for a while: ${alternating} ms`);
  t.ok(alternating <= 11_000, `but not forever: ${alternating} ms`);
  t.equal(back(after(50, 200)), 60_000, 'one that is slow stays out for as long as it is');
  t.end();
});

t.test('a script is slow while one of its statements stalls, and for a while afterwards', (t) => {
  const cost = after(1, ...fast(100));
  const now = performance.now();
  const hour = 3_600_000;
  cost.stalls();
  cost.stalls();
  t.notOk(cost.isFast(now + hour), 'however long it runs');
  cost.stallEnded(30, now);
  t.notOk(cost.isFast(now + hour), 'until the last of them has ended');
  cost.stallEnded(30, now);
  t.notOk(cost.isFast(now + 20));
  t.ok(cost.isFast(now + 40), 'for as long as it blocked others');
  cost.stalls();
  cost.stallEnded(60_000, now);
  t.notOk(cost.isFast(now + 900));
  t.ok(cost.isFast(now + 2_000), 'up to a second');
  t.end();
});

t.test('the shortest time of recent runs', (t) => {
  t.equal(after(1).least, Infinity);
  t.equal(after(100, 200).least, 200);
  t.ok(after(50, 3, 60, 60, 60).least < 8, 'a burst does not raise it');
  const slower = after(1, ...fast(1_000), ...Array<number>(200).fill(200)).least;
  t.ok(slower > 150, `a script that has become slow raises it: ${slower} ms`);
  t.end();
});
