/** Refused tokens are counted by reason, while callers see the code alone. */
import t from 'tap';
import type { RefusalReason } from '#app/access/tokens/refusal.js';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { REFUSED_TOKENS, TOKENS } from '#app/observe/metrics/catalogue.js';
import { counts } from '#app/observe/metrics/thread.js';
import type { TokenSettings } from '#app/messages/access-settings.js';
import { until } from '../../support/until.js';
import { KeyServer } from '../key-server.js';
import {
  keySet,
  log,
  makeKey,
  outcome,
  part,
  seconds,
  secretKey,
  SECRET,
  settings,
  signature,
  signed,
} from '../tokens.js';

const REASONS = Object.keys(REFUSED_TOKENS) as RefusalReason[];

const key = secretKey('HS256', SECRET);
const other = secretKey('HS256', `${SECRET} Or another one.`);
const STRICT = { key: SECRET, requireExpiry: true, issuer: 'https://i', audience: 'api' };
const LAX = { requireExpiry: false, issuer: undefined, audience: undefined };
const GOOD = { sub: 'ann', exp: seconds(3600), iss: 'https://i', aud: 'api' };

interface Case {
  readonly what: string;
  readonly token: string;
  readonly code: string;
  readonly reason: RefusalReason;
  readonly settings?: Partial<TokenSettings>;
}

const notJson = `${part('{"alg"')}.${part({})}.AA`;
const payload = `${part({ alg: 'HS256' })}.${part('[]')}`;

const CASES: readonly Case[] = [
  { what: 'garbage', token: 'abc', code: 'invalid_token', reason: 'malformed' },
  { what: 'a header that is not JSON', token: notJson, code: 'invalid_token', reason: 'malformed' },
  { what: 'a payload that is no object', token: `${payload}.${signature(key, payload)}`, code: 'invalid_token', reason: 'malformed' }, // prettier-ignore
  { what: 'a repeated member', token: signed(key, '{"sub":"a","sub":"b"}'), code: 'invalid_token', reason: 'malformed', settings: LAX }, // prettier-ignore
  { what: 'an extension', token: signed(key, GOOD, { crit: ['exp'] }), code: 'invalid_token', reason: 'malformed' }, // prettier-ignore
  { what: 'a kid that is no string', token: signed(key, GOOD, { kid: 1 }), code: 'invalid_token', reason: 'malformed' }, // prettier-ignore
  { what: 'none', token: signed(key, GOOD, { alg: 'none' }), code: 'invalid_token', reason: 'algorithm' }, // prettier-ignore
  { what: 'another algorithm', token: signed(makeKey('HS512'), GOOD), code: 'invalid_token', reason: 'algorithm' }, // prettier-ignore
  { what: 'another key', token: signed(other, GOOD), code: 'invalid_claims', reason: 'signature' },
  { what: 'another key, expired', token: signed(other, { ...GOOD, exp: 1 }), code: 'invalid_claims', reason: 'signature' }, // prettier-ignore
  { what: 'an unknown kid beside a key of the configuration', token: signed(other, GOOD, { kid: 'no' }), code: 'invalid_claims', reason: 'signature', settings: { jwks: keySet({ key }) } }, // prettier-ignore
  { what: 'an unknown kid', token: signed(key, GOOD, { kid: 'no' }), code: 'invalid_claims', reason: 'key_unknown', settings: { key: undefined, jwks: keySet({ key }) } }, // prettier-ignore
  { what: 'a known kid, another key', token: signed(other, GOOD, { kid: 'key' }), code: 'invalid_claims', reason: 'signature', settings: { key: undefined, jwks: keySet({ key }) } }, // prettier-ignore
  { what: 'expired', token: signed(key, { ...GOOD, exp: seconds(-60) }), code: 'invalid_claims', reason: 'expired' }, // prettier-ignore
  { what: 'not yet valid', token: signed(key, { ...GOOD, nbf: seconds(60) }), code: 'invalid_claims', reason: 'not_yet_valid' }, // prettier-ignore
  { what: 'another issuer', token: signed(key, { ...GOOD, iss: 'https://j' }), code: 'invalid_claims', reason: 'issuer' }, // prettier-ignore
  { what: 'no issuer', token: signed(key, { ...GOOD, iss: undefined }), code: 'invalid_claims', reason: 'issuer' }, // prettier-ignore
  { what: 'another audience', token: signed(key, { ...GOOD, aud: ['a'] }), code: 'invalid_claims', reason: 'audience' }, // prettier-ignore
  { what: 'no audience', token: signed(key, { ...GOOD, aud: undefined }), code: 'invalid_claims', reason: 'audience' }, // prettier-ignore
  { what: 'no expiry', token: signed(key, { ...GOOD, exp: undefined }), code: 'invalid_claims', reason: 'claims' }, // prettier-ignore
  { what: 'an expiry that is no number', token: signed(key, { ...GOOD, exp: '1' }), code: 'invalid_claims', reason: 'claims' }, // prettier-ignore
  { what: 'an infinite expiry', token: signed(key, '{"exp":1e999}'), code: 'invalid_claims', reason: 'claims', settings: LAX }, // prettier-ignore
  { what: 'a beginning that is no number', token: signed(key, { ...GOOD, nbf: '1' }), code: 'invalid_claims', reason: 'claims' }, // prettier-ignore
];

/** counted gives the reasons that were counted meanwhile, once for each refusal. */
async function counted(act: () => unknown): Promise<readonly RefusalReason[]> {
  const numbers = (): number[] => REASONS.map((reason) => counts[REFUSED_TOKENS[reason]]!);
  const [before, refused] = [numbers(), counts[TOKENS.refused]!];
  await act();
  const found = numbers().flatMap((n, i) =>
    Array.from({ length: n - before[i]! }, () => REASONS[i]!),
  );
  t.equal(counts[TOKENS.refused]! - refused, found.length, 'each is a refused token');
  return found;
}

for (const { what, token, code, reason, settings: more } of CASES)
  t.test(`${reason}: ${what}`, async (t) => {
    const verifier = new TokenVerifier(settings('HS256', { ...STRICT, ...more }), log);
    let said = '';
    const reasons = await counted(async () => (said = await outcome(verifier, token)));
    t.equal(said, code);
    t.strictSame(reasons, [reason]);
  });

t.test('a token that is accepted', async (t) => {
  const verifier = new TokenVerifier(settings('HS256', STRICT), log);
  const token = signed(key, GOOD);
  const twice = async (): Promise<void> => {
    for (let i = 0; i < 2; i++) t.equal(await outcome(verifier, token), 'name:ann');
  };
  t.strictSame(await counted(twice), []);
});

t.test('expired: one that was verified before', async (t) => {
  const verifier = new TokenVerifier(settings('HS256', { key: SECRET }), log);
  // Within the tolerance of five seconds, which ends in less than three.
  const token = signed(key, { sub: 'ann', exp: seconds(-3) });
  t.equal(await outcome(verifier, token), 'name:ann');
  t.strictSame(
    await counted(() => until(async () => (await outcome(verifier, token)) === 'invalid_claims')),
    ['expired'],
  );
});

t.test('keys_unavailable, and queue_full while their first load takes long', async (t) => {
  const server = await KeyServer.start(t);
  let release = (): void => undefined;
  server.answer = (res) => (release = () => res.writeHead(500).end());
  const place = { key: undefined, jwks: server.url('/keys') };
  const verifier = new TokenVerifier(settings('HS256', place), log, { queue: 1 });
  t.teardown(() => verifier.close());
  const reasons = await counted(async () => {
    const waits = outcome(verifier, signed(key, GOOD));
    t.equal(await outcome(verifier, signed(key, {})), 'busy');
    await until(() => server.asked.length === 1);
    release();
    t.equal(await waits, 'busy');
  });
  t.strictSame(reasons, ['keys_unavailable', 'queue_full']);
});
