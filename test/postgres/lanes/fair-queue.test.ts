/** The fair queue: scripts share connections by time, in whatever order their jobs arrive. */
import t from 'tap';
import { InternalJob } from '#app/postgres/statement/internal-job.js';
import { FairQueue } from '#app/postgres/lanes/fair-queue.js';
import { costOf } from '../../support/database.js';

const job = (abandoned = false): InternalJob =>
  new InternalJob('SELECT 1', [], abandoned ? undefined : () => undefined);

const anywhere = (): boolean => true;

t.test('a script that sends one job at a time gets as much time as one with many waiting', (t) => {
  const queue = new FairQueue();
  const [long, short] = [costOf(1_000), costOf(10)];
  const given = new Map([
    [long, 0],
    [short, 0],
  ]);
  for (let i = 0; i < 1_000; i++) queue.push(job(), short);
  for (let i = 0; i < 500; i++) {
    if (queue.waiting(long) === 0) queue.push(job(), long);
    const before = queue.waiting(long);
    queue.next(anywhere);
    const served = queue.waiting(long) < before ? long : short;
    given.set(served, given.get(served)! + served.time);
  }
  const difference = Math.abs(given.get(long)! - given.get(short)!);
  t.ok(difference <= 1_000, `${given.get(long)} and ${given.get(short)} ms`);
  t.end();
});

t.test('abandoned jobs cost their script nothing', (t) => {
  const queue = new FairQueue();
  const [left, other] = [costOf(100), costOf(100)];
  for (let i = 0; i < 50; i++) queue.push(job(true), left);
  queue.push(job(), left);
  for (let i = 0; i < 10; i++) queue.push(job(), other);
  let picks = 0;
  while (queue.waiting(left) > 0) {
    queue.next(anywhere);
    picks++;
  }
  t.ok(picks <= 53, `its turn comes after ${picks} picks`);
  t.end();
});

t.test('an empty line is removed', (t) => {
  const queue = new FairQueue();
  const cost = costOf(100);
  for (let i = 0; i < 3; i++) queue.push(job(), cost);
  t.equal(queue.size, 3);
  t.equal(queue.takeUnless(() => false).length, 3);
  t.equal(queue.size, 0);
  t.equal(queue.scripts, 0);
  t.equal(queue.next(anywhere), undefined);
  t.end();
});
