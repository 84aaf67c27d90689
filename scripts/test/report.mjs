/** Reads the TAP of test files as it comes: totals, what failed with its diagnosis, and what was skipped. */

/** Outcome is the result of one file. */
export class Outcome {
  passed = 0;
  failed = 0;
  diagnosis = [];
  skipped = [];

  fail(reason) {
    this.failed += 1;
    this.diagnosis.push(reason);
  }
}

/** Report reads one process. A process of several files names each and ends it with a line of totals (together.mjs). */
export class Report {
  /** The file whose lines are read. */
  current;
  /** Whether a file has failed. */
  failed = false;
  #ended;
  #outcome = new Outcome();
  #within = false;
  /** Whether an assertion was seen, and the indentation of the last plan: deeper than a point that sums up a subtest. */
  #asserted = false;
  #planned = 0;

  /** `ended` is called with the name and the Outcome of each file; `file` is the only one of the process, if there is one. */
  constructor(ended, file) {
    this.#ended = ended;
    this.current = file;
  }

  read(line) {
    const mark = /^# file (begins|ends) (\S+) ?(.*)$/.exec(line);
    if (mark?.[1] === 'begins') this.current = mark[2];
    else if (mark) this.#end(JSON.parse(mark[3]));
    else if (/^# \{.*\}$/.test(line)) {
      const count = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(line)?.[1] ?? 0);
      if (this.current !== undefined) {
        this.#end({ pass: count('pass'), fail: count('fail') });
      }
    } else this.#point(line);
  }

  /** close ends the file that has not ended when its process has. */
  close(reason) {
    this.#outcome.fail(reason);
    this.#report();
  }

  #point(line) {
    const indentation = line.search(/\S/);
    if (/^\s*1\.\.\d+/.test(line)) this.#planned = indentation;
    else if (/^\s*(not )?ok \d+/.test(line)) {
      this.#asserted ||= this.#planned <= indentation || / # (SKIP|TODO)\b/.test(line);
      this.#planned = 0;
    }
    const skip = /^\s*ok \d+ - (.*?) # SKIP ?(.*)$/.exec(line);
    if (skip) this.#outcome.skipped.push(skip[2] ? `${skip[1]} (${skip[2]})` : skip[1]);
    if (/^\s*(not ok |Bail out!)/.test(line) && !/# TODO/.test(line)) this.#within = true;
    else if (/^\s*(ok |not ok |# Subtest|\d+\.\.\d+)/.test(line)) this.#within = false;
    if (this.#within) this.#outcome.diagnosis.push(line);
  }

  #end({ pass = 0, fail = 0 }) {
    const outcome = this.#outcome;
    outcome.passed = pass;
    outcome.failed = fail;
    // tap counts a subtest without assertions as one that has passed.
    if (!this.#asserted) outcome.passed = 0;
    if (!this.#asserted) outcome.fail('it has no assertion');
    this.#report();
  }

  #report() {
    this.failed ||= this.#outcome.failed > 0;
    this.#ended(this.current, this.#outcome);
    this.current = undefined;
    this.#outcome = new Outcome();
    this.#within = false;
    this.#asserted = false;
  }
}
