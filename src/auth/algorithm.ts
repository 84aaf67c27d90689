/**
 * What each algorithm asks of a key: its type, its curve, its least size (RFC 7518, section 3; RFC 8037). A key that
 * does not fit is never used, whoever offers it.
 */
import type { KeyObject } from 'node:crypto';

/** Least bytes of a secret: as many as the digest has. */
const LEAST_SECRET: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/** Least bits of an RSA key. */
const LEAST_RSA = 2048;

/** Curve of each ECDSA algorithm, as OpenSSL calls it. */
const CURVES: Readonly<Record<string, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};

/** isSymmetric tells whether an algorithm signs and checks with one secret. */
export function isSymmetric(algorithm: string): boolean {
  return algorithm in LEAST_SECRET;
}

/** keyType is the type of an algorithm's keys in a JWK (`kty`). */
export function keyType(algorithm: string): string {
  if (isSymmetric(algorithm)) return 'oct';
  if (algorithm in CURVES) return 'EC';
  return algorithm === 'EdDSA' ? 'OKP' : 'RSA';
}

/** keyProblem says why a key is none for an algorithm; undefined when it is one. */
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
  // Keys marked for PSS alone have no form as a JWK, in which jose takes them on Node 20.
  if (type === 'rsa-pss') return `${algorithm} needs a plain RSA key, not one marked RSA-PSS`;
  if (type !== 'rsa') return `${algorithm} needs an RSA key`;
  return (details?.modulusLength ?? 0) < LEAST_RSA
    ? `${algorithm} needs an RSA key of at least ${LEAST_RSA} bits`
    : undefined;
}
