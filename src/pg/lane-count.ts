/**
 * How many pipelines fast statements share under load. More let PostgreSQL work on more of them at a time, and group their
 * commits; but where its processors are busy already, more backends only take turns, and each result wakes this thread by
 * itself. Which of these holds depends on the machine and on the statements, so it is measured: a number is kept if the
 * mean time of a job, from its queue to its result, gets shorter with it. With equal times the smaller number is kept.
 */

/** A measurement ends with this many jobs, and not before this time, ms; it is given up after the longest time, ms. */
const JOBS = 128;
const SHORTEST = 100;
const LONGEST = 1_000;

/** Least number of pipelines. */
export const SHARED = 2;

/**
 * Jobs in flight on average from which the number is tuned. With fewer, jobs hardly wait for each other: more pipelines then
 * keep fast ones away from slower ones, which the mean time does not show.
 */
const BUSY = 16;

/**
 * More pipelines must shorten the time to this part of it; fewer may lengthen it to this one. Measurements differ by a tenth
 * by themselves, and too many pipelines harm more than too few: a backend that waits for a processor delays all behind it.
 */
const GAIN = 0.87;
const TIE = 1.05;

/** Longest time from one trial to the next, ms: it doubles when neither more nor fewer are better. */
const LONGEST_PAUSE = 6_400;

/** Jobs that end this many times less often than before are other ones: what was measured does not hold for them. */
const OTHERS = 2;

export class LaneCount {
  /** The number in use; undefined while there is too little to do to tune it. */
  #lanes: number | undefined;
  /** The number before the trial that is being measured; undefined when there is none. */
  #before: number | undefined;
  /** Mean time of a job with the number that is kept, ms, and the time from one job's end to the next; 0 when not known. */
  #kept = 0;
  #pace = 0;
  #up = true;
  /** The number that follows from expected times, where tuning begins, and the number of connections. */
  #expected = SHARED;
  #most = SHARED;
  /** Trials in a row without an improvement, and the earliest time of the next one, ms. */
  #failures = 0;
  #resumeAt = 0;
  /** The measurement: when it began, ms; its jobs, and their times added up. */
  #began = 0;
  #jobs = 0;
  #times = 0;

  /**
   * choose gives the number of pipelines at time `now`, ms: `expected`, which follows from the expected times of the
   * statements, until another one is measured to be better. `most` is the number of connections.
   */
  choose(expected: number, most: number, now: number): number {
    // Not less than SHARED: a reload or a borrower may leave fewer connections, down to none, but only for a while.
    most = Math.max(most, SHARED);
    this.#expected = Math.min(expected, most);
    this.#most = most;
    if (this.#lanes === undefined) return expected;
    if (now - this.#began <= LONGEST) return Math.min(this.#lanes, most);
    this.#stop(now);
    return expected;
  }

  /** record takes a job that shared a pipeline, was queued at time `since` and ended at `now`, ms. */
  record(since: number, now: number): void {
    if (since < this.#began) return; // it was queued with another number
    this.#jobs++;
    this.#times += now - since;
    const took = now - this.#began;
    if (this.#jobs < JOBS || took < SHORTEST) return;
    // Little's law; less than the true number, as jobs that were queued before are not counted.
    const inFlight = this.#times / took;
    if (inFlight < BUSY || took > LONGEST) this.#stop(now);
    else if (this.#lanes === undefined) this.#use(this.#expected, now);
    else this.#measured(this.#times / this.#jobs, inFlight, now);
  }

  #measured(mean: number, inFlight: number, now: number): void {
    const lanes = this.#lanes!;
    const pace = mean / inFlight;
    if (this.#before !== undefined) {
      const better = this.#up ? mean < this.#kept * GAIN : mean <= this.#kept * TIE;
      if (better) this.#failures = 0;
      else {
        this.#failures++;
        this.#up = !this.#up;
        if (this.#failures > 1)
          this.#resumeAt = now + Math.min(SHORTEST * 2 ** this.#failures, LONGEST_PAUSE);
        this.#use(this.#before, now);
        this.#before = undefined;
        return;
      }
      this.#before = undefined;
    } else if (this.#pace > 0 && pace > this.#pace * OTHERS) {
      this.#stop(now);
      return;
    }
    this.#kept = mean;
    this.#pace = pace;
    if (now < this.#resumeAt) {
      this.#use(lanes, now);
      return;
    }
    const limit = Math.min(this.#most, Math.floor(inFlight));
    const next = this.#up
      ? Math.min(lanes + Math.ceil(lanes / 2), limit)
      : Math.max(lanes - Math.ceil(lanes / 3), SHARED);
    if (this.#up ? next > lanes : next < lanes) {
      this.#before = lanes;
      this.#use(next, now);
    } else {
      this.#up = !this.#up;
      this.#use(lanes, now);
    }
  }

  #use(lanes: number, now: number): void {
    this.#lanes = lanes;
    this.#began = now;
    this.#jobs = 0;
    this.#times = 0;
  }

  #stop(now: number): void {
    this.#use(0, now);
    this.#lanes = undefined;
    this.#before = undefined;
    this.#pace = 0;
    this.#failures = 0;
    this.#resumeAt = 0;
  }
}
