/**
 * The leading comment of a script: consecutive `--` lines, or one block comment, of SQL or of the template, at the
 * beginning of its text. It is the documentation of the script, and has its directives.
 */
import { lineOf } from '../../base/position.js';

export interface CommentLine {
  /** From 1. */
  readonly line: number;
  /** Without the marks of the comment, and trimmed. */
  readonly text: string;
}

/** leadingComment gives the lines of the comment; none if the text begins with something else. */
export function leadingComment(text: string): CommentLine[] {
  const start = text.search(/\S/);
  if (start === -1) return [];
  if (text.startsWith('--', start)) return dashedLines(text, start);
  const block = BLOCKS.find(([opening]) => matchAt(opening, text, start) !== undefined);
  if (block === undefined) return [];
  const [opening, closing] = block;
  const from = start + matchAt(opening, text, start)!.length;
  const end = text.slice(from).search(closing);
  if (end === -1) return [];
  const first = lineOf(text, start);
  const lines = text.slice(from, from + end).split('\n');
  return lines.map((line, i) => ({
    line: first + i,
    text: line.replace(/^[ \t]*\*+/, '').trim(),
  }));
}

const BLOCKS: readonly (readonly [RegExp, RegExp])[] = [
  [/\/\*/y, /\*\//],
  [/\{\{(?:- )?\s*\/\*/y, /\*\/\s*-?\}\}/],
];

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function dashedLines(text: string, start: number): CommentLine[] {
  const lines: CommentLine[] = [];
  let line = lineOf(text, start);
  for (let at = start; at <= text.length; line++) {
    let end = text.indexOf('\n', at);
    if (end === -1) end = text.length;
    const one = text.slice(at, end).trim();
    if (!one.startsWith('--')) break;
    lines.push({ line, text: one.replace(/^-+/, '').trim() });
    at = end + 1;
  }
  return lines;
}
