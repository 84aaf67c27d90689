/**
 * The cores of a machine, shared by its threads: a thread that wakes up takes an idle core, or waits at the end of the one
 * queue of all cores; one that has used its slice while others wait goes to the end again. None preempts another when it
 * wakes up, as under SCHED_BATCH.
 */
import type { Clock } from './clock.js';

/** A thread, as its machine sees it. */
export interface Runnable {
  /** next returns the CPU time of the next piece of work, µs, when the one before is done; undefined to sleep. */
  next(): number | undefined;
}

export interface Machine {
  readonly cores: number;
  /** Time that a thread runs while others wait, µs. */
  readonly slice: number;
  /** Time until an idle core runs a thread that wakes up, µs. */
  readonly wakeUp: number;
}

/** A thread that runs on a core or waits for one. */
interface Claim {
  readonly runnable: Runnable;
  core: number;
  /** CPU time left of its piece of work, and of its slice, µs. */
  work: number;
  slice: number;
  /** Time for which its core was taken away, which it has still to wait, µs. */
  stolen: number;
}

export class Cores {
  readonly #clock: Clock;
  readonly #machine: Machine;
  /** What runs on each core. */
  readonly #running: (Claim | undefined)[];
  readonly #waiting: Claim[] = [];

  constructor(clock: Clock, machine: Machine) {
    this.#clock = clock;
    this.#machine = machine;
    this.#running = Array.from({ length: machine.cores }, () => undefined);
  }

  /** wake lets a sleeping thread run, until its `next` returns undefined. */
  wake(runnable: Runnable): void {
    const core = this.#running.indexOf(undefined);
    const claim: Claim = { runnable, core, work: 0, slice: this.#machine.slice, stolen: 0 };
    if (core < 0) this.#waiting.push(claim);
    else {
      this.#running[core] = claim;
      this.#clock.after(this.#machine.wakeUp, () => this.#run(claim));
    }
  }

  /** steal takes a core away for a time, µs, as hypervisors and other programs do: the thread that it runs has to wait. */
  steal(core: number, time: number): void {
    const claim = this.#running[core];
    if (claim) claim.stolen += time;
    else this.#start(core, { runnable: NOTHING, core, work: time, slice: Infinity, stolen: 0 });
  }

  #start(core: number, claim: Claim): void {
    claim.core = core;
    this.#running[core] = claim;
    this.#run(claim);
  }

  #run(claim: Claim): void {
    const { stolen } = claim;
    if (stolen > 0) {
      claim.stolen = 0;
      this.#clock.after(stolen, () => this.#run(claim));
      return;
    }
    if (claim.work <= 0) {
      const work = claim.runnable.next();
      if (work === undefined) {
        this.#release(claim.core);
        return;
      }
      claim.work = work;
    }
    if (claim.slice <= 0) {
      claim.slice = this.#machine.slice;
      if (this.#waiting.length > 0) {
        this.#waiting.push(claim);
        this.#release(claim.core);
        return;
      }
    }
    const time = Math.min(claim.work, claim.slice);
    this.#clock.after(time, () => {
      claim.work -= time;
      claim.slice -= time;
      this.#run(claim);
    });
  }

  #release(core: number): void {
    const next = this.#waiting.shift();
    if (next) this.#start(core, next);
    else this.#running[core] = undefined;
  }
}

/** What an idle core runs while it is taken away. */
const NOTHING: Runnable = { next: () => undefined };

/** sliceOf is the slice of Linux since 6.6, µs: it grows with the number of cores up to eight. */
export function sliceOf(cores: number): number {
  return 700 * (1 + Math.floor(Math.log2(Math.min(cores, 8))));
}
