/** Tokens made with node:crypto, also such as no library would make, and keys to sign them. */
import {
  constants,
  createHmac,
  generateKeyPairSync,
  sign,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { ServiceError } from '#app/base/errors.js';
import type { Caller } from '#app/access/caller.js';
import type { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { createLogger, type Logger } from '#app/observe/log.js';
import type { TokenSettings } from '#app/messages/access-settings.js';

export const ALGORITHMS = [
  ...['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA'],
];

/** A secret long enough for every algorithm. */
export const SECRET = 'a secret of at least sixty-four bytes, which is what HS512 asks for.';

export const log = createLogger({ level: 'silent', pretty: false }, {});

/** A key in the forms that the tests need. */
export interface TestKey {
  readonly algorithm: string;
  readonly signing: KeyObject | string;
  /** For `jwt.key`, able to sign. */
  readonly secret: string;
  /** For `jwt.key`, able to verify only; the secret of a symmetric one. */
  readonly pem: string;
  /** Without kid. */
  readonly jwk: JsonWebKey;
}

export function makeKey(algorithm: string): TestKey {
  if (algorithm.startsWith('HS')) return secretKey(algorithm, `${Math.random()}${SECRET}`);
  const { publicKey, privateKey } = makePair(algorithm);
  return {
    algorithm,
    signing: privateKey,
    secret: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    pem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    jwk: publicKey.export({ format: 'jwk' }),
  };
}

export function secretKey(algorithm: string, secret: string): TestKey {
  const k = Buffer.from(secret).toString('base64url');
  return { algorithm, signing: secret, secret, pem: secret, jwk: { kty: 'oct', k } };
}

function makePair(algorithm: string): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  if (!algorithm.startsWith('ES')) return generateKeyPairSync('rsa', { modulusLength: 2048 });
  const curve = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[algorithm]!;
  return generateKeyPairSync('ec', { namedCurve: curve });
}

/** part is a part of a token: base64url of a text, or of the JSON of a value. */
export function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  );
}

/** signed signs header and payload; each is JSON text or a value. */
export function signed(key: TestKey, payload: unknown, header: unknown = {}): string {
  const whole =
    typeof header === 'string' ? header : { alg: key.algorithm, typ: 'JWT', ...(header as object) };
  const input = `${part(whole)}.${part(payload)}`;
  return `${input}.${signature(key, input)}`;
}

export function signature({ algorithm, signing }: TestKey, input: string): string {
  const digest = `sha${algorithm.slice(2)}`;
  if (typeof signing === 'string')
    return createHmac(digest, signing).update(input).digest('base64url');
  const data = Buffer.from(input);
  if (algorithm === 'EdDSA') return sign(null, data, signing).toString('base64url');
  const pss = algorithm.startsWith('PS')
    ? {
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      }
    : {};
  return sign(digest, data, { key: signing, dsaEncoding: 'ieee-p1363', ...pss }).toString(
    'base64url',
  );
}

/** seconds is a NumericDate, relative to now. */
export function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1_000) + fromNow;
}

export function settings(algorithm: string, more: Partial<TokenSettings> = {}): TokenSettings {
  return {
    algorithm,
    key: undefined,
    jwks: undefined,
    wellKnown: undefined,
    lastKeys: undefined,
    issuer: undefined,
    audience: undefined,
    requireExpiry: false,
    nameClaim: undefined,
    ...more,
  };
}

/** keySet is the text of a key set; each key under its name. */
export function keySet(keys: Readonly<Record<string, TestKey>>): string {
  return JSON.stringify({ keys: Object.entries(keys).map(([kid, { jwk }]) => ({ ...jwk, kid })) });
}

/** outcome is the error code of a refusal, or `name:` and the caller's name. */
export async function outcome(verifier: TokenVerifier, token: string): Promise<string> {
  try {
    const caller: Caller = await verifier.verify(token);
    return `name:${caller.name}`;
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

/** recordingLog records its lines: level, message and fields. */
export function recordingLog(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const record =
    (level: string) =>
    (fields: object, message: string): number =>
      lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
  const silent = createLogger({ level: 'silent', pretty: false }, {});
  return {
    log: Object.assign(silent, {
      info: record('info'),
      warn: record('warn'),
      error: record('error'),
    }),
    lines,
  };
}
