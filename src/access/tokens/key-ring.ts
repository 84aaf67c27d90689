/**
 * The keys that tokens are verified with: the key of the configuration, a key set, or both. It chooses the keys that may
 * have signed a token, and refuses to start with a key or an inline key set that cannot be used.
 */
import type { KeyObject } from 'node:crypto';
import type { Logger } from '../../observe/log.js';
import type { TokenSettings } from '../../messages/access-settings.js';
import { parseKeySet, type KeySet } from './key-set.js';
import { KeySetSource, logKeySet } from './key-set-source.js';
import { checkUrl, discoveredText, fileText, formOf, urlText } from './key-set-text.js';
import { verificationKey } from './static-key.js';

/** When key sets are loaded, ms. */
export interface KeyTimes {
  /** Between reads of a file. */
  readonly file: number;
  /** Between requests to a URL. */
  readonly url: number;
  /** Least time between requests because of tokens with a `kid` that is not in the set, and between failed ones. */
  readonly cooldown: number;
  /** Most time of a request, or of reading a file; a token waits for a fifth of it where there is a set. */
  readonly timeout: number;
}

export const KEY_TIMES: KeyTimes = { file: 3_000, url: 300_000, cooldown: 10_000, timeout: 5_000 };

export interface KeyChanges {
  /** Called with the text of each set from a URL that differs from the one before. */
  readonly onKeys: (text: string) => void;
  /** Called when a key of the set before is missing or different. */
  readonly onLoss: () => void;
}

/** Most keys that are tried for one token. */
const MAX_TRIES = 10;

export class KeyRing {
  readonly #own: KeyObject | undefined;
  readonly #inline: KeySet | undefined;
  readonly #source: KeySetSource | undefined;

  /** Throws Error when no key or key set is given, or a key or an inline key set cannot be used. */
  constructor(settings: TokenSettings, times: KeyTimes, log: Logger, changes: KeyChanges) {
    const { algorithm, key, jwks, wellKnown, lastKeys } = settings;
    if (key !== undefined) this.#own = verificationKey(key, algorithm);
    if (jwks !== undefined && formOf(jwks) === 'json') {
      this.#inline = parseKeySet(jwks, algorithm);
      logKeySet(log, 'the configuration', this.#inline);
      if (this.#inline.size === 0) throw new Error(`the key set has no key for ${algorithm}`);
      return;
    }
    const place = wellKnown ?? jwks;
    if (place !== undefined) {
      this.#source = new KeySetSource({
        ...loader(place, wellKnown !== undefined, times),
        timeout: times.timeout,
        algorithm,
        log,
        last: lastKeys,
        onChange: formOf(place) === 'url' ? changes.onKeys : () => undefined,
        onLoss: changes.onLoss,
      });
    } else if (key === undefined) throw new Error('there is no key to check tokens with');
  }

  /** The key set in use: a new object when it has changed. */
  get set(): KeySet | undefined {
    return this.#inline ?? this.#source?.current;
  }

  /** False while a key set is still to come, which may have the key of a token. */
  get complete(): boolean {
    return this.#source === undefined || this.#source.current !== undefined;
  }

  /** Whether a key set is being loaded for the first time. */
  get starting(): boolean {
    return this.#source?.starting ?? false;
  }

  /**
   * candidates lists the keys that may have signed a token: those that the set has under its `kid`, else the key of the
   * configuration; every key for a token without a `kid`.
   */
  candidates(kid: string | undefined): KeyObject[] {
    const named = this.set?.named(kid) ?? [];
    const own = this.#own === undefined || this.knows(kid) ? [] : [this.#own];
    return [...own, ...named].slice(0, MAX_TRIES);
  }

  /** knows tells whether the set has a key under that `kid`. */
  knows(kid: string | undefined): boolean {
    return kid !== undefined && this.set !== undefined && this.set.named(kid).length > 0;
  }

  /**
   * refresh loads the set again, unless it was loaded a moment ago, and waits for a moment where there is a set: it resolves to
   * false if the load goes on then.
   */
  async refresh(): Promise<boolean> {
    return (await this.#source?.refresh()) ?? true;
  }

  close(): void {
    this.#source?.close();
  }
}

function loader(
  place: string,
  discover: boolean,
  { file, url, cooldown }: KeyTimes,
): Pick<ConstructorParameters<typeof KeySetSource>[0], 'name' | 'load' | 'interval' | 'cooldown'> {
  if (formOf(place) === 'file') {
    const load = (signal: AbortSignal): Promise<string> => fileText(place, signal);
    return { name: place, load, interval: file, cooldown: Math.min(file, cooldown) };
  }
  const { origin, pathname } = checkUrl(place); // the query string may be secret
  const text = discover ? discoveredText : urlText;
  const load = (signal: AbortSignal): Promise<string> => text(place, signal);
  return { name: origin + pathname, load, interval: url, cooldown };
}
