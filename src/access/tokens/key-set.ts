/**
 * The keys of a JWK Set (RFC 7517) that can verify tokens of one algorithm. Other keys are skipped with a reason; a text
 * that is not a key set is refused. Of a private key, only the public members are used.
 */
import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isSymmetric, keyProblem, keyType } from './algorithm.js';

/** Maximum number of keys in use. */
const MAX_KEYS = 100;

/** KeySetError says why a key set cannot be used; its message contains nothing secret. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
}

/** A key and its name in the set. */
interface NamedKey {
  readonly kid: string | undefined;
  readonly key: KeyObject;
}

export class KeySet {
  readonly #keys: readonly NamedKey[];
  /** `kid: reason` of each skipped key. */
  readonly ignored: readonly string[];

  constructor(keys: readonly NamedKey[], ignored: readonly string[]) {
    this.#keys = keys;
    this.ignored = ignored;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** named returns the keys with this `kid`; all keys when it is undefined. */
  named(kid: string | undefined): KeyObject[] {
    return this.#keys.filter((one) => kid === undefined || one.kid === kid).map((one) => one.key);
  }

  /** covers tells whether every key of another set is in this one under the same name. */
  covers(other: KeySet): boolean {
    return other.#keys.every((theirs) =>
      this.#keys.some((ours) => ours.kid === theirs.kid && ours.key.equals(theirs.key)),
    );
  }
}

/** parseKeySet reads a key set. Throws KeySetError when the text is not one. */
export function parseKeySet(text: string, algorithm: string): KeySet {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    throw new KeySetError('it is not JSON'); // the parser's message quotes the text
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

function nameFor(entry: unknown, index: number): string {
  const kid = (entry as JsonWebKey | null)?.['kid'];
  return typeof kid === 'string' ? kid.slice(0, 64) : `#${index + 1}`;
}

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
