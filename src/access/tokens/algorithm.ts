/**
 * Requirements of each signature algorithm for its keys: type, curve, minimum size (RFC 7518, section 3; RFC 8037). A key
 * that does not meet them is never used, wherever it comes from.
 */
import type { KeyObject } from 'node:crypto';

/** Minimum size of a secret, in bytes: the size of the digest. */
const LEAST_SECRET: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/** Minimum size of an RSA key, in bits. */
const LEAST_RSA = 2048;

/** Curve of each ECDSA algorithm, by OpenSSL's name. */
const CURVES: Readonly<Record<string, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};

export function isSymmetric(algorithm: string): boolean {
  return algorithm in LEAST_SECRET;
}

/** keyType is the type of an algorithm's keys in a JWK (`kty`). */
export function keyType(algorithm: string): string {
  if (isSymmetric(algorithm)) return 'oct';
  if (algorithm in CURVES) return 'EC';
  return algorithm === 'EdDSA' ? 'OKP' : 'RSA';
}

/** keyProblem returns why a key cannot be used with an algorithm, undefined when it can. */
export function keyProblem(key: KeyObject, algorithm: string): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const least = LEAST_SECRET[algorithm];
  if (least !== undefined) {
    if (key.type !== 'secret') return `${algorithm} needs a secret`;
    const length = key.symmetricKeySize ?? 0;
    return length < least ? `it has ${length} bytes, ${algorithm} needs ${least}` : undefined;
  }
  const curve = CURVES[algorithm];
  if (curve !== undefined)
    return type === 'ec' && details?.namedCurve === curve
      ? undefined
      : `${algorithm} needs an elliptic-curve key on ${curve}`;
  if (algorithm === 'EdDSA') return type === 'ed25519' ? undefined : 'EdDSA needs an Ed25519 key';
  // An RSA-PSS key cannot be exported as a JWK, which jose does on Node 20.
  if (type === 'rsa-pss') return `${algorithm} needs a plain RSA key, not one marked RSA-PSS`;
  if (type !== 'rsa') return `${algorithm} needs an RSA key`;
  return (details?.modulusLength ?? 0) < LEAST_RSA
    ? `${algorithm} needs an RSA key of at least ${LEAST_RSA} bits`
    : undefined;
}
