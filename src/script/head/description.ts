/**
 * The description of a script: its leading comment, in SQL or as a template comment, without its directives. Actions and
 * invisible characters are removed, and the length is limited.
 */
import { leadingComment } from './leading-comment.js';
import { isDirective } from './parse-head.js';

/** Most characters of a description. */
const LONGEST = 1_000;

/** Characters of a script that are searched. */
const SEARCHED = 10_000;

/** descriptionOf is the leading comment of a script's text, on one line; empty without one. */
export function descriptionOf(script: string): string {
  const lines = leadingComment(script.slice(0, SEARCHED)).map(({ text }) => text);
  const comment = lines.filter((line) => !isDirective(line)).join('\n');
  const plain = comment.replace(ACTION, ' ').replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
  if (plain.length <= LONGEST) return plain;
  const cut = plain.slice(0, LONGEST);
  return `${cut.slice(0, cut.lastIndexOf(' ') + 1 || LONGEST).trimEnd()}…`.toWellFormed();
}

const ACTION = /\{\{[^]*?\}\}/g;

/** Control and invisible characters: a person must be able to see everything that a model reads. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;
