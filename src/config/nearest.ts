/**
 * The nearest known name to a mistyped one. The only module that imports fastest-levenshtein.
 */
import { closest, distance } from 'fastest-levenshtein';

/**
 * nearest gives the known name that `name` most likely means: the first one that it is the last part of (`port` is
 * `http.port`), else the one with the fewest edits. `known` is not empty.
 */
export function nearest(name: string, known: readonly string[]): string {
  return known.find((one) => one.endsWith(`.${name}`)) ?? closest(name, known);
}

/** edits counts the insertions, deletions and replacements between two names. */
export function edits(a: string, b: string): number {
  return distance(a, b);
}
