/**
 * What may stand for a value of the caller in a statement that PostgreSQL is asked about: a placeholder, so that it tells the
 * type; where that cannot be, a constant; and names, which never stand for all values.
 */
import { identifier } from '../../base/quote.js';
import { END, QUOTED, SqlScanner, WORD } from '../../template/sql-scanner.js';
import type { Place } from './places.js';

export interface Candidate {
  /** Undefined for a placeholder. */
  readonly sql: string | undefined;
  /** Whether a statement that is valid with it is valid with every value, as far as types go. */
  readonly general: boolean;
  /** Whether it is a name, so that what else is wrong may be wrong with this name only. */
  readonly named: boolean;
}

/** Most names that are tried at one place. */
const MOST_NAMES = 40;

/** Texts that may be an instance of a type whose constants are quoted: a number, a date, an empty array or object. */
const INSTANCES: readonly string[] = ['1', '2000-01-01', '{}'];

const PLACEHOLDER: Candidate = { sql: undefined, general: true, named: false };

/**
 * candidatesOf gives the candidates for places of a kind with the same text, `token`, with `slots` in it, in the order in
 * which they are tried; `names` are those that the place may want.
 */
export function candidatesOf(
  { kind, called }: Pick<Place, 'kind' | 'called'>,
  token: string,
  slots: readonly (readonly [start: number, end: number])[],
  names: readonly string[],
): Candidate[] {
  if (kind === 'literal' || kind === 'quoted') {
    const kept = INSTANCES.map((instance) => constantOf(filled(token, slots, instance), true));
    return kind === 'literal' && token.startsWith("'") ? [PLACEHOLDER, ...kept] : kept;
  }
  const named = names.slice(0, MOST_NAMES).map((name): Candidate => ({
    sql: identifier(name),
    general: false,
    named: true,
  }));
  if (kind === 'name') return named;
  const one = constantOf('1', kind === 'value');
  const words = WORDS.map((word) => constantOf(word, false));
  const all = kind === 'item' ? [one, ...named] : [PLACEHOLDER, one, ...words, ...named];
  if (!called) return all;
  // What is wrong with all of them may be right with another function.
  const functions = FUNCTIONS.map((name) => constantOf(name, false));
  return [...functions, ...all].map((candidate) => ({ ...candidate, named: true }));
}

/** Functions that take a number, or a text. */
const FUNCTIONS: readonly string[] = ['max', 'lower', 'abs'];

/** Keywords and operators that scripts let callers send. */
const WORDS: readonly string[] = ['ASC', '=', 'AND'];

function constantOf(sql: string, general: boolean): Candidate {
  return { sql, general, named: false };
}

function filled(
  token: string,
  slots: readonly (readonly [start: number, end: number])[],
  instance: string,
): string {
  let text = '';
  let copied = 0;
  for (const [start, end] of slots) {
    text += token.slice(copied, start) + instance;
    copied = end;
  }
  return text + token.slice(copied);
}

/** namesIn lists the names in a statement, which may be columns that a caller chooses from. */
export function namesIn(text: string): string[] {
  const names = new Set<string>();
  const scanner = new SqlScanner(text);
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    if (kind === WORD) names.add(scanner.value().toLowerCase());
    else if (kind === QUOTED) names.add(scanner.value().slice(1, -1).replaceAll('""', '"'));
  }
  return [...names].filter((name) => !KEYWORDS.has(name));
}

/** Words that are no names in most statements; others are only tried in vain. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'select from where and or not in is null as on join left right inner outer full cross using order by group having limit ' +
    'offset union all distinct case when then else end with insert into values update set delete returning asc desc like ilike ' +
    'between exists true false any interval date count sum coalesce now'
  ).split(' '),
);
