/** Keys of the configuration that cannot be used stop the start; no message contains a part of them. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import t from 'tap';
import { TokenIssuer } from '#app/access/tokens/token-issuer.js';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { log, makeKey, SECRET, settings } from '../tokens.js';

const rs = makeKey('RS256');
const es = makeKey('ES256');
const spki = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }) as string;
const small = spki(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);
const pss = spki(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey);

t.test('keys that cannot verify', (t) => {
  const cases: [algorithm: string, key: string | undefined, said: RegExp][] = [
    ['HS256', undefined, /no key to check/],
    ['HS256', '', /0 bytes, HS256 needs 32/],
    ['HS256', SECRET.slice(0, 31), /31 bytes, HS256 needs 32/],
    ['HS384', SECRET.slice(0, 47), /47 bytes, HS384 needs 48/],
    ['HS512', SECRET.slice(0, 63), /63 bytes, HS512 needs 64/],
    ['HS256', rs.pem, /a PEM, not a secret/],
    ['RS256', SECRET, /no PEM/],
    ['RS256', '', /no PEM/],
    ['RS256', rs.pem.replaceAll('MII', '!!!'), /no PEM/],
    ['RS256', small, /2048 bits/],
    ['PS256', pss, /needs a plain RSA key/],
    ['RS256', es.pem, /needs an RSA key/],
    ['ES256', rs.pem, /prime256v1/],
    ['ES384', es.pem, /secp384r1/],
    ['EdDSA', es.pem, /Ed25519/],
    ['EdDSA', spki(generateKeyPairSync('ed448').publicKey), /Ed25519/],
  ];
  for (const [algorithm, key, said] of cases) {
    t.throws(() => new TokenVerifier(settings(algorithm, { key }), log), said);
    try {
      new TokenVerifier(settings(algorithm, { key }), log);
    } catch (error) {
      if (key) t.notOk((error as Error).message.includes(key.slice(30, 60)));
    }
  }
  t.end();
});

t.test('keys that cannot sign', (t) => {
  const cases: [algorithm: string, key: string | undefined, said: RegExp][] = [
    ['HS256', undefined, /no key to sign/],
    ['HS256', 'short', /5 bytes/],
    ['RS256', rs.pem, /cannot sign/],
    ['ES256', rs.secret, /prime256v1/],
    ['RS256', rs.secret.replaceAll('MII', '!!!'), /no PEM/],
  ];
  for (const [algorithm, key, said] of cases)
    t.throws(() => new TokenIssuer(settings(algorithm, { key })), said);
  t.end();
});
