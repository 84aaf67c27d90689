/**
 * Tokens for users who logged in: those of pREST 2.4.2, claim for claim, so that either service takes the other's.
 * Refuses to begin with a key that cannot sign.
 */
import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { ServiceError } from '../errors.js';
import type { TokenSettings } from '../protocol.js';
import { MAX_TOKEN } from './bearer.js';
import { signingKey } from './static-key.js';

/** How long a token is valid, s. */
const LIFETIME = 6 * 60 * 60;

/** A user as tokens and the answer of a login show one. */
export interface TokenUser {
  /** As the users table has it. */
  readonly id: unknown;
  readonly name: string;
  readonly username: string;
  /** JSON; undefined is null. */
  readonly metadata: unknown;
}

/** TokenIssuer signs tokens. */
export class TokenIssuer {
  readonly #settings: TokenSettings;
  readonly #key: KeyObject;

  /** Throws Error when there is no key, or one that cannot sign. */
  constructor(settings: TokenSettings) {
    if (settings.key === undefined) throw new Error('there is no key to sign tokens with');
    this.#settings = settings;
    this.#key = signingKey(settings.key, settings.algorithm);
  }

  /**
   * issue makes a token that is valid from now. Rejects with ServiceError `internal` when the user's metadata makes it
   * larger than any that is accepted.
   */
  async issue({ id, name, username, metadata }: TokenUser): Promise<string> {
    const { algorithm, issuer, audience } = this.#settings;
    const now = Math.floor(Date.now() / 1_000);
    const token = await new SignJWT({
      UserInfo: { id: id ?? null, metadata: metadata ?? null, name, username },
      exp: now + LIFETIME,
      nbf: now,
      ...(issuer === undefined ? {} : { iss: issuer }),
      ...(audience === undefined ? {} : { aud: audience }),
    })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .sign(this.#key);
    if (token.length > MAX_TOKEN)
      throw new ServiceError('internal', undefined, {
        detail: `the metadata of a user makes the token larger than ${MAX_TOKEN} characters`,
      });
    return token;
  }
}
