/**
 * Patterns of declared parameters: regular expressions in the syntax of RE2 that match a whole value. RE2 needs time linear in
 * the value, whatever the pattern: JavaScript's own engine may take exponential time. The only module that imports re2js,
 * which is loaded with the first pattern: it takes 1 MiB.
 */
import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

/** PatternError: its message is for the author. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** Longest value that is matched, characters. */
export const LONGEST_MATCHED = 10_000;

/** compilePattern gives the test of a pattern. A value longer than LONGEST_MATCHED does not match. Throws PatternError. */
export function compilePattern(source: string): (value: string) => boolean {
  const { RE2JS, RE2JSException } = createRequire(import.meta.url)('re2js') as typeof Re2;
  try {
    const pattern = RE2JS.compile(source);
    return (value) => value.length <= LONGEST_MATCHED && pattern.matches(value);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(error.message);
  }
}
