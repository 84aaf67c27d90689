/**
 * CORS header lines (the Fetch standard, section 3.3) for responses and preflights. An origin that is not configured gets
 * no permission, and no error.
 */
import type { CorsSettings } from '../../../messages/http-settings.js';

/** How long a browser may cache the response to a preflight (seconds). */
const MAX_AGE = 600;

/** Headers that pages of the other origin may read. */
const EXPOSED =
  '\r\nAccess-Control-Expose-Headers: X-Request-Id, Retry-After, Allow, ETag, Location, Service-LSN';

const VARY = '\r\nVary: Origin';

export class Cors {
  readonly #any: boolean;
  readonly #origins: ReadonlySet<string>;
  readonly #credentials: string;
  readonly #preflight: string;
  /** Whether pages of the other origin may read Server-Timing. */
  readonly #timing: boolean;

  constructor({ origins, headers, methods, credentials }: CorsSettings, timing: boolean) {
    this.#timing = timing;
    this.#any = origins.includes('*');
    this.#origins = new Set(origins);
    this.#credentials = credentials ? '\r\nAccess-Control-Allow-Credentials: true' : '';
    this.#preflight =
      `\r\nAccess-Control-Allow-Methods: ${methods.join(', ')}` +
      `\r\nAccess-Control-Allow-Headers: ${headers.join(', ')}` +
      `\r\nAccess-Control-Max-Age: ${MAX_AGE}`;
  }

  /** responseLines has the lines for the Origin of a request, empty when it has none. Each line begins with CRLF. */
  responseLines(origin: string): string {
    const allowed = this.#allowed(origin);
    if (allowed === '') return VARY;
    const timing = this.#timing ? `\r\nTiming-Allow-Origin: ${this.#any ? '*' : origin}` : '';
    return VARY + allowed + EXPOSED + timing;
  }

  preflightLines(origin: string): string {
    const allowed = this.#allowed(origin);
    return `\r\nVary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers${
      allowed === '' ? '' : allowed + this.#preflight
    }`;
  }

  #allowed(origin: string): string {
    if (this.#any) return '\r\nAccess-Control-Allow-Origin: *';
    // The origin is written only when it equals a configured one.
    if (!this.#origins.has(origin)) return '';
    return `\r\nAccess-Control-Allow-Origin: ${origin}${this.#credentials}`;
  }
}
