/**
 * Finds the known name nearest to a mistyped one. The only module that imports fastest-levenshtein.
 */
import { closest, distance } from 'fastest-levenshtein';

/**
 * nearest returns the first known name that ends with `.name` (`http.port` for `port`), else the one with the fewest
 * edits. `known` must not be empty.
 */
export function nearest(name: string, known: readonly string[]): string {
  return known.find((one) => one.endsWith(`.${name}`)) ?? closest(name, known);
}

/** edits counts the insertions, deletions and replacements between two names. */
export function edits(a: string, b: string): number {
  return distance(a, b);
}
