/** Verified claims: times, issuer, audience. */
import t from 'tap';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { log, outcome, seconds, secretKey, SECRET, settings, signed } from './tokens.js';

const key = secretKey('HS256', SECRET);
const lax = new TokenVerifier(settings('HS256', { key: SECRET }), log);
const strict = new TokenVerifier(
  settings('HS256', { key: SECRET, requireExpiry: true, issuer: 'https://i', audience: 'api' }),
  log,
);
const GOOD = { sub: 'ann', exp: seconds(3600), nbf: seconds(-10), iss: 'https://i', aud: 'api' };

t.test('refused', async (t) => {
  const cases: [what: string, claims: object][] = [
    ['expired', { exp: seconds(-10) }],
    ['expired long ago', { exp: 1 }],
    ['exp 0', { exp: 0 }],
    ['exp negative', { exp: -1 }],
    ['not yet valid', { nbf: seconds(60) }],
    ['exp is a string', { exp: String(seconds(60)) }],
    ['exp is null', { exp: null }],
    ['exp is a list', { exp: [seconds(60)] }],
    ['exp is true', { exp: true }],
    ['nbf is a string', { nbf: '0' }],
    ['nbf is an object', { nbf: {} }],
    ['iat is a string', { iat: '0' }],
    ['no exp', { exp: undefined }],
    ['no iss', { iss: undefined }],
    ['another iss', { iss: 'https://j' }],
    ['iss with a slash more', { iss: 'https://i/' }],
    ['iss is a list', { iss: ['https://i'] }],
    ['no aud', { aud: undefined }],
    ['another aud', { aud: 'API' }],
    ['aud list without ours', { aud: ['a', 'b'] }],
    ['aud list is empty', { aud: [] }],
    ['aud list in a list', { aud: [['api']] }],
    ['aud is an object', { aud: { api: true } }],
    ['aud is a number', { aud: 1 }],
  ];
  t.equal(await outcome(strict, signed(key, GOOD)), 'name:ann');
  for (const [what, claims] of cases)
    t.equal(await outcome(strict, signed(key, { ...GOOD, ...claims })), 'invalid_claims', what);
  const endless = `{"sub":"ann","exp":1e999}`;
  t.equal(await outcome(lax, signed(key, endless)), 'invalid_claims', 'exp 1e999');
  t.equal(await outcome(lax, signed(key, '{"nbf":1e999}')), 'invalid_claims', 'nbf 1e999');
});

t.test('accepted', async (t) => {
  const cases: [what: string, claims: object][] = [
    ['expired within the tolerance', { exp: seconds(-1) }],
    ['valid within the tolerance', { nbf: seconds(3) }],
    ['aud list', { aud: ['other', 'api'] }],
    ['no nbf', { nbf: undefined }],
    ['iat in the future', { iat: seconds(100) }],
    ['exp with a fraction', { exp: seconds(60) + 0.5 }],
  ];
  for (const [what, claims] of cases)
    t.equal(await outcome(strict, signed(key, { ...GOOD, ...claims })), 'name:ann', what);
  t.equal(await outcome(lax, signed(key, {})), 'name:', 'no claims at all');
  t.equal(await outcome(lax, signed(key, { iss: 7, aud: {} })), 'name:', 'what is not asked for');
});
