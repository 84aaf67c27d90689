/**
 * The last key set that front ends loaded from each place, for those that come after them: an outage of the issuer must
 * not begin to count because of a reload. In memory only, for a few places, those unused longest forgotten first.
 */
import type { FrontEndSettings, TokenSettings } from '../protocol.js';

/** Most places that are remembered: one is in use, a reload may bring another. */
const CAPACITY = 4;

/** KnownKeys holds texts of key sets, by the place that they are configured to come from. */
export class KnownKeys {
  readonly #texts = new Map<string, string>();

  /** learn takes what a front end with these settings has loaded. */
  learn(settings: TokenSettings, text: string): void {
    this.#put(placeOf(settings), text);
    if (this.#texts.size > CAPACITY) this.#texts.delete(this.#texts.keys().next().value!);
  }

  /** fill adds the key set that is known of the place that the settings name, if any. */
  fill(settings: FrontEndSettings): FrontEndSettings {
    const { auth } = settings;
    if (auth === undefined) return settings;
    const lastKeys = this.#texts.get(placeOf(auth.tokens));
    if (lastKeys !== undefined) this.#put(placeOf(auth.tokens), lastKeys);
    return { ...settings, auth: { ...auth, tokens: { ...auth.tokens, lastKeys } } };
  }

  #put(place: string, text: string): void {
    this.#texts.delete(place); // to come last
    this.#texts.set(place, text);
  }
}

/** One URL gives different texts as the place of a key set and as that of an OpenID configuration. */
function placeOf({ jwks, wellKnown }: TokenSettings): string {
  return JSON.stringify([jwks, wellKnown]);
}
