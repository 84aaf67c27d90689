/** One run of a task at a time. */
import t from 'tap';
import { SingleFlight } from '#app/base/single-flight.js';

/** A task whose runs end when the test says so. */
class Task {
  runs = 0;
  readonly flight = new SingleFlight(() => {
    this.runs++;
    return new Promise((resolve) => (this.#end = resolve));
  });
  #end: () => void = () => undefined;

  /** end ends the run in progress. */
  async end(): Promise<void> {
    const run = this.flight.run();
    this.#end();
    await run;
  }
}

/** Long enough for all promises that can settle. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('callers share the run in progress', async (t) => {
  const task = new Task();
  t.notOk(task.flight.running);
  t.equal(task.flight.run(), task.flight.run());
  t.ok(task.flight.running);
  await task.end();
  t.notOk(task.flight.running);
  t.equal(task.runs, 1);
  void task.flight.run();
  t.equal(task.runs, 2, 'a new one afterwards');
});

t.test('a run that begins after the call: one in progress, one waiting', async (t) => {
  const task = new Task();
  void task.flight.run();
  let ended = 0;
  for (let i = 0; i < 3; i++) void task.flight.runAgain().then(() => ended++);
  await turn();
  t.equal(task.runs, 1);
  await task.end();
  await turn();
  t.equal(task.runs, 2);
  t.equal(ended, 0, 'the run in progress was not the one they wait for');
  void task.flight.runAgain().then(() => ended++);
  await task.end();
  await turn();
  t.equal(task.runs, 3, 'the last call came after the second run had begun');
  t.equal(ended, 3);
  await task.end();
  await turn();
  t.equal(ended, 4);
});

t.test('without a run in progress it begins at once', async (t) => {
  const task = new Task();
  void task.flight.runAgain();
  await turn();
  t.equal(task.runs, 1);
});

t.test('a pause before the next run', async (t) => {
  const task = new Task();
  void task.flight.run();
  const pauses: number[] = [];
  const again = task.flight.runAgain(() => {
    pauses.push(task.flight.ended);
    return 1;
  });
  await task.end();
  t.equal(task.runs, 1, 'not at once');
  while (task.runs === 1) await turn();
  await task.end();
  await again;
  t.strictSame(pauses.length, 1);
  t.ok(pauses[0]! > -Infinity, 'it is asked for after the end of the run');
});

t.test('a run that fails is not the last one', async (t) => {
  let runs = 0;
  const flight = new SingleFlight(() =>
    ++runs === 1 ? Promise.reject(new Error('first')) : Promise.resolve(),
  );
  const [first, again] = [flight.run(), flight.runAgain()];
  await t.rejects(first, { message: 'first' });
  await t.rejects(again, { message: 'first' });
  t.notOk(flight.running);
  t.ok(flight.ended > -Infinity);
  await t.resolves(flight.run());
  await t.resolves(flight.runAgain());
  t.equal(runs, 3);
});

t.test('a run that began during the pause is not the one that is waited for', async (t) => {
  const task = new Task();
  const again = task.flight.runAgain(() => 1);
  void task.flight.run();
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(task.runs, 1);
  await task.end();
  await turn();
  t.equal(task.runs, 2);
  await task.end();
  await again;
});

t.test('when runs began and ended', async (t) => {
  const task = new Task();
  t.strictSame([task.flight.began, task.flight.ended], [-Infinity, -Infinity]);
  void task.flight.run();
  t.ok(task.flight.began > 0);
  t.equal(task.flight.ended, -Infinity);
  await task.end();
  t.ok(task.flight.ended >= task.flight.began);
});
