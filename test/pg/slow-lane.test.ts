/** The line for connections: shared by time between scripts, however they come. */
import t from 'tap';
import { InternalJob } from '#app/pg/internal-job.js';
import { SlowLane } from '#app/pg/slow-lane.js';
import { costOf } from '../support/database.js';

const job = (abandoned = false): InternalJob =>
  new InternalJob('SELECT 1', [], abandoned ? undefined : () => undefined);

const anywhere = (): boolean => true;

t.test('a script that sends one at a time gets no more time than one that waits in line', (t) => {
  const lane = new SlowLane();
  const [long, short] = [costOf(1_000), costOf(10)];
  const given = new Map([
    [long, 0],
    [short, 0],
  ]);
  for (let i = 0; i < 1_000; i++) lane.push(job(), short);
  for (let i = 0; i < 500; i++) {
    if (lane.waiting(long) === 0) lane.push(job(), long);
    const before = lane.waiting(long);
    lane.next(anywhere);
    const served = lane.waiting(long) < before ? long : short;
    given.set(served, given.get(served)! + served.time);
  }
  const difference = Math.abs(given.get(long)! - given.get(short)!);
  t.ok(difference <= 1_000, `${given.get(long)} and ${given.get(short)} ms`);
  t.end();
});

t.test('what nobody waits for any more costs its script nothing', (t) => {
  const lane = new SlowLane();
  const [left, other] = [costOf(100), costOf(100)];
  for (let i = 0; i < 50; i++) lane.push(job(true), left);
  lane.push(job(), left);
  for (let i = 0; i < 10; i++) lane.push(job(), other);
  let picks = 0;
  while (lane.waiting(left) > 0) {
    lane.next(anywhere);
    picks++;
  }
  t.ok(picks <= 53, `its turn comes after ${picks} picks`);
  t.end();
});

t.test('nothing stays of a line that is empty', (t) => {
  const lane = new SlowLane();
  const cost = costOf(100);
  for (let i = 0; i < 3; i++) lane.push(job(), cost);
  t.equal(lane.size, 3);
  t.equal(lane.takeUnless(() => false).length, 3);
  t.equal(lane.size, 0);
  t.equal(lane.scripts, 0);
  t.equal(lane.next(anywhere), undefined);
  t.end();
});
