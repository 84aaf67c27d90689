/**
 * The coverage of a template by one rendering: its whole text in pieces, with what became of each. Determined only for who
 * asks, from what every rendering records, so that rendering does not pay for it.
 */
import { Lexer } from './lexer.js';
import type { Trace } from './placement.js';
import type { Source } from './source.js';
import { TokenType as T } from './token.js';

/** Joined, the texts of the pieces are the text of the template. */
export interface Piece {
  readonly text: string;
  /**
   * `rendered`: literal text, or an action, that is in the output. `skipped`: one that is not, because its branch was not
   * taken or its value was empty. `control`: what never has output, such as conditions, comments and trimmed white space.
   */
  readonly state: 'rendered' | 'skipped' | 'control';
}

/** coverageOf gives the pieces of a template in the order of its text. */
export function coverageOf({ source, marks }: Pick<Trace, 'source' | 'marks'>): readonly Piece[] {
  const rendered = new Set<number>();
  for (let i = 1; i < marks.length; i += 2) rendered.add(marks[i]!);
  const { text } = source;
  const pieces: Piece[] = [];
  let at = 0;
  const add = (end: number, state: Piece['state']): void => {
    const last = pieces.at(-1);
    if (end === at) return;
    if (last?.state === state)
      pieces[pieces.length - 1] = { text: last.text + text.slice(at, end), state };
    else pieces.push({ text: text.slice(at, end), state });
    at = end;
  };
  for (const { start, end, mark } of outputs(source)) {
    add(start, 'control');
    add(end, rendered.has(mark) ? 'rendered' : 'skipped');
  }
  add(text.length, 'control');
  return pieces;
}

/** A range of a template that may have output, and what a rendering then records for it. */
interface Output {
  readonly start: number;
  readonly end: number;
  readonly mark: number;
}

/** The template is valid: it was rendered. */
function* outputs({ text }: Source): Generator<Output> {
  const lexer = new Lexer(text);
  for (;;) {
    const { type, pos, value } = lexer.next();
    if (type === T.eof) return;
    if (type === T.text) yield { start: pos, end: pos + value.length, mark: pos };
    if (type !== T.leftDelim) continue;
    let token = lexer.next();
    while (token.type === T.space) token = lexer.next();
    const first = token;
    let assigns = false;
    for (; token.type !== T.rightDelim; token = lexer.next())
      assigns ||= token.type === T.declare || token.type === T.assign;
    const prints = !CONTROL.has(first.type) && !(first.type === T.variable && assigns);
    if (prints) yield { start: pos, end: token.pos + 2, mark: ~first.pos };
  }
}

const CONTROL: ReadonlySet<T> = new Set([
  T.block,
  T.break,
  T.continue,
  T.define,
  T.else,
  T.end,
  T.if,
  T.range,
  T.template,
  T.with,
]);
