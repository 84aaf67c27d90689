/**
 * The description of a script: its leading comment, in SQL or as a template comment. Actions and invisible characters
 * are removed, and the length is limited.
 */

/** Most characters of a description. */
const LONGEST = 1_000;

/** Characters of a script that are searched. */
const SEARCHED = 10_000;

/** leadingComment is the comment at the beginning of a script's text, on one line; empty if there is none. */
export function leadingComment(script: string): string {
  const text = script.slice(0, SEARCHED).trimStart();
  const comment = LINES.exec(text)?.[0].replace(LINE_START, ' ') ?? blockOf(text) ?? '';
  const plain = comment.replace(ACTION, ' ').replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
  if (plain.length <= LONGEST) return plain;
  const cut = plain.slice(0, LONGEST);
  return `${cut.slice(0, cut.lastIndexOf(' ') + 1 || LONGEST).trimEnd()}…`.toWellFormed();
}

/** Consecutive lines that are comments. */
const LINES = /^(?:--[^\n]*(?:\n[ \t]*(?=--)|$|(?=\n)))+/;
const LINE_START = /(?:^|\n)[ \t]*--+/g;

const ACTION = /\{\{[^]*?\}\}/g;

/** Control and invisible characters: a person must be able to see everything that a model reads. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;

/** The text of a block comment, of SQL or of the template. */
function blockOf(text: string): string | undefined {
  const block =
    /^\/\*([^]*?)\*\//.exec(text) ?? /^\{\{(?:- )?\s*\/\*([^]*?)\*\/\s*-?\}\}/.exec(text);
  return block?.[1]?.replace(/^[ \t]*\*+/gm, ' ');
}
