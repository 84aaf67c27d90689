/** The token that a scrape needs, `metrics.token`, at the address of the metrics and on the service's own port. */
import { createHash, timingSafeEqual } from 'node:crypto';

export class MetricsToken {
  readonly #digest: Buffer;

  constructor(token: string) {
    this.#digest = digest(token);
  }

  /** matches takes a time that tells nothing about the token. */
  matches(given: string): boolean {
    return timingSafeEqual(digest(given), this.#digest);
  }
}

/** Digests have one length, however long the text is. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
