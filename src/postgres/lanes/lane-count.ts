/**
 * How many pipelines fast statements share under load. More let PostgreSQL work on more of them at a time, and group their
 * commits; but where its processors are busy already, more backends only take turns, and each result wakes this thread by
 * itself. Which of these holds depends on the machine and on the statements, so it is measured: a number is kept if the
 * mean time of a job, from its queue to its result, gets shorter with it. While jobs wait for a place in a pipeline all the
 * time, their times also show how the queue grows or shrinks by itself; then a number is kept if more jobs end with it. With
 * equal results the smaller number is kept.
 */

/** A measurement takes at least this many jobs and the shortest time, ms; after the longest time, ms, it is discarded. */
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

/** Jobs that wait for a place in a pipeline from which there is a backlog. */
const BACKLOG = 16;

/**
 * More pipelines are kept if the time falls to GAIN of what it was; fewer, if it rises to no more than TIE. Measurements differ
 * by a tenth by themselves, and too many pipelines harm more than too few: a backend that waits for a processor delays all
 * behind it.
 */
const GAIN = 0.87;
const TIE = 1.05;

/** GAIN while there is a backlog: too few pipelines then delay all jobs by more and more, so that less must be enough. */
const BACKLOG_GAIN = 0.9;

/**
 * How long the number that a backlog needed stays the least one when too few jobs are in flight to tune it, ms: load comes in
 * waves. Renewed while jobs end at least half as often: few may be in flight because of that number. Without a backlog the
 * least number is enough, and costs PostgreSQL the least time.
 */
const REMEMBERED = 10_000;

/** Longest time from one trial to the next, ms: it doubles when neither more nor fewer are better. */
const LONGEST_PAUSE = 6_400;

/** When jobs end this many times less often than before, the load has changed: what was measured does not hold for it. */
const OTHERS = 2;

/** What a number of pipelines was measured to do. Times in ms. */
interface Measured {
  /** Mean time of a job, from its queue to its result. */
  readonly mean: number;
  /** Time from one job's end to the next. */
  readonly pace: number;
  /** There was a backlog at its beginning and at its end. */
  readonly backlog: boolean;
}

export class LaneCount {
  readonly #waiting: () => number;
  /** The number in use; undefined while there is too little to do to tune it. */
  #lanes: number | undefined;
  /** The pace of the number, ms, when a trial in a backlog has confirmed it: it won, or the one tried instead lost. */
  #confirmed: number | undefined;
  /** The least number while there is too little to do. */
  #least = SHARED;
  /** Until when that holds, ms, and the pace up to which it is renewed, ms. */
  #leastUntil = 0;
  #leastPace = 0;
  /** The number before the trial that is being measured; undefined without one. */
  #before: number | undefined;
  /** What the number that is kept was measured to do; undefined when not known. */
  #kept: Measured | undefined;
  /** More pipelines are tried next, or fewer. */
  #more = true;
  /** The number that follows from expected times, where tuning begins. */
  #expected = SHARED;
  #most = SHARED;
  /** Trials in a row without an improvement, and the earliest time of the next one, ms. */
  #failures = 0;
  #resumeAt = 0;
  /** When the measurement began, ms, and whether there was a backlog. */
  #began = 0;
  #backlog = false;
  /** Jobs that ended since. */
  #ended = 0;
  /** Of them those that were queued since it began, and their times added up. */
  #jobs = 0;
  #times = 0;

  /** `waiting` gives how many jobs wait for a place in a pipeline. */
  constructor(waiting: () => number) {
    this.#waiting = waiting;
  }

  /**
   * choose gives the number of pipelines at time `now`, ms: `expected`, which follows from the expected times of the
   * statements, until another one is measured to be better. `most` is the number of connections.
   */
  choose(expected: number, most: number, now: number): number {
    // Not less than SHARED: a reload or a borrower may leave fewer connections, down to none, but only for a while.
    most = Math.max(most, SHARED);
    if (this.#lanes !== undefined && now - this.#began > LONGEST) this.#pause(now);
    this.#most = most;
    if (now < this.#leastUntil) expected = Math.max(expected, this.#least);
    this.#expected = Math.min(expected, most);
    return this.#lanes === undefined ? this.#expected : Math.min(this.#lanes, most);
  }

  /** record takes a job that shared a pipeline, was queued at time `since` and ended at `now`, ms. */
  record(since: number, now: number): void {
    this.#ended++;
    if (since >= this.#began) {
      this.#jobs++;
      this.#times += now - since;
    }
    const took = now - this.#began;
    if (this.#ended < JOBS || took < SHORTEST) return;
    const backlog = this.#waiting() >= BACKLOG;
    // The others were queued with another number.
    if (!backlog && this.#jobs < JOBS) return;
    const measured = {
      mean: this.#jobs > 0 ? this.#times / this.#jobs : Infinity,
      pace: took / this.#ended,
      backlog: backlog && this.#backlog,
    };
    // Little's law; less than the true number, as jobs that were queued before are not counted.
    const inFlight = this.#times / took;
    if (took > LONGEST) this.#pause(now);
    else if (!backlog && !this.#backlog && inFlight < BUSY) this.#settle(measured, now);
    else if (this.#lanes === undefined) this.#use(this.#expected, now);
    else if (backlog === this.#backlog)
      this.#decide(
        measured,
        backlog ? this.#most : Math.min(this.#most, Math.floor(inFlight)),
        now,
      );
    else this.#queueChanged(measured, backlog, now);
  }

  /** `limit` is the greatest number to try. */
  #decide(measured: Measured, limit: number, now: number): void {
    const kept = this.#kept;
    const isOther = kept !== undefined && measured.pace > kept.pace * OTHERS;
    if (this.#before !== undefined && (!isOther || isBetter(measured, kept, this.#more))) {
      if (!this.#judge(measured, now)) return;
    } else if (isOther) {
      this.#leastUntil = 0;
      this.#stop(now);
      return;
    }
    const lanes = this.#lanes!;
    this.#kept = measured;
    if (now < this.#resumeAt) {
      this.#use(lanes, now);
      return;
    }
    const next = this.#more
      ? Math.min(lanes + Math.ceil(lanes / 2), limit)
      : Math.max(lanes - Math.ceil(lanes / 3), SHARED);
    if (this.#more ? next > lanes : next < lanes) {
      this.#before = lanes;
      this.#use(next, now);
    } else {
      this.#more = !this.#more;
      this.#use(lanes, now);
    }
  }

  /** Ends a trial, and returns whether its number is kept; if not, the one before is measured again. */
  #judge(measured: Measured, now: number): boolean {
    const kept = this.#kept!;
    const better = isBetter(measured, kept, this.#more);
    if (kept.backlog) this.#confirmed = better ? measured.pace : kept.pace;
    if (better) {
      this.#before = undefined;
      this.#failures = 0;
    } else this.#giveUp(now);
    return better;
  }

  /** Goes back to the number before the trial, and to trials in the other direction. */
  #giveUp(now: number): void {
    this.#failures++;
    this.#more = !this.#more;
    if (this.#failures > 1)
      this.#resumeAt = now + Math.min(SHORTEST * 2 ** this.#failures, LONGEST_PAUSE);
    this.#use(this.#before, now);
    this.#before = undefined;
  }

  /**
   * A queue came or went during the measurement, which says nothing about the number by itself. But in a trial a queue goes
   * because of it if more jobs ended than before, and comes because of fewer pipelines if jobs took longer.
   */
  #queueChanged(measured: Measured, came: boolean, now: number): void {
    if (this.#before === undefined) this.#use(this.#lanes, now);
    else if (came ? this.#more : !isBetter(measured, this.#kept!, this.#more)) this.#giveUp(now);
    else if (this.#judge(measured, now)) this.#use(this.#lanes, now);
    this.#kept = undefined;
  }

  #use(lanes: number | undefined, now: number): void {
    this.#lanes = lanes;
    this.#began = now;
    this.#backlog = this.#waiting() >= BACKLOG;
    this.#ended = 0;
    this.#jobs = 0;
    this.#times = 0;
  }

  /** Too few jobs are in flight to tune the number. */
  #settle(measured: Measured, now: number): void {
    const kept = this.#kept;
    // Where the load has ended, jobs take less time for that reason.
    const isSameLoad = kept !== undefined && measured.pace <= kept.pace * TIE;
    if (this.#before !== undefined && isSameLoad && isBetter(measured, kept, this.#more))
      this.#judge(measured, now);
    if (this.#confirmed !== undefined)
      this.#remember(Math.min(measured.pace, this.#confirmed), now);
    else if (now < this.#leastUntil && measured.pace <= this.#leastPace)
      this.#leastUntil = now + REMEMBERED;
    this.#stop(now);
  }

  /** No measurement ended in time: there are hardly any jobs, or they stall. */
  #pause(now: number): void {
    if (this.#confirmed !== undefined) this.#remember(this.#confirmed, this.#began);
    this.#stop(now);
  }

  #remember(pace: number, now: number): void {
    this.#least = this.#before ?? this.#lanes!;
    this.#leastPace = pace * OTHERS;
    this.#leastUntil = now + REMEMBERED;
  }

  #stop(now: number): void {
    this.#use(undefined, now);
    this.#confirmed = undefined;
    this.#before = undefined;
    this.#kept = undefined;
    this.#failures = 0;
    this.#resumeAt = 0;
  }
}

/** Whether a trial with more pipelines, or with fewer, is to be kept. */
function isBetter(trial: Measured, kept: Measured, more: boolean): boolean {
  if (!kept.backlog) return trial.mean <= kept.mean * (more ? GAIN : TIE);
  // A backlog that is gone counts only if jobs ended no less often: else fewer came.
  const gain = trial.backlog ? BACKLOG_GAIN : 1;
  return trial.pace <= kept.pace * (more ? gain : TIE);
}
