/**
 * The simulator against queueing theory: queues with one and several servers, processor sharing, and closed networks, whose
 * exact results are known for exponential times.
 */
import t, { type Test } from 'tap';
import { Clock } from '../../../bench/model/clock.js';
import { Cores, type Runnable } from '../../../bench/model/cores.js';
import { Random } from '../../../bench/random.js';
import { noTally, Thread } from '../../../bench/model/thread.js';

/** Mean time of a job, µs. */
const MEAN = 10;
const JOBS = 200_000;

const QUEUES: { readonly cores: number; readonly load: number; readonly slice: number }[] = [
  { cores: 1, load: 0.5, slice: Infinity },
  { cores: 1, load: 0.8, slice: Infinity },
  { cores: 2, load: 0.8, slice: Infinity },
  { cores: 8, load: 0.7, slice: Infinity },
  // Processor sharing has the same mean as first come, first served when times are exponential.
  { cores: 1, load: 0.7, slice: 1 },
];

for (const { cores, load, slice } of QUEUES) {
  t.test(`M/M/${cores} at ${load}, slice ${slice}`, (t) => {
    const expected = MEAN + erlangC(cores, load) * (MEAN / cores / (1 - load));
    near(t, meanResponse(cores, load, slice), expected, 0.03);
    t.end();
  });
}

for (const clients of [1, 3, 20]) {
  t.test(`a closed network of ${clients} clients and two threads`, (t) => {
    const [think, first, second] = [30, 10, 6];
    const clock = new Clock();
    const random = new Random(clients);
    const cores = new Cores(clock, { cores: 2, slice: Infinity, wakeUp: 0 });
    let answers = 0;
    const thread = (mean: number, done: () => void) =>
      new Thread<object>(
        cores,
        { batch: 1, wake: 0, cost: () => random.exponential(mean), done },
        noTally(),
      );
    const later = thread(second, () => {
      answers += 1;
      clock.after(random.exponential(think), () => earlier.put({}));
    });
    const earlier = thread(first, () => later.put({}));
    for (let client = 0; client < clients; client += 1) earlier.put({});
    clock.runUntil(2e6);
    near(t, answers / 2e6, throughput(clients, think, [first, second]), 0.02);
    t.end();
  });
}

/** meanResponse simulates jobs that come at random to cores. */
function meanResponse(cores: number, load: number, slice: number): number {
  const clock = new Clock();
  const random = new Random(7);
  const machine = new Cores(clock, { cores, slice, wakeUp: 0 });
  let [sum, done] = [0, 0];
  const arrive = (): void => {
    const came = clock.now;
    let work: number | undefined = random.exponential(MEAN);
    const job: Runnable = {
      next() {
        const time = work;
        work = undefined;
        if (time === undefined) {
          sum += clock.now - came;
          done += 1;
        }
        return time;
      },
    };
    machine.wake(job);
    clock.after(random.exponential(MEAN / cores / load), arrive);
  };
  arrive();
  clock.runUntil((JOBS * MEAN) / cores / load);
  return sum / done;
}

/** erlangC is the probability that a job of an M/M/c queue waits. */
function erlangC(cores: number, load: number): number {
  const offered = cores * load;
  let term = 1;
  let sum = 1;
  for (let n = 1; n < cores; n += 1) {
    term *= offered / n;
    sum += term;
  }
  const last = (term * offered) / cores / (1 - load);
  return last / (sum + last);
}

/** throughput of a closed network, by mean value analysis. */
function throughput(clients: number, think: number, times: readonly number[]): number {
  let queues = times.map(() => 0);
  let rate = 0;
  for (let n = 1; n <= clients; n += 1) {
    const responses = times.map((time, index) => time * (1 + queues[index]!));
    rate = n / (think + responses.reduce((sum, time) => sum + time, 0));
    queues = responses.map((time) => rate * time);
  }
  return rate;
}

function near(t: Test, actual: number, expected: number, tolerance: number): void {
  t.ok(
    Math.abs(actual / expected - 1) < tolerance,
    `${actual.toFixed(4)} is within ${tolerance * 100} % of ${expected.toFixed(4)}`,
  );
}
