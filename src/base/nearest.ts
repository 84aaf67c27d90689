/**
 * Finds the known name nearest to a mistyped one. The only module that imports fastest-levenshtein.
 */
import { closest, distance } from 'fastest-levenshtein';

/**
 * nearest returns the first known name that ends with `.name` (`http.port` for `port`), else the one with the fewest
 * edits, however many these are. `known` must not be empty.
 */
export function nearest(name: string, known: readonly string[]): string {
  return qualified(name, known) ?? closest(name, known);
}

/**
 * similar returns the known name that was most likely meant: as nearest does, but with at most one edit for every
 * `letters` letters of the name. Case is ignored, and a swap of two adjacent letters counts as one edit.
 */
export function similar(name: string, known: readonly string[], letters = 3): string | undefined {
  const lower = name.toLowerCase();
  let found = qualified(name, known);
  let least = Math.floor(name.length / letters) + 1;
  for (const one of found === undefined ? known : []) {
    const count = typos(lower, one.toLowerCase(), least);
    if (count < least) [found, least] = [one, count];
  }
  return found;
}

/** edits counts the insertions, deletions and replacements between two names. */
export function edits(a: string, b: string): number {
  return distance(a, b);
}

function qualified(name: string, known: readonly string[]): string | undefined {
  return known.find((one) => one.endsWith(`.${name}`));
}

/** The edits between two names, of which one may be a swap; exact only below `limit`. */
function typos(a: string, b: string, limit: number): number {
  let least = distance(a, b);
  // A swap saves no more than one edit.
  if (least > limit) return least;
  for (let i = 1; i < a.length; i++) {
    const swapped = a.slice(0, i - 1) + a[i]! + a[i - 1]! + a.slice(i + 1);
    least = Math.min(least, distance(swapped, b) + 1);
  }
  return least;
}
