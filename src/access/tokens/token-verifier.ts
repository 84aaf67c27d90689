/**
 * Verifies a token and returns its caller. jose verifies signature and claims, with exactly the configured algorithm and
 * only with configured keys: keys in a token (jwk, jku, x5u, x5c) are ignored, and its `kid` is only compared. Refuses
 * JWE, `crit`, `b64`, and repeated member names. Verified tokens are cached until they expire or a key of the key set is
 * withdrawn; failures are not cached.
 */
import type { JWTClaimValidationFailed } from 'jose/errors';
import type { JWTVerifyOptions } from 'jose/jwt/verify';
import { nameInClaims, scopesInClaims } from '../claims.js';
import type { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { TOKENS } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import type { TokenSettings } from '../../messages/access-settings.js';
import { recent, type Recent, type RecentBounds } from '../../base/recent.js';
import { MAX_TOKEN } from './bearer.js';
import type { Caller } from '../caller.js';
import { KEY_TIMES, KeyRing, type KeyTimes } from './key-ring.js';
import { refusal, type RefusalReason } from './refusal.js';
import { decodePart } from './token-part.js';

/** Tolerated clock difference to the issuer, in seconds. */
const TOLERANCE = 5;

/** Header, payload and signature in base64url. */
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Bounds of the cache; the characters of tokens and claims are counted. */
const CACHE_BOUNDS: RecentBounds = { entries: 10_000, characters: 4_000_000 };

/** Tokens that may wait for a refresh of the key set: those with an invented `kid` must not fill the HTTP process. */
const MAX_WAITING = 100;

const NO_KEYS = 'the keys that tokens are checked with are not there yet';

/** `times` and `bounds` (of the cache) are for tests. */
export interface VerifierOptions {
  /** Tokens that may wait for the first load of the key set; unlimited by default. */
  readonly queue?: number;
  /** Called with the text of each key set from a URL that differs from the one before. */
  readonly onKeys?: (text: string) => void;
  readonly times?: Partial<KeyTimes>;
  readonly bounds?: RecentBounds;
}

/** TokenVerifier loads key sets from its construction until close. */
export class TokenVerifier {
  readonly #algorithm: string;
  readonly #jose = loadJose();
  readonly #options: JWTVerifyOptions;
  readonly #nameClaim: string | undefined;
  readonly #keys: KeyRing;
  readonly #verified: Recent<Caller>;
  readonly #pending = new Map<string, Promise<Caller>>();
  readonly #queue: number;
  #waiting = 0;

  /** Throws Error when a key or an inline key set cannot be used; a file or URL may become available later. */
  constructor(settings: TokenSettings, log: Logger, options: VerifierOptions = {}) {
    const { algorithm, issuer, audience, requireExpiry, nameClaim } = settings;
    this.#algorithm = algorithm;
    this.#nameClaim = nameClaim;
    this.#options = {
      algorithms: [algorithm],
      clockTolerance: TOLERANCE,
      requiredClaims: requireExpiry ? ['exp'] : [],
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    };
    this.#verified = recent(
      options.bounds ?? CACHE_BOUNDS,
      (token, { claims }) => token.length + claims.length,
    );
    this.#queue = options.queue ?? Infinity;
    const times = { ...KEY_TIMES, ...options.times };
    this.#keys = new KeyRing(settings, times, log, {
      onKeys: options.onKeys ?? (() => undefined),
      onLoss: () => this.#clear(),
    });
  }

  /**
   * verify returns the caller of a token, synchronously when it is cached. Throws or rejects with ServiceError:
   * `invalid_token` when it is not a token of the algorithm, `invalid_claims` when the signature or a claim (exp, nbf, iss,
   * aud) is invalid, `busy` while the key set has not been loaded.
   */
  verify(token: string): Caller | Promise<Caller> {
    const caller = this.#verified.get(token);
    if (caller !== undefined) {
      const now = Date.now();
      if (now >= caller.expires + TOLERANCE * 1_000) throw refusal('expired');
      // The clock may have been set back since it was verified.
      const { nbf = 0 } = caller.payload;
      if (now < (Number(nbf) - TOLERANCE) * 1_000) throw refusal('not_yet_valid');
      counts[TOKENS.remembered]! += 1;
      return caller;
    }
    return this.#pending.get(token) ?? this.#begin(token);
  }

  /** close ends the loading of key sets; the loaded ones stay in use. */
  close(): void {
    this.#keys.close();
  }

  #clear(): void {
    this.#verified.clear();
    this.#pending.clear();
  }

  /** Checks the header before any key is looked up, so that garbage never causes a refresh. Returns the `kid`. */
  #readHeader(token: string): string | undefined {
    if (token.length > MAX_TOKEN || !FORM.test(token)) throw refusal('malformed');
    const { alg, kid, crit, b64 } = decodePart(token.slice(0, token.indexOf('.'))).object;
    if (alg !== this.#algorithm) throw refusal('algorithm');
    if (crit !== undefined || b64 !== undefined) throw refusal('malformed');
    if (kid !== undefined && typeof kid !== 'string') throw refusal('malformed');
    return kid;
  }

  #begin(token: string): Promise<Caller> {
    const kid = this.#readHeader(token);
    const pending = this.#check(token, kid).finally(() => {
      if (this.#pending.get(token) === pending) this.#pending.delete(token);
    });
    this.#pending.set(token, pending);
    return pending;
  }

  /**
   * Tries the loaded keys; when the set lacks the `kid`, refreshes the set and tries once more. A token that was verified
   * with a set that has been replaced meanwhile is not cached.
   */
  async #check(token: string, kid: string | undefined): Promise<Caller> {
    const jose = await this.#jose; // first: a set may be loaded meanwhile
    let isLoaded = true;
    for (let retried = false; ; retried = true) {
      const { set } = this.#keys;
      if (await this.#signed(token, kid, jose)) {
        const caller = callerOf(token, this.#nameClaim);
        if (set === this.#keys.set) this.#verified.set(token, caller);
        counts[TOKENS.verified]! += 1;
        return caller;
      }
      if (retried) break;
      // The set may have been replaced meanwhile.
      if (set === this.#keys.set && !this.#keys.knows(kid)) isLoaded = await this.#refresh();
      if (set === this.#keys.set) break;
    }
    if (!this.#keys.complete) throw refusal('keys_unavailable', NO_KEYS);
    if (this.#keys.candidates(kid).length > 0) throw refusal('signature');
    throw isLoaded ? refusal('key_unknown') : refusal('keys_unavailable', NO_KEYS);
  }

  async #refresh(): Promise<boolean> {
    const limit = this.#keys.starting ? this.#queue : MAX_WAITING;
    if (this.#waiting >= limit) throw refusal('queue_full');
    this.#waiting++;
    try {
      return await this.#keys.refresh();
    } finally {
      this.#waiting--;
    }
  }

  /** Tells whether one of the keys signed the token. Throws when the signature is valid and a claim is not. */
  async #signed(
    token: string,
    kid: string | undefined,
    { jwtVerify, errors }: Jose,
  ): Promise<boolean> {
    for (const key of this.#keys.candidates(kid)) {
      try {
        await jwtVerify(token, key, this.#options);
        return true;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw failure(error, errors);
      }
    }
    return false;
  }
}

type Jose = Awaited<ReturnType<typeof loadJose>>;

/** Only with authentication is there a verifier, and jose takes 1 MiB. */
async function loadJose() {
  const [{ jwtVerify }, errors] = await Promise.all([
    import('jose/jwt/verify'),
    import('jose/errors'),
  ]);
  return { jwtVerify, errors };
}

/** callerOf reads the payload of a verified token. Throws ServiceError, also for an infinite expiry. */
function callerOf(token: string, nameClaim: string | undefined): Caller {
  const payload = token.slice(token.indexOf('.') + 1, token.lastIndexOf('.'));
  const { text, object } = decodePart(payload);
  const { exp } = object;
  if (exp !== undefined && !Number.isFinite(exp)) throw refusal('claims');
  const expires = exp === undefined ? Infinity : Number(exp) * 1_000;
  const name = nameInClaims(object, nameClaim);
  return { name, scopes: scopesInClaims(object), claims: text, payload: object, expires };
}

/** failure is what an error of jose means, which contains the claims and must not be logged. */
function failure(error: unknown, errors: Jose['errors']): ServiceError {
  if (error instanceof errors.JWTExpired) return refusal('expired');
  if (error instanceof errors.JWTClaimValidationFailed) return refusal(reasonOf(error));
  if (error instanceof errors.JOSEError) return refusal('malformed');
  return refusal('internal', undefined, { cause: error });
}

/** Which claim is not as it must be; one of the times that is no number, or missing, is like any other. */
function reasonOf({ claim, reason }: JWTClaimValidationFailed): RefusalReason {
  if (claim === 'iss') return 'issuer';
  if (claim === 'aud') return 'audience';
  return claim === 'nbf' && reason === 'check_failed' ? 'not_yet_valid' : 'claims';
}
