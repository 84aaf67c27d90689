/** An RSA key marked for PSS alone cannot check tokens on every Node, and so stops the start. */
import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { signingKeyProblem } from '#app/config/signing-key.js';

const spki = { type: 'spki', format: 'pem' } as const;
const marked = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey.export(spki);
const plain = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export(spki);

for (const algorithm of ['PS256', 'PS384', 'PS512', 'RS256']) {
  t.match(signingKeyProblem(marked as string, algorithm), /plain RSA key/);
  t.equal(signingKeyProblem(plain as string, algorithm), undefined);
}
