/** Names in a client for the folders and scripts of a service: valid, the same every time, and each used once. */

/** Names that mean something on every object, or to `await` and JSON.stringify. */
const TAKEN: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
  'then',
  'toJSON',
]);

/** isTaken tells whether the name of a member has a meaning of its own. */
export function isTaken(name: string): boolean {
  return TAKEN.has(name);
}

/**
 * camelName gives the identifier for a name of letters, digits, `_` and `-`: `in-categories` becomes `inCategories`. Letters
 * may be of any alphabet.
 */
export function camelName(name: string): string {
  const [first = '', ...others] = name.split(/[^\p{ID_Continue}$]+/u).filter((part) => part !== '');
  const joined = first + others.map(capitalized).join('');
  const valid = /^[\p{ID_Start}_$]/u.test(joined) ? joined : `_${joined}`;
  return isTaken(valid) ? `${valid}_` : valid;
}

/** pascalName gives the part of a type's name for an identifier. */
export function pascalName(identifier: string): string {
  const joined = identifier
    .split('_')
    .filter((part) => part !== '')
    .map(capitalized)
    .join('');
  return /^[\p{ID_Start}$]/u.test(joined) ? joined : `_${joined}`;
}

/**
 * uniqueNames gives each of several different texts a name, with a number where two would have the same. A text that is its
 * own name keeps it, so that a new one never changes that.
 */
export function uniqueNames(
  texts: Iterable<string>,
  nameOf: (text: string) => string,
): ReadonlyMap<string, string> {
  const sorted = [...new Set(texts)].sort();
  const own = sorted.filter((text) => nameOf(text) === text);
  const names = new Map(own.map((text) => [text, text]));
  const used = new Set(own);
  for (const text of sorted) {
    if (names.has(text)) continue;
    const name = nameOf(text);
    let unique = name;
    for (let i = 2; used.has(unique); i++) unique = `${name}_${i}`;
    used.add(unique);
    names.set(text, unique);
  }
  return names;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
