/** A statement that stalls counts for its script, however it ends. */
import t from 'tap';
import { InFlight } from '#app/postgres/connection/in-flight.js';
import { InternalJob } from '#app/postgres/statement/internal-job.js';
import type { ScriptCost } from '#app/postgres/statement/script-cost.js';
import type { Segment } from '#app/postgres/statement/segment.js';
import { fastCost } from '../../support/database.js';

/** A statement of a script at the head of a pipeline since `sentAt`, ms. */
function pipeline(cost: ScriptCost, sentAt: number): InFlight {
  const inFlight = new InFlight(() => 1);
  const job = Object.assign(new InternalJob('SELECT 1', [], () => undefined), { cost });
  inFlight.push({ job, sentAt, expected: 1 } as unknown as Segment);
  return inFlight;
}

/** Long after its statements have ended, ms. */
const LATER = 3_600_000;

const ENDS: readonly [what: string, end: (one: InFlight, now: number) => void, soon: boolean][] = [
  ['answered in a shared pipeline', (one, now) => one.shift(now, false), false],
  ['answered on a connection of its own', (one, now) => one.shift(now, true), true],
  ['lost with others behind it', (one, now) => one.takeAll(now, false), false],
  ['lost on a connection of its own', (one, now) => one.takeAll(now, true), true],
];
for (const [what, end, soon] of ENDS)
  t.test(what, (t) => {
    const cost = fastCost();
    const now = performance.now();
    const inFlight = pipeline(cost, now);
    t.notOk(inFlight.isStalled(now + 20));
    t.ok(cost.isFast(now + 20));
    t.ok(inFlight.isStalled(now + 21));
    t.ok(inFlight.isStalled(now + 22), 'found twice, counted once');
    t.notOk(cost.isFast(now + LATER), 'slow for as long as it runs');
    end(inFlight, now + 25);
    t.notOk(inFlight.isStalled(now + LATER), 'nothing runs');
    t.equal(cost.isFast(now + 26), soon, 'only what blocked others has an effect afterwards');
    t.ok(cost.isFast(now + LATER));
    t.end();
  });

t.test('the next statement has a time of its own', (t) => {
  const [first, second] = [fastCost(), fastCost()];
  const now = performance.now();
  const inFlight = pipeline(first, now);
  const job = Object.assign(new InternalJob('SELECT 1', [], () => undefined), { cost: second });
  inFlight.push({ job, sentAt: now, expected: 1 } as unknown as Segment);
  inFlight.isStalled(now + 30);
  inFlight.shift(now + 30, false);
  t.notOk(inFlight.isStalled(now + 45));
  t.ok(second.isFast(now + LATER), 'it was behind the other one');
  t.ok(inFlight.isStalled(now + 60));
  t.notOk(second.isFast(now + LATER));
  t.end();
});
