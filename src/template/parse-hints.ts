/**
 * Hints for parse errors: what the author of a template most likely meant. Go's messages stay as they are; a hint follows
 * them.
 */
import { similar } from '../base/nearest.js';
import { lineOf } from '../base/position.js';
import { FUNCTION_NAMES, PARAMETER_FUNCTIONS } from './functions.js';

/** The letters of a word for each edit that a function may be away; a shorter word is more often a parameter. */
const LETTERS = 4;

/**
 * unknownFunction is the hint for a word that is no function. `called` is the function that it would be the first argument
 * of, or '' if it is called itself; undefined in any other place.
 */
export function unknownFunction(word: string, called: string | undefined): string {
  if (called !== undefined && PARAMETER_FUNCTIONS.has(called))
    return `quotes are missing: write {{${called} "${word}"${called === 'defaultOrValue' ? ' …' : ''}}}`;
  const close = similar(word, FUNCTION_NAMES, LETTERS);
  if (close !== undefined) return `the nearest is ${close}`;
  return called === ''
    ? `for the value of a parameter write {{sqlVal "${word}"}}`
    : `for the value of a parameter write .${word}`;
}

/** A control structure, block or definition that has no end yet. */
export interface OpenBlock {
  readonly keyword: string;
  readonly pos: number;
}

export function missingEnd(text: string, open: OpenBlock | undefined): string | undefined {
  if (open === undefined) return undefined;
  return `the {{${open.keyword}}} of line ${lineOf(text, open.pos)} has no {{end}}`;
}
