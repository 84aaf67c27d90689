/**
 * `jwt.key` and `jwt.algo` together: whether the key is one for the algorithm, long enough, and able to sign. Says what
 * is wrong without a word of the key itself.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Values } from './key.js';

/** Least bytes of a secret: as many as the algorithm's digest has (RFC 7518, section 3.2). */
const LEAST_SECRET: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/** Least bits of an RSA key (RFC 7518, section 3.3). */
const LEAST_RSA = 2048;

/** Curve of each ECDSA algorithm, as OpenSSL calls it (RFC 7518, section 3.4). */
const CURVES: Readonly<Record<string, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};

const PEM = /-----BEGIN [A-Z ]+-----/;

/** isSymmetric tells whether an algorithm signs and checks with one secret. */
export function isSymmetric(algorithm: string): boolean {
  return algorithm in LEAST_SECRET;
}

/** canSign tells whether tokens can be issued: the key is a secret, or a private key. */
export function canSign(values: Values): boolean {
  const key = values['jwt.key'];
  if (typeof key !== 'string' || key === '') return false;
  return isSymmetric(String(values['jwt.algo'])) || key.includes('PRIVATE KEY-----');
}

/** signingKeyProblem says what is wrong with a key for an algorithm; undefined when nothing is. */
export function signingKeyProblem(key: string, algorithm: string): string | undefined {
  const least = LEAST_SECRET[algorithm];
  if (least !== undefined) {
    if (PEM.test(key)) return `it is a PEM, but ${algorithm} takes a secret`;
    const length = Buffer.byteLength(key);
    return length < least
      ? `it has ${length} bytes, but ${algorithm} needs at least ${least}`
      : undefined;
  }
  if (!PEM.test(key)) return `${algorithm} needs a PEM`;
  let parsed: KeyObject;
  try {
    parsed = key.includes('PRIVATE KEY-----') ? createPrivateKey(key) : createPublicKey(key);
  } catch {
    return 'the PEM holds no key that can be read';
  }
  return mismatch(parsed, algorithm);
}

function mismatch(key: KeyObject, algorithm: string): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const curve = CURVES[algorithm];
  if (curve !== undefined)
    return type === 'ec' && details?.namedCurve === curve
      ? undefined
      : `${algorithm} needs an elliptic-curve key on ${curve}`;
  if (algorithm === 'EdDSA') return type === 'ed25519' ? undefined : 'EdDSA needs an Ed25519 key';
  // Keys marked for PSS alone have no form as a JWK, which is what checks them.
  if (type === 'rsa-pss') return `${algorithm} needs a plain RSA key, not one marked RSA-PSS`;
  if (type !== 'rsa') return `${algorithm} needs an RSA key`;
  return (details?.modulusLength ?? 0) < LEAST_RSA
    ? `${algorithm} needs an RSA key of at least ${LEAST_RSA} bits`
    : undefined;
}
