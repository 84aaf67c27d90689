/**
 * Printed text, with the ranges of it that come from a request. Fails for text beyond the output limit, and if text of a
 * request forms SQL syntax together with adjacent text.
 */
import { normalize } from './byte-string.js';
import { FunctionFailure, RefusedValue } from './errors.js';
import { Tainted, type Part } from './kinds.js';
import { MAX_OUTPUT } from './limits.js';
import { formsSyntax } from './neighbours.js';

export class PrintedText {
  #out = '';
  /** The formatted text of tainted values. */
  readonly #segments: Part[] = [];
  /** The ranges of that text that came from parameters. */
  readonly #parts: Part[] = [];

  get length(): number {
    return this.#out.length;
  }

  write(text: string): void {
    this.#out += text;
    if (this.#out.length > MAX_OUTPUT) throw new FunctionFailure('result exceeds 4 MiB');
  }

  /** value writes the text of a value; with an origin it is a segment. */
  value(text: string, origin: string | undefined): void {
    const start = this.#out.length;
    this.write(text);
    if (origin === undefined) return;
    const segment: Part = [start, this.#out.length, origin];
    this.#segments.push(segment);
    this.#parts.push(segment);
  }

  /** compose keeps the parts of a value composed of several texts if it was written at `start` unchanged, padded or not. */
  compose(start: number, { text, parts }: Tainted): void {
    if (parts === undefined) return;
    const at = this.#out.indexOf(text, start);
    if (at < 0 || this.#parts.at(-1)?.[0] !== start) return;
    this.#parts.pop();
    for (const [from, to, origin] of parts) this.#parts.push([at + from, at + to, origin]);
  }

  /** finish returns the text, tainted if any segment is. */
  finish(): string | Tainted {
    const out = normalize(this.#out);
    if (this.#segments.length === 0) return out;
    for (const [start, end, origin] of this.#segments) {
      // For an empty segment both are the boundary between its neighbours.
      const before = start > 0 && formsSyntax(this.#out, start, false);
      const after = end < this.#out.length && formsSyntax(this.#out, end, start < end);
      if (before || after) throw new RefusedValue(origin);
    }
    const parts = out === this.#out ? this.#parts : this.#parts.map(this.#normal, this);
    return new Tainted(out, this.#segments[0]![2], parts);
  }

  /** A part with its offsets in the normalized text. */
  #normal([start, end, origin]: Part): Part {
    const at = (offset: number): number => normalize(this.#out.slice(0, offset)).length;
    return [at(start), at(end), origin];
  }
}
