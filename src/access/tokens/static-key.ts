/**
 * The key of the configuration: a secret, or a PEM (public key, certificate or private key). Refuses a key that does not
 * fit the algorithm; no message contains a part of the key.
 */
import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { isSymmetric, keyProblem } from './algorithm.js';

const PEM = /-----BEGIN [A-Z ]+-----/;
const PRIVATE = 'PRIVATE KEY-----';

/** canSign tells whether a key can sign tokens, not only verify them: a secret, or a private key. */
export function canSign(key: string, algorithm: string): boolean {
  return key !== '' && (isSymmetric(algorithm) || key.includes(PRIVATE));
}

/** verificationKey reads the key that verifies tokens; of a private key, the public part. Throws Error. */
export function verificationKey(key: string, algorithm: string): KeyObject {
  return checked(isSymmetric(algorithm) ? secret(key) : parsed(key, createPublicKey), algorithm);
}

/** signingKey reads the key that signs tokens. Throws Error, also for a public key. */
export function signingKey(key: string, algorithm: string): KeyObject {
  if (isSymmetric(algorithm)) return checked(secret(key), algorithm);
  if (!canSign(key, algorithm)) throw new Error('the key cannot sign: it is no private key');
  return checked(parsed(key, createPrivateKey), algorithm);
}

/** A PEM is refused as a secret: a public key is not one. */
function secret(key: string): KeyObject {
  if (PEM.test(key)) throw new Error('the key is a PEM, not a secret');
  return createSecretKey(Buffer.from(key));
}

function parsed(key: string, read: (pem: string) => KeyObject): KeyObject {
  try {
    return read(key);
  } catch {
    throw new Error('the key is no PEM that can be read');
  }
}

function checked(key: KeyObject, algorithm: string): KeyObject {
  const problem = keyProblem(key, algorithm);
  if (problem !== undefined) throw new Error(`the key does not fit: ${problem}`);
  return key;
}
