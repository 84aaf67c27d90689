/** Every algorithm: with a key of the configuration, with a key set, and with keys that do not fit. */
import t from 'tap';
import { TokenIssuer } from '#app/access/tokens/token-issuer.js';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { ALGORITHMS, keySet, log, makeKey, outcome, settings, signed } from './tokens.js';

for (const algorithm of ALGORITHMS) {
  t.test(algorithm, async (t) => {
    const key = makeKey(algorithm);
    const other = makeKey(algorithm);
    const verifiers: [what: string, verifier: TokenVerifier][] = [
      ['static', new TokenVerifier(settings(algorithm, { key: key.pem }), log)],
      ['static, able to sign', new TokenVerifier(settings(algorithm, { key: key.secret }), log)],
      ['key set', new TokenVerifier(settings(algorithm, { jwks: keySet({ k1: key }) }), log)],
    ];
    const issuer = new TokenIssuer(settings(algorithm, { key: key.secret }));
    const issued = await issuer.issue({ id: 1, name: 'A', username: 'ann', metadata: null });
    for (const [what, verifier] of verifiers) {
      t.equal(await outcome(verifier, signed(key, { sub: 'bo' })), 'name:bo', what);
      t.equal(await outcome(verifier, issued), 'name:ann', `${what}, issued`);
      const forged = signed(other, { sub: 'bo' });
      t.equal(await outcome(verifier, forged), 'invalid_claims', `${what}, another key`);
      const [header, , signature] = signed(key, { sub: 'bo' }).split('.');
      const [, payload] = signed(key, { sub: 'root' }).split('.');
      const changed = `${header!}.${payload!}.${signature!}`;
      t.equal(await outcome(verifier, changed), 'invalid_claims', `${what}, changed`);
    }
    const named = verifiers[2]![1];
    t.equal(await outcome(named, signed(key, { sub: 'bo' }, { kid: 'k1' })), 'name:bo');
    t.equal(await outcome(named, signed(key, { sub: 'bo' }, { kid: 'k2' })), 'invalid_claims');
  });
}

t.test('a token of another algorithm is refused, even with the right key', async (t) => {
  const families = [
    ['HS256', 'HS384', 'HS512'],
    ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ];
  for (const family of families) {
    const key = makeKey(family[0]!);
    for (const ours of family)
      for (const theirs of family) {
        if (ours === theirs) continue;
        const verifier = new TokenVerifier(settings(ours, { key: key.pem }), log);
        const token = signed({ ...key, algorithm: theirs }, {});
        t.equal(await outcome(verifier, token), 'invalid_token', `${theirs} to ${ours}`);
      }
  }
});
