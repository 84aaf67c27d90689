/**
 * Paths that need no token (`jwt.whitelist`). The regular expressions match a whole path, decoded and without the context,
 * so that `/auth` does not open other paths that contain it.
 */

/** Longest path that is matched (UTF-16 units): paths of scripts are shorter, and an expression may be slow. */
const LONGEST = 1_024;

export class Whitelist {
  readonly #patterns: readonly RegExp[];

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map((pattern) => new RegExp(`^(?:${pattern})$`, 'u'));
  }

  has(path: string): boolean {
    return path.length <= LONGEST && this.#patterns.some((pattern) => pattern.test(path));
  }
}
