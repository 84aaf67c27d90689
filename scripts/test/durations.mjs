/** How long test files took in the last run, so that the longest begin first. Kept beside what is compiled. */
import fs from 'node:fs';
import path from 'node:path';

const FILE = 'dist-test/.durations.json';

/** Bytes of source for each second that a file which never ran is thought to take. */
const BYTES_PER_SECOND = 2_000;

export class Durations {
  #file;
  #project;
  #seconds;

  constructor(project) {
    this.#project = project;
    this.#file = path.join(project, FILE);
    try {
      this.#seconds = JSON.parse(fs.readFileSync(this.#file, 'utf8'));
    } catch {
      this.#seconds = {};
    }
  }

  /** of is how many seconds a file took, or is thought to take; `on` names a server other than the embedded one. */
  of(file, on) {
    return (
      this.#seconds[file + on] ??
      this.#seconds[file] ??
      fs.statSync(path.join(this.#project, file)).size / BYTES_PER_SECOND
    );
  }

  record(file, on, seconds) {
    this.#seconds[file + on] = Math.round(seconds * 100) / 100;
  }

  save() {
    fs.writeFileSync(this.#file, JSON.stringify(this.#seconds));
  }
}
