/**
 * Issues tokens to users who logged in. The claims are the same as in pREST 2.4.2, so that each service accepts the other's
 * tokens. Refuses to start with a key that cannot sign.
 */
import type { KeyObject } from 'node:crypto';
import { ServiceError } from '../../base/errors.js';
import type { TokenSettings } from '../../messages/access-settings.js';
import { MAX_TOKEN } from './bearer.js';
import { signingKey } from './static-key.js';

/** Lifetime of a token, in seconds. */
const LIFETIME = 6 * 60 * 60;

/** A user in a token and in the response of a login. */
export interface TokenUser {
  /** As in the users table. */
  readonly id: unknown;
  readonly name: string;
  readonly username: string;
  /** A JSON value; undefined becomes null. */
  readonly metadata: unknown;
}

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
   * issue signs a token that is valid from now on. Rejects with ServiceError `internal` when the user's metadata makes it
   * longer than accepted tokens may be.
   */
  async issue({ id, name, username, metadata }: TokenUser): Promise<string> {
    const { algorithm, issuer, audience } = this.#settings;
    const { SignJWT } = await import('jose/jwt/sign'); // only where there are logins
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
