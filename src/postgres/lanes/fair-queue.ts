/**
 * The queue of jobs that wait for a connection of their own. Scripts share the connections by time: each has a line, first
 * come first served, and the script that has had the least time is next, so that a flood of requests for one script does
 * not starve the others. The owner bounds the number of jobs.
 */
import type { Job } from '../statement/job.js';
import type { ScriptCost } from '../statement/script-cost.js';

export class FairQueue {
  size = 0;
  readonly #lines = new Map<ScriptCost, Job[]>();
  /** Virtual time of the last dispatch, ms: where a script begins that had nothing waiting. */
  #virtualTime = 0;

  get scripts(): number {
    return this.#lines.size;
  }

  waiting(cost: ScriptCost): number {
    return this.#lines.get(cost)?.length ?? 0;
  }

  push(job: Job, cost: ScriptCost): void {
    const line = this.#lines.get(cost);
    if (line === undefined) {
      cost.served = Math.max(cost.served, this.#virtualTime);
      this.#lines.set(cost, [job]);
    } else line.push(job);
    this.size++;
  }

  /** next takes the next job, among the scripts that `isRoom` accepts. */
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
    this.size--;
    if (!job.abandoned) {
      this.#virtualTime = first.served;
      first.served += first.time;
    }
    return job;
  }

  /** takeFast takes the jobs of scripts that may share pipelines by now. */
  takeFast(now: number): Job[] {
    let taken: Job[] = [];
    for (const [cost, jobs] of this.#lines)
      if (cost.isFast(now)) {
        this.#lines.delete(cost);
        taken = taken.concat(jobs);
      }
    this.size -= taken.length;
    return taken;
  }

  /** takeUnless takes every job for which `stays` is false. */
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
    this.size -= taken.length;
    return taken;
  }
}
