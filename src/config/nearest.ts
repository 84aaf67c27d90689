/**
 * The nearest known name to a mistyped one. The only module that imports fastest-levenshtein.
 */
import { closest, distance } from 'fastest-levenshtein';

/** nearest gives the known name with the fewest edits to `name`; `known` is not empty. */
export function nearest(name: string, known: readonly string[]): string {
  return closest(name, known);
}

/** edits counts the insertions, deletions and replacements between two names. */
export function edits(a: string, b: string): number {
  return distance(a, b);
}
