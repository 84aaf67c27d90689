/**
 * Whether one type may stand for another: for a value that is sent, whether what was valid still is; for one in a response,
 * whether it still looks like one of the old type. Names are those of format_type.
 */

/** Types to those whose values they are a part of. */
const WIDER: ReadonlyMap<string, readonly string[]> = new Map([
  ['smallint', ['integer', 'bigint', 'numeric', 'real', 'double precision']],
  ['integer', ['bigint', 'numeric', 'double precision']],
  ['bigint', ['numeric']],
  ['real', ['double precision']],
]);

/** Types with the same values in JSON. */
const ALIKE: readonly ReadonlySet<string>[] = [
  new Set(['text', 'character varying', 'citext', 'name']),
  new Set(['json', 'jsonb']),
];

/** Text types, which accept every value that is sent. */
const TEXTS = ALIKE[0]!;

function includes(wide: string, narrow: string): boolean {
  if (wide === narrow || WIDER.get(narrow)?.includes(wide) === true) return true;
  if (wide.endsWith('[]') && narrow.endsWith('[]'))
    return includes(wide.slice(0, -2), narrow.slice(0, -2));
  return ALIKE.some((types) => types.has(wide) && types.has(narrow));
}

/**
 * acceptsSent tells whether values that were valid for all of the types `old` are valid for all of `now`. No types are those
 * of a parameter that may be any text.
 */
export function acceptsSent(old: readonly string[], now: readonly string[]): boolean {
  return now.every((type) => TEXTS.has(type) || old.some((one) => includes(type, one)));
}

/** isReturned tells whether a value of one of the types `now` looks like one of a type of `old`. */
export function isReturned(old: readonly string[], now: readonly string[]): boolean {
  return now.every((type) => old.some((one) => includes(one, type)));
}
