/**
 * What was recorded of pREST 2.4.2: requests, and outcomes of what was done to its process. Ours is either the same or
 * names the rows of docs/compatibility.md that tell the difference, and then says what ours is; what turns out to be the
 * same after all fails the test as what differs does.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';

/** What every recording has; `Result` is what is compared. */
export interface Recording<Result> {
  readonly name: string;
  /** The row of docs/compatibility.md, or the rows, that tell how we differ. */
  readonly differs?: string | readonly string[];
  /** What we do instead. */
  readonly ours?: Result;
  readonly note?: string;
}

/** An answer: a body that ends in `…` is the beginning of one. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request as it was sent to pREST, with its answer. */
export interface HttpRequest extends Recording<Answer> {
  readonly config: string;
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  readonly answer: string;
}

/** What came of something that was done to the process, in a few words. */
export interface Outcome extends Recording<string> {
  readonly outcome: string;
}

const FOLDER = path.join(process.cwd(), 'test', 'compatibility', 'exchanges');

/** recordings reads a file of recordings. */
export function recordings<Kind extends HttpRequest | Outcome>(file: string): Kind[] {
  const lines = readFileSync(path.join(FOLDER, `${file}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Kind);
}

/** allRecordings reads all files. */
export function allRecordings(): (HttpRequest | Outcome)[] {
  return readdirSync(FOLDER).flatMap((file) => recordings(path.basename(file, '.jsonl')));
}

/** compare compares what we did with what was recorded; `seen` gives as much of it as another result tells. */
export function compare<Result>(
  t: Test,
  { name, differs, ours }: Recording<Result>,
  recorded: Result,
  seen: (like: Result) => Result,
): void {
  if (differs === undefined) t.strictSame(seen(recorded), recorded, name);
  else {
    t.strictNotSame(seen(recorded), recorded, `${name}: it is not the same`);
    t.strictSame(seen(ours!), ours, `${name}: ${String(differs)}`);
  }
}

/** compareOutcomes does what a file of outcomes names, one after the other, each in a test of its own. */
export function compareOutcomes(
  t: Test,
  file: string,
  outcomes: Readonly<Record<string, (t: Test) => Promise<string>>>,
): void {
  const all = recordings<Outcome>(file);
  t.strictSame(Object.keys(outcomes), all.map(({ name }) => name)); // prettier-ignore
  for (const recording of all)
    t.test(recording.name, async (t) => {
      const outcome = await outcomes[recording.name]!(t);
      compare(t, recording, recording.outcome, () => outcome);
    });
}
