/**
 * What a script says of itself: the comment that it begins with, in SQL or of the template. Only text comes out of it:
 * no actions, no control characters, nothing that cannot be seen, and not too much.
 */

/** Most characters of a description. */
const LONGEST = 1_000;

/** Most of a script's text that is looked at. */
const LOOKED_AT = 10_000;

/** leadingComment is the comment at the beginning of a script's text, on one line; empty when there is none. */
export function leadingComment(script: string): string {
  const text = script.slice(0, LOOKED_AT).trimStart();
  const comment = LINES.exec(text)?.[0].replace(LINE_START, ' ') ?? blockOf(text) ?? '';
  const plain = comment.replace(ACTION, ' ').replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
  if (plain.length <= LONGEST) return plain;
  const cut = plain.slice(0, LONGEST);
  return `${cut.slice(0, cut.lastIndexOf(' ') + 1 || LONGEST).trimEnd()}…`.toWellFormed();
}

/** Lines that are comments, none left out. */
const LINES = /^(?:--[^\n]*(?:\n[ \t]*(?=--)|$|(?=\n)))+/;
const LINE_START = /(?:^|\n)[ \t]*--+/g;

const ACTION = /\{\{[^]*?\}\}/g;

/** Control characters, and those that show nothing: a reader is to see all that a model reads. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;

/** What a comment of one piece holds, of SQL or of the template. */
function blockOf(text: string): string | undefined {
  const block =
    /^\/\*([^]*?)\*\//.exec(text) ?? /^\{\{(?:- )?\s*\/\*([^]*?)\*\/\s*-?\}\}/.exec(text);
  return block?.[1]?.replace(/^[ \t]*\*+/gm, ' ');
}
