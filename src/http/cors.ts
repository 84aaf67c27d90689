/**
 * Cross-origin requests of browsers (the Fetch standard, section 3.3): which origins may read answers, and the answers
 * to their preflights, from the configuration alone. An origin that is not listed gets no permission, and no error.
 */
import type { CorsSettings } from '../protocol.js';

/** How long a browser may remember the answer to a preflight, seconds. */
const MAX_AGE = 600;

/** What scripts of the other origin may read besides the body and its type. */
const EXPOSED =
  '\r\nAccess-Control-Expose-Headers: X-Request-Id, Retry-After, Allow, ETag, Location';

/** Cors has the header lines for each origin, each line beginning with CRLF. */
export class Cors {
  readonly #any: boolean;
  readonly #origins: ReadonlySet<string>;
  readonly #credentials: string;
  readonly #preflight: string;

  constructor({ origins, headers, methods, credentials }: CorsSettings) {
    this.#any = origins.includes('*');
    this.#origins = new Set(origins);
    this.#credentials = credentials ? '\r\nAccess-Control-Allow-Credentials: true' : '';
    this.#preflight =
      `\r\nAccess-Control-Allow-Methods: ${methods.join(', ')}` +
      `\r\nAccess-Control-Allow-Headers: ${headers.join(', ')}` +
      `\r\nAccess-Control-Max-Age: ${MAX_AGE}`;
  }

  /** answerLines are the lines of an answer to a request from an origin, empty when it named none. */
  answerLines(origin: string): string {
    const allowed = this.#allowed(origin);
    return `\r\nVary: Origin${allowed}${allowed === '' ? '' : EXPOSED}`;
  }

  /** preflightLines are those of an answer to a preflight. */
  preflightLines(origin: string): string {
    const allowed = this.#allowed(origin);
    return `\r\nVary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers${
      allowed === '' ? '' : allowed + this.#preflight
    }`;
  }

  #allowed(origin: string): string {
    if (this.#any) return '\r\nAccess-Control-Allow-Origin: *';
    // Only what the configuration holds is ever written.
    if (!this.#origins.has(origin)) return '';
    return `\r\nAccess-Control-Allow-Origin: ${origin}${this.#credentials}`;
  }
}
