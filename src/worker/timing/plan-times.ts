/**
 * When the plans of slow statements were read last, in memory that all query workers of the service share, so that there is at
 * most one a minute for each script. Workers of different processes take a slot with one atomic operation. Two scripts whose
 * hashes have the same slot share it: then one of them has its plan later.
 */
import { createHash } from 'node:crypto';
import { mapOrOwn } from '../../native/shared-memory.js';
import { PLAN_TIMES_BYTES } from '../../messages/worker-settings.js';

/** The least time between two plans of a script, s. */
const INTERVAL = 60;

/** The time of a slot that is free. */
const NEVER = 0;

/** PlanTimes is that memory in one query worker. */
export class PlanTimes {
  /** By slot, in seconds of the monotonic clock of the machine. */
  readonly #times: Int32Array;

  constructor(memory: ArrayBuffer) {
    this.#times = new Int32Array(memory);
  }

  /** of maps its part of the memory with this descriptor. Without it, or where it cannot be mapped, the worker has its own. */
  static of(descriptor: number | undefined): PlanTimes {
    return new PlanTimes(mapOrOwn(descriptor, 0, PLAN_TIMES_BYTES));
  }

  /** isDue tells whether a plan of a script may be read. `now` is in seconds. */
  isDue(alias: string, script: string, now: number = seconds()): boolean {
    return isDue(Atomics.load(this.#times, this.#slot(alias, script)), now);
  }

  /** take tells whether a plan of a script may be read, and takes it: until the interval has passed no worker may. */
  take(alias: string, script: string, now: number = seconds()): boolean {
    const slot = this.#slot(alias, script);
    const last = Atomics.load(this.#times, slot);
    return isDue(last, now) && Atomics.compareExchange(this.#times, slot, last, now) === last;
  }

  /** giveBack undoes `take`: no plan was read. */
  giveBack(alias: string, script: string): void {
    Atomics.store(this.#times, this.#slot(alias, script), NEVER);
  }

  #slot(alias: string, script: string): number {
    const hash = createHash('sha256').update(`${alias}\n${script}`).digest();
    return hash.readUInt32LE() % this.#times.length;
  }
}

/** Whole seconds are cut off: only beyond the interval it has passed in any case. */
function isDue(last: number, now: number): boolean {
  return last === NEVER || now - last > INTERVAL;
}

function seconds(): number {
  return process.hrtime()[0];
}
