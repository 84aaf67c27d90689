/**
 * From a token to the caller who sent it. jose checks signature and claims, with exactly the configured algorithm and
 * only keys of the configuration: what a token says about keys (jwk, jku, x5u, x5c) is never looked at, and its `kid`
 * only compared. Refuses JWE, `crit` and `b64`, and objects with a name twice. Verified tokens are remembered until
 * they expire, or a key of the key set is withdrawn; failures are not.
 */
import { errors, jwtVerify, type JWTVerifyOptions } from 'jose';
import { nameOf } from '../access/caller-name.js';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { TokenSettings } from '../protocol.js';
import { Recent, type RecentBounds } from '../recent.js';
import { MAX_TOKEN } from './bearer.js';
import type { Caller } from './caller.js';
import { KEY_TIMES, KeyRing, type KeyTimes } from './key-ring.js';
import { decodePart } from './token-part.js';

/** How far the clock of an issuer may be off, s. */
const TOLERANCE = 5;

/** Header, payload and signature in base64url. */
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** How many tokens are remembered; characters are those of tokens and claims. */
const REMEMBERED: RecentBounds = { entries: 5_000, characters: 2_000_000 };

/** Most tokens that wait for other keys at a time: who makes up names of keys must not hold all places of a front end. */
const MAX_WAITING = 100;

const NO_KEYS = 'the keys that tokens are checked with are not there yet';

/** What may be chosen besides the settings; times and bounds of what is remembered for tests. */
export interface VerifierOptions {
  /** Most tokens that wait at a time for the first load of the key set. Unlimited unless given. */
  readonly queue?: number;
  /** Called with the text of each key set from a URL that is another than the one before. */
  readonly onKeys?: (text: string) => void;
  readonly times?: Partial<KeyTimes>;
  readonly remembered?: RecentBounds;
}

/** TokenVerifier checks tokens from its construction; key sets are loaded until close. */
export class TokenVerifier {
  readonly #algorithm: string;
  readonly #options: JWTVerifyOptions;
  readonly #keys: KeyRing;
  readonly #remembered: Recent<Caller>;
  /** Tokens that are being verified. */
  readonly #pending = new Map<string, Promise<Caller>>();
  readonly #queue: number;
  #waiting = 0;

  /** Throws Error when a key or an inline key set cannot be used; a file or URL may come later. */
  constructor(settings: TokenSettings, log: Logger, options: VerifierOptions = {}) {
    const { algorithm, issuer, audience, requireExpiry } = settings;
    this.#algorithm = algorithm;
    this.#options = {
      algorithms: [algorithm],
      clockTolerance: TOLERANCE,
      requiredClaims: requireExpiry ? ['exp'] : [],
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    };
    this.#remembered = new Recent(
      options.remembered ?? REMEMBERED,
      (token, { claims }) => token.length + claims.length,
    );
    this.#queue = options.queue ?? Infinity;
    const times = { ...KEY_TIMES, ...options.times };
    this.#keys = new KeyRing(settings, times, log, {
      onKeys: options.onKeys ?? (() => undefined),
      onLoss: () => this.#forget(),
    });
  }

  /**
   * verify gives the caller of a token; at once for one that is remembered. Throws or rejects with ServiceError:
   * `invalid_token` when it is no token of the algorithm, `invalid_claims` when another key signed it or its claims do
   * not hold (exp, nbf, iss, aud), `busy` while no key set could be loaded that might have its key.
   */
  verify(token: string): Caller | Promise<Caller> {
    const caller = this.#remembered.get(token);
    if (caller !== undefined) {
      if (Date.now() >= caller.expires + TOLERANCE * 1_000)
        throw new ServiceError('invalid_claims');
      return caller;
    }
    return this.#pending.get(token) ?? this.#begin(token);
  }

  /** close ends the loading of key sets; what is known goes on being used. */
  close(): void {
    this.#keys.close();
  }

  #forget(): void {
    this.#remembered.clear();
    this.#pending.clear();
  }

  /** What needs no key is checked first, so that garbage never makes anybody ask for keys. Gives the token's `kid`. */
  #readHeader(token: string): string | undefined {
    if (token.length > MAX_TOKEN || !FORM.test(token)) throw new ServiceError('invalid_token');
    const { alg, kid, crit, b64 } = decodePart(token.slice(0, token.indexOf('.'))).object;
    if (alg !== this.#algorithm || crit !== undefined || b64 !== undefined)
      throw new ServiceError('invalid_token');
    if (kid !== undefined && typeof kid !== 'string') throw new ServiceError('invalid_token');
    return kid;
  }

  #begin(token: string): Promise<Caller> {
    const pending = this.#check(token, this.#readHeader(token)).finally(() => {
      if (this.#pending.get(token) === pending) this.#pending.delete(token);
    });
    this.#pending.set(token, pending);
    return pending;
  }

  /**
   * Tries the keys there are; when the set lacks the one that is named, asks for the set and tries once more. What was
   * signed with a set that is no longer used is not remembered.
   */
  async #check(token: string, kid: string | undefined): Promise<Caller> {
    for (let asked = false; ; asked = true) {
      const { set } = this.#keys;
      if (await this.#signed(token, kid)) {
        const caller = callerOf(token);
        if (set === this.#keys.set) this.#remembered.set(token, caller);
        return caller;
      }
      if (asked) break;
      // The set may have become another one beside this.
      if (set === this.#keys.set && !this.#keys.knows(kid)) await this.#refresh();
      if (set === this.#keys.set) break;
    }
    if (!this.#keys.complete) throw new ServiceError('busy', NO_KEYS);
    throw new ServiceError('invalid_claims');
  }

  /** Asks for other keys. */
  async #refresh(): Promise<void> {
    const most = this.#keys.starting ? this.#queue : MAX_WAITING;
    if (this.#waiting >= most) throw new ServiceError('busy');
    this.#waiting++;
    try {
      await this.#keys.refresh();
    } finally {
      this.#waiting--;
    }
  }

  /** Tells whether one of the keys signed the token. Throws when one did, and the claims do not hold. */
  async #signed(token: string, kid: string | undefined): Promise<boolean> {
    for (const key of this.#keys.candidates(kid)) {
      try {
        await jwtVerify(token, key, this.#options);
        return true;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw refusal(error);
      }
    }
    return false;
  }
}

/** callerOf reads the payload of a token that was checked. Throws ServiceError, also for an endless expiry. */
function callerOf(token: string): Caller {
  const payload = token.slice(token.indexOf('.') + 1, token.lastIndexOf('.'));
  const { text, object } = decodePart(payload);
  const { exp } = object;
  if (exp !== undefined && !Number.isFinite(exp)) throw new ServiceError('invalid_claims');
  const expires = exp === undefined ? Infinity : Number(exp) * 1_000;
  return { name: nameOf(object), claims: text, payload: object, expires };
}

/** refusal is the answer to a token that jose refused; its errors hold the claims, so they go no further. */
function refusal(error: unknown): ServiceError {
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed)
    return new ServiceError('invalid_claims');
  if (error instanceof errors.JOSEError) return new ServiceError('invalid_token');
  return new ServiceError('internal', undefined, { cause: error });
}
