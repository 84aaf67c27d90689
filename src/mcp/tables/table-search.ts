/**
 * Searches tables by words in the names and comments of tables and columns. A table that has more of the words
 * comes before others, and its name counts more than its columns.
 */
import { checkLength } from '../arguments/checked-arguments.js';
import { ArgumentError } from '../arguments/argument-error.js';
import type { Table } from './table.js';

/** Longest search, characters. */
const LONGEST = 1_000;

/** Most words, and columns that are named for a table. */
const MOST_WORDS = 20;
const MOST_COLUMNS = 10;

/** What a word counts where it is found. */
const IN_NAME = 8;
const IN_COMMENT = 4;
const IN_COLUMN = 2;
const IN_COLUMN_COMMENT = 1;

/** What each further word counts, above all places. */
const WORD = 16;

export interface Found {
  readonly table: Table;
  readonly score: number;
  /** Names of the columns in which a word was found. */
  readonly columns: readonly string[];
}

export class Search {
  readonly #words: readonly string[];

  /** Throws ArgumentError for a text without words, or with too many. */
  constructor(text: string) {
    if (text.length > LONGEST)
      throw new ArgumentError(`search must have at most ${LONGEST} characters: some words.`);
    const words = new Set(
      text
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
        ?.map(stem),
    );
    if (words.size === 0)
      throw new ArgumentError('search must have words to look for; leave it out for all tables.');
    this.#words = [...words];
    checkLength('search', this.#words, MOST_WORDS);
  }

  find(table: Table): Found | undefined {
    const name = `${table.schema}.${table.name}`.toLowerCase();
    const comment = table.description?.toLowerCase();
    const columns = table.columns.map((column) => ({
      column: column.name,
      name: column.name.toLowerCase(),
      comment: column.description?.toLowerCase(),
    }));
    const matched = new Set<string>();
    let score = 0;
    for (const word of this.#words) {
      let best = name.includes(word) ? IN_NAME : comment?.includes(word) === true ? IN_COMMENT : 0;
      for (const one of columns) {
        const named = one.name.includes(word);
        if (!named && one.comment?.includes(word) !== true) continue;
        matched.add(one.column);
        best = Math.max(best, named ? IN_COLUMN : IN_COLUMN_COMMENT);
      }
      if (best > 0) score += WORD + best;
    }
    if (score === 0) return undefined;
    return { table, score, columns: [...matched].slice(0, MOST_COLUMNS) };
  }
}

/** The beginning that singular and plural of an English word have in common. */
function stem(word: string): string {
  if (word.length > 4 && /(?:ies|y)$/.test(word)) return word.replace(/(?:ies|y)$/, '');
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
