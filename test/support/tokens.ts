/** Tokens for tests, made by hand so that bad ones can be made too. */
import { createHmac } from 'node:crypto';
import type { AuthSettings, TokenSettings } from '#app/messages/access-settings.js';

/** The secret that tokens are signed with unless said otherwise. */
export const SECRET = 'a secret of at least thirty-two bytes';

/** seconds is the time so many seconds from now, as tokens give times. */
export function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1000) + fromNow;
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** signToken signs a payload with HS256. It expires in an hour unless it says when. */
export function signToken(
  payload: Readonly<Record<string, unknown>>,
  secret: string = SECRET,
  header: Readonly<Record<string, unknown>> = { alg: 'HS256', typ: 'JWT' },
): string {
  const signed = `${part(header)}.${part({ exp: seconds(3_600), ...payload })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** userToken is a good token of a user. */
export function userToken(username: string): string {
  return signToken({ UserInfo: { id: 1, name: '', username, metadata: null } });
}

/** authSettings is authentication with SECRET, and nothing else unless given. */
export function authSettings(
  overrides: Partial<Omit<AuthSettings, 'tokens'>> & {
    readonly tokens?: Partial<TokenSettings>;
  } = {},
): AuthSettings {
  const { tokens, ...rest } = overrides;
  return {
    whitelist: ['^/auth$'],
    refusesInvalid: false,
    login: undefined,
    scripts: undefined,
    role: undefined,
    ...rest,
    tokens: {
      algorithm: 'HS256',
      key: SECRET,
      jwks: undefined,
      wellKnown: undefined,
      lastKeys: undefined,
      issuer: undefined,
      audience: undefined,
      requireExpiry: true,
      nameClaim: undefined,
      ...tokens,
    },
  };
}
