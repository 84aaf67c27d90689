/** Which keys of a key set are used, and texts that are not key sets. */
import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { KeySetError, parseKeySet } from '#app/access/tokens/key-set.js';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import {
  keySet,
  log,
  makeKey,
  outcome,
  recordingLog,
  secretKey,
  SECRET,
  settings,
  signed,
} from '../tokens.js';

const rs = makeKey('RS256');
const es = makeKey('ES256');
const ed = makeKey('EdDSA');
const hs = secretKey('HS256', SECRET);
const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
  format: 'jwk',
});
const ed448 = generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' });

t.test('texts that are not key sets', (t) => {
  const texts = ['', 'x', '[]', 'null', '7', '"keys"', '{}', '{"keys":{}}', '{"keys":"x"}', '{"ke'];
  for (const text of texts) t.throws(() => parseKeySet(text, 'RS256'), KeySetError, text);
  t.equal(parseKeySet('{"keys":[]}', 'RS256').size, 0);
  const broken = `{"keys":[{"kty":"oct","k":"hush"`;
  for (const jwks of [broken, '{"keys":[]}', '{"keys":[{"kty":"oct","k":"hush"}]}']) {
    const lines = recordingLog();
    try {
      new TokenVerifier(settings('HS256', { jwks }), lines.log);
      t.fail('a key set that cannot be used stops the start');
    } catch (error) {
      t.notMatch(`${String(error)}${lines.lines.join('')}`, /hush/);
    }
  }
  t.end();
});

t.test('skipped keys', (t) => {
  const cases: [algorithm: string, jwk: unknown, said: RegExp][] = [
    ['RS256', null, /#1: .*object/],
    ['RS256', 7, /#1: .*object/],
    ['RS256', [], /#1: .*no key for RS256/],
    ['RS256', { ...rs.jwk, kid: 7 }, /#1: .*kid/],
    ['RS256', { ...rs.jwk, kid: 'x', use: 'enc' }, /x: .*use/],
    ['RS256', { ...rs.jwk, kid: 'x', alg: 'RS512' }, /x: .*alg/],
    ['RS256', { ...rs.jwk, kid: 'x', alg: 'RSA-OAEP' }, /x: .*alg/],
    ['RS256', { ...rs.jwk, kid: 'x', key_ops: ['sign'] }, /x: .*key_ops/],
    ['RS256', { ...rs.jwk, kid: 'x', key_ops: 'verify' }, /x: .*key_ops/],
    ['RS256', { ...rs.jwk, kid: 'x', n: undefined }, /x: .*read/],
    ['RS256', { ...rs.jwk, kid: 'x', n: 7 }, /x: .*read/],
    ['RS256', small, /#1: .*2048/],
    ['RS256', hs.jwk, /#1: .*no key for RS256/],
    ['RS256', es.jwk, /#1: .*no key for RS256/],
    ['PS256', es.jwk, /#1: .*no key for PS256/],
    ['ES256', rs.jwk, /#1: .*no key for ES256/],
    ['ES256', ed.jwk, /#1: .*no key for ES256/],
    ['ES384', es.jwk, /#1: .*secp384r1/],
    ['ES256', { ...es.jwk, x: es.jwk.y, y: es.jwk.x }, /#1: .*read/],
    ['EdDSA', es.jwk, /#1: .*no key for EdDSA/],
    ['EdDSA', ed448, /#1: .*(Ed25519|read)/],
    ['HS256', rs.jwk, /#1: .*no key for HS256/],
    ['HS256', { kty: 'oct' }, /#1: .*read/],
    ['HS256', { kty: 'oct', k: 'not base64url!' }, /#1: .*read/],
    ['HS256', { kty: 'oct', k: 'AAAA' }, /#1: .*3 bytes/],
    ['HS512', secretKey('HS512', SECRET.slice(0, 63)).jwk, /#1: .*63 bytes/],
  ];
  for (const [algorithm, jwk, said] of cases) {
    const set = parseKeySet(JSON.stringify({ keys: [jwk] }), algorithm);
    t.equal(set.size, 0, JSON.stringify(jwk));
    t.match(set.ignored, [said]);
  }
  const many = { keys: Array.from({ length: 150 }, () => hs.jwk) };
  t.equal(parseKeySet(JSON.stringify(many), 'HS256').size, 100, 'bounded');
  t.end();
});

t.test('usable keys, whatever is beside them', (t) => {
  const keys = [
    hs.jwk,
    { ...rs.jwk, kid: 'a', use: 'sig', alg: 'RS256', key_ops: ['verify'], x5c: ['junk'], ext: 7 },
    { kty: 'new' },
    makeKey('RS256').jwk,
  ];
  const set = parseKeySet(JSON.stringify({ keys, more: 1 }), 'RS256');
  t.equal(set.size, 2);
  t.equal(set.named('a').length, 1);
  t.equal(set.named('b').length, 0);
  t.equal(set.named(undefined).length, 2);
  t.end();
});

t.test('the public part of a private key', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] });
  const key = { ...es, signing: privateKey, jwk: publicKey.export({ format: 'jwk' }) };
  const verifier = new TokenVerifier(settings('ES256', { jwks }), log);
  t.equal(await outcome(verifier, signed(key, { sub: 'a' })), 'name:a');
});

t.test('several keys', async (t) => {
  const keys = Array.from({ length: 12 }, () => makeKey('ES256'));
  const jwks = keySet(Object.fromEntries(keys.map((key, i) => [`k${i}`, key])));
  const verifier = new TokenVerifier(settings('ES256', { jwks }), log);
  for (const [i, key] of keys.entries()) {
    t.equal(await outcome(verifier, signed(key, { sub: 'a' }, { kid: `k${i}` })), 'name:a');
    const wrong = signed(key, { sub: 'a' }, { kid: `k${(i + 1) % 12}` });
    t.equal(await outcome(verifier, wrong), 'invalid_claims', 'the key of another name');
  }
  t.equal(await outcome(verifier, signed(keys[9]!, { sub: 'a' })), 'name:a', 'without a name');
  const last = await outcome(verifier, signed(keys[11]!, { sub: 'a' }));
  t.equal(last, 'invalid_claims', 'but not as many as you like');
});

t.test('a key of the configuration beside a key set', async (t) => {
  const own = makeKey('ES256');
  const jwks = keySet({ k: es });
  const verifier = new TokenVerifier(settings('ES256', { key: own.pem, jwks }), log);
  t.equal(await outcome(verifier, signed(own, { sub: 'a' })), 'name:a');
  t.equal(await outcome(verifier, signed(es, { sub: 'b' })), 'name:b');
  t.equal(await outcome(verifier, signed(es, { sub: 'b' }, { kid: 'k' })), 'name:b');
  t.equal(await outcome(verifier, signed(own, { sub: 'a' }, { kid: 'else' })), 'name:a');
  t.equal(await outcome(verifier, signed(own, { sub: 'a' }, { kid: 'k' })), 'invalid_claims');
  t.equal(await outcome(verifier, signed(es, { sub: 'b' }, { kid: 'else' })), 'invalid_claims');
});

t.test('skipped keys are logged in one line', (t) => {
  const { log: recorded, lines } = recordingLog();
  const keys = [rs.jwk, { ...rs.jwk, kid: 'e', use: 'enc' }, es.jwk];
  new TokenVerifier(settings('RS256', { jwks: JSON.stringify({ keys }) }), recorded);
  t.match(lines, [/^info: .*"keys":1,"ignored":\["e: .*","#3: .*"\]/]);
  t.equal(lines.length, 1);
  t.end();
});
