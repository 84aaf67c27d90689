/**
 * The placement of interpolated text in a rendered statement: inside a string constant or a comment, or outside, where
 * it is SQL. Determined only after a statement has failed, so rendering does not pay for it.
 */
import type { Part } from './kinds.js';
import { END, QUOTED, skipComment, SqlScanner, STRING } from './sql-scanner.js';
import type { Source } from './source.js';
import { fieldUsageOf } from './usage-walk.js';

/** Interpolated describes the text of parameters outside string constants and comments. */
export interface Interpolated {
  /** Parameters with such text. */
  readonly sent: readonly string[];
  /** Whether there is text of absent parameters, and their names as far as known. */
  readonly absent: boolean;
  readonly missing: readonly string[];
}

/** What a rendering records besides its text. */
export interface Trace {
  readonly source: Source;
  /** See `locate` in source.ts. */
  readonly marks: readonly number[];
  readonly parts: readonly Part[] | undefined;
  readonly identifiers: ReadonlyMap<string, string> | undefined;
}

/** The rendered forms of an absent value: by itself, by print and printf, by html. */
const ABSENT = /(?:<|&lt;)(?:no value|nil)/g;

/** interpolatedIn finds the text of parameters outside string constants and comments. */
export function interpolatedIn(text: string, trace: Trace): Interpolated {
  const spans = inertSpans(text, false);
  const sent = new Set<string>();
  const missing = new Set<string>();
  for (const [start, end, parameter] of trace.parts ?? [])
    if (!isWithin(spans, start, end)) sent.add(parameter);
  for (const [quoted, parameter] of trace.identifiers ?? [])
    for (let at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + quoted.length))
      if (!isWithin(spans, at, at + quoted.length)) sent.add(parameter);
  let absent = false;
  for (const [start, end, place] of printed(text, trace.marks, ABSENT)) {
    if (isWithin(spans, start, end)) continue;
    absent = true;
    for (const name of fieldsByAction(trace.source).get(place) ?? []) missing.add(name);
  }
  return { sent: [...sent], absent, missing: [...missing] };
}

/** interpolatedAt are the parameters with text in the token at an offset of a text. */
export function interpolatedAt(text: string, { parts }: Trace, offset: number): readonly string[] {
  const token = new SqlScanner(text, offset);
  token.next();
  const inside = (parts ?? []).filter(([start, end]) => start < token.end && end > token.start);
  return [...new Set(inside.map(([, , parameter]) => parameter))];
}

/**
 * misplacedPlaceholder is the offset of the first of `count` placeholders inside quotes or a comment, where it is only
 * text, or undefined.
 */
export function misplacedPlaceholder(
  text: string,
  { marks }: Trace,
  count: number,
): number | undefined {
  if (count === 0) return undefined;
  const spans = inertSpans(text, true);
  for (const [start, end] of printed(text, marks, PLACEHOLDER))
    if (Number(text.slice(start + 1, end)) <= count && isWithin(spans, start, end)) return start;
  return undefined;
}

/** A placeholder of a bound value. */
export const PLACEHOLDER = /\$\d+/g;

/** printed gives the matches in the output of actions: start, end, and the offset of the action in the template. */
export function* printed(
  text: string,
  marks: readonly number[],
  pattern: RegExp,
): Generator<[start: number, end: number, place: number]> {
  for (let i = 0; i < marks.length; i += 2) {
    const [start, place] = [marks[i]!, marks[i + 1]!];
    if (place >= 0) continue; // the template's own text
    for (const { index, 0: match } of text.slice(start, marks[i + 2]).matchAll(pattern))
      yield [start + index, start + index + match.length, ~place];
  }
}

export type Span = readonly [start: number, end: number];

/** inertSpans are the string constants and comments of a text, in order; with `quoted`, quoted identifiers too. */
export function inertSpans(text: string, quoted: boolean): Span[] {
  const spans: Span[] = [];
  const scanner = new SqlScanner(text);
  for (;;) {
    const from = scanner.end;
    const kind = scanner.next();
    for (let i = from; i < scanner.start;) {
      const end = skipComment(text, i);
      // An empty value at the end of a line comment is inside it.
      if (end > i) spans.push([i, text.startsWith('--', i) ? end + 1 : end]);
      i = Math.max(end, i + 1);
    }
    if (kind === END) return spans;
    if (kind === STRING || (quoted && kind === QUOTED)) spans.push([scanner.start, scanner.end]);
  }
}

function isWithin(spans: readonly Span[], start: number, end: number): boolean {
  return spanOf(spans, start, end) !== undefined;
}

/** spanOf is the span in which a range of the text lies, after its opening character. */
export function spanOf(spans: readonly Span[], start: number, end: number): Span | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]![0] < start) low = middle + 1;
    else high = middle;
  }
  const span = spans[low - 1];
  return span !== undefined && start < span[1] && end <= span[1] ? span : undefined;
}

const known = new WeakMap<Source, ReadonlyMap<number, ReadonlySet<string>>>();

/** The fields that each action of a template may print, by the action's offset. */
function fieldsByAction(source: Source): ReadonlyMap<number, ReadonlySet<string>> {
  let actions = known.get(source);
  if (actions === undefined) {
    ({ actions } = fieldUsageOf(source.text, source.name));
    known.set(source, actions);
  }
  return actions;
}
