/**
 * What waits for a connection to itself: a line for each script, first come first served. Among the scripts, the one
 * whose statements have had least time goes next, so that none of them, however many of its requests wait, holds up
 * another's for longer than the other holds it up. Refuses nothing; how much waits is for its owner to bound.
 */
import type { Job } from './job.js';
import type { ScriptCost } from './script-cost.js';

export class SlowLane {
  readonly #lines = new Map<ScriptCost, Job[]>();
  /** What the script served last had been given before, ms: where one begins that comes anew. */
  #served = 0;
  #size = 0;

  /** size is how many jobs wait. */
  get size(): number {
    return this.#size;
  }

  /** scripts is how many scripts have jobs waiting. */
  get scripts(): number {
    return this.#lines.size;
  }

  /** waiting is how many jobs of a script wait. */
  waiting(cost: ScriptCost): number {
    return this.#lines.get(cost)?.length ?? 0;
  }

  /** push puts a job at the end of its script's line. */
  push(job: Job, cost: ScriptCost): void {
    const line = this.#lines.get(cost);
    if (line === undefined) {
      cost.served = Math.max(cost.served, this.#served);
      this.#lines.set(cost, [job]);
    } else line.push(job);
    this.#size++;
  }

  /** next takes the job that is to run next out of the lane, of the scripts for which there `isRoom`. */
  next(isRoom: (cost: ScriptCost) => boolean): Job | undefined {
    let first: ScriptCost | undefined;
    let least = Infinity;
    for (const cost of this.#lines.keys())
      if (cost.served < least && isRoom(cost)) {
        first = cost;
        least = cost.served;
      }
    if (first === undefined) return undefined;
    const line = this.#lines.get(first)!;
    const job = line.shift()!;
    if (line.length === 0) this.#lines.delete(first);
    this.#size--;
    if (!job.abandoned) {
      this.#served = first.served;
      first.served += first.time;
    }
    return job;
  }

  /** takeFast takes out the lines of scripts that may share pipelines by now. */
  takeFast(now: number): Job[] {
    let taken: Job[] = [];
    for (const [cost, jobs] of this.#lines)
      if (cost.isFast(now)) {
        this.#lines.delete(cost);
        taken = taken.concat(jobs);
      }
    this.#size -= taken.length;
    return taken;
  }

  /** takeUnless takes out every job for which `stays` is false. */
  takeUnless(stays: (job: Job) => boolean): Job[] {
    const taken: Job[] = [];
    for (const [cost, line] of this.#lines) {
      const left = line.filter((job) => {
        const kept = stays(job);
        if (!kept) taken.push(job);
        return kept;
      });
      if (left.length > 0) this.#lines.set(cost, left);
      else this.#lines.delete(cost);
    }
    this.#size -= taken.length;
    return taken;
  }
}
