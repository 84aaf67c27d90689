/**
 * A thread that sleeps until items arrive. Those that arrive while it works wait for its next turn: the more there are, the
 * fewer times it has to wake up for each.
 */
import type { Cores, Runnable } from './cores.js';

/** What a thread does. */
export interface Task<Item> {
  /** Most items of a turn. Their results leave the thread together, at its end. */
  readonly batch: number;
  /** CPU time for falling asleep and waking up, µs. */
  readonly wake: number;
  /** CPU time for an item, µs. */
  cost(item: Item): number;
  /** done is called with the items of a turn at its end. */
  done(items: readonly Item[]): void;
}

/** What threads of the same kind have done. */
export interface Tally {
  /** CPU time, µs. */
  cpu: number;
  sleeps: number;
}

export class Thread<Item> implements Runnable {
  readonly #cores: Cores;
  readonly #task: Task<Item>;
  readonly #tally: Tally;
  #inbox: Item[] = [];
  #turn: readonly Item[] = [];
  #state: 'asleep' | 'woken' | 'awake' | 'falling asleep' = 'asleep';

  constructor(cores: Cores, task: Task<Item>, tally: Tally) {
    this.#cores = cores;
    this.#task = task;
    this.#tally = tally;
  }

  /** put gives the thread an item, and wakes it if it sleeps. */
  put(item: Item): void {
    this.#inbox.push(item);
    if (this.#state !== 'asleep') return;
    this.#state = 'woken';
    this.#cores.wake(this);
  }

  next(): number | undefined {
    const done = this.#turn;
    if (done.length > 0) {
      this.#turn = [];
      this.#task.done(done);
    }
    const time = this.#inbox.length > 0 ? this.#work() : this.#fallAsleep();
    this.#tally.cpu += time ?? 0;
    return time;
  }

  /** Begins a turn. */
  #work(): number {
    const { batch, wake } = this.#task;
    if (this.#inbox.length <= batch) {
      this.#turn = this.#inbox;
      this.#inbox = [];
    } else this.#turn = this.#inbox.splice(0, batch);
    let time = this.#state === 'woken' ? wake / 2 : 0;
    this.#state = 'awake';
    for (const item of this.#turn) time += this.#task.cost(item);
    return time;
  }

  /** Half of the time for a sleep passes before it, the other half after it. What arrives in the first one prevents it. */
  #fallAsleep(): number | undefined {
    if (this.#state === 'awake') {
      this.#state = 'falling asleep';
      return this.#task.wake / 2;
    }
    this.#state = 'asleep';
    this.#tally.sleeps += 1;
    return undefined;
  }
}

/** noTally is a tally of nothing. */
export function noTally(): Tally {
  return { cpu: 0, sleeps: 0 };
}
