/**
 * The last key set loaded from each source, for HTTP processes started later: without it, a reload during an outage of the
 * issuer would lose the keys. In memory only, for the sources used last.
 */
import { recent } from '../../base/recent.js';
import type { TokenSettings } from '../../messages/access-settings.js';
import type { HttpSettings } from '../../messages/http-settings.js';

export class KnownKeys {
  /** By source: one is in use, and a reload may bring another. */
  readonly #texts = recent<string>({ entries: 2 });

  /** learn stores the text of a key set that an HTTP process with these settings has loaded. */
  learn(settings: TokenSettings, text: string): void {
    this.#texts.set(sourceOf(settings), text);
  }

  /** fill adds the known key set of the source in the settings, if any. */
  fill(settings: HttpSettings): HttpSettings {
    const { auth } = settings;
    if (auth === undefined) return settings;
    const lastKeys = this.#texts.get(sourceOf(auth.tokens));
    return { ...settings, auth: { ...auth, tokens: { ...auth.tokens, lastKeys } } };
  }
}

/** One URL can be configured both for a key set and for an OpenID configuration, with different key sets. */
function sourceOf({ jwks, wellKnown }: TokenSettings): string {
  return JSON.stringify([jwks, wellKnown]);
}
