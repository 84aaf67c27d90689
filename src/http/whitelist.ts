/**
 * The paths that need no token (`jwt.whitelist`): regular expressions that match all of a path as it is routed, decoded
 * and without the context, never a part of it, so that `/auth` opens no path that merely holds it.
 */

/** Longest path that is looked at (UTF-16 units): those of scripts are shorter, and an expression may be slow. */
const LONGEST = 1_024;

export class Whitelist {
  readonly #patterns: readonly RegExp[];

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map((pattern) => new RegExp(`^(?:${pattern})$`, 'u'));
  }

  /** has tells whether a path needs no token. */
  has(path: string): boolean {
    return path.length <= LONGEST && this.#patterns.some((pattern) => pattern.test(path));
  }
}
