/**
 * A JWK Set (RFC 7517): those of its keys that tokens of one algorithm may be signed with. The others are left out with
 * the reason; what is no key set at all is refused. Of a private key only its public members are looked at.
 */
import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isSymmetric, keyProblem, keyType } from './algorithm.js';

/** Most keys that are used; each bad token without a `kid` costs a check by several of them. */
const MAX_KEYS = 100;

/** KeySetError says why there is no key set, in words that may be logged. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
}

/** A key and what the set calls it. */
interface NamedKey {
  readonly kid: string | undefined;
  readonly key: KeyObject;
}

/** KeySet holds the keys of a set that fit an algorithm. */
export class KeySet {
  readonly #keys: readonly NamedKey[];
  /** `kid: reason` of each key that was left out. */
  readonly ignored: readonly string[];

  constructor(keys: readonly NamedKey[], ignored: readonly string[]) {
    this.#keys = keys;
    this.ignored = ignored;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** named lists the keys that a token with this `kid` may be signed with; all of them for one without. */
  named(kid: string | undefined): KeyObject[] {
    return this.#keys.filter((one) => kid === undefined || one.kid === kid).map((one) => one.key);
  }

  /** covers tells whether every key of another set is here under the same name. */
  covers(other: KeySet): boolean {
    return other.#keys.every((theirs) =>
      this.#keys.some((ours) => ours.kid === theirs.kid && ours.key.equals(theirs.key)),
    );
  }
}

/** parseKeySet reads a key set. Throws KeySetError when the text is none. */
export function parseKeySet(text: string, algorithm: string): KeySet {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    throw new KeySetError('it is not JSON'); // the parser's own words quote the text
  }
  const entries = (set as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(entries)) throw new KeySetError('it is no key set: it has no list "keys"');
  const keys: NamedKey[] = [];
  const ignored: string[] = [];
  entries.forEach((entry: unknown, index) => {
    const key = keys.length < MAX_KEYS ? readKey(entry, algorithm) : 'there are too many keys';
    if (typeof key === 'string') ignored.push(`${nameFor(entry, index)}: ${key}`);
    else keys.push(key);
  });
  return new KeySet(keys, ignored);
}

/** What an entry is called in the log. */
function nameFor(entry: unknown, index: number): string {
  const kid = (entry as JsonWebKey | null)?.['kid'];
  return typeof kid === 'string' ? kid.slice(0, 64) : `#${index + 1}`;
}

/** readKey gives the key of an entry, or why it is not used. */
function readKey(entry: unknown, algorithm: string): NamedKey | string {
  if (typeof entry !== 'object' || entry === null) return 'it is no object';
  const jwk = entry as JsonWebKey;
  const { kid, use, alg, key_ops: operations } = jwk as Record<string, unknown>;
  if (kid !== undefined && typeof kid !== 'string') return 'its kid is no string';
  if (jwk.kty !== keyType(algorithm)) return `it is no key for ${algorithm}`;
  if (use !== undefined && use !== 'sig') return 'its use is not sig';
  if (alg !== undefined && alg !== algorithm) return `its alg is not ${algorithm}`;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return 'its key_ops have no verify';
  let key: KeyObject;
  try {
    key = isSymmetric(algorithm) ? secretOf(jwk) : publicPart(jwk);
  } catch {
    return 'it cannot be read';
  }
  return keyProblem(key, algorithm) ?? { kid, key };
}

function secretOf({ k }: JsonWebKey): KeyObject {
  if (typeof k !== 'string' || !/^[\w-]+$/.test(k)) throw new KeySetError('k is no base64url');
  return createSecretKey(Buffer.from(k, 'base64url'));
}

function publicPart(jwk: JsonWebKey): KeyObject {
  const members = (['kty', 'n', 'e', 'crv', 'x', 'y'] as const)
    .filter((name) => jwk[name] !== undefined)
    .map((name) => [name, jwk[name]]);
  return createPublicKey({ key: Object.fromEntries(members) as JsonWebKey, format: 'jwk' });
}
