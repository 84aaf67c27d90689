/** The cache of verified tokens: lifetime, bounds, and invalidation. */
import { pbkdf2 } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { ServiceError } from '#app/base/errors.js';
import { gives, KeyServer } from './key-server.js';
import {
  keySet,
  log,
  makeKey,
  outcome,
  seconds,
  secretKey,
  SECRET,
  settings,
  signed,
} from './tokens.js';
import { until } from '../support/until.js';

const hs = secretKey('HS256', SECRET);

/** Whether a token is accepted without verification. */
function isRemembered(verifier: TokenVerifier, token: string): boolean {
  const caller = verifier.verify(token);
  if (!(caller instanceof Promise)) return true;
  caller.catch(() => undefined);
  return false;
}

t.test('the second use is synchronous', async (t) => {
  const verifier = new TokenVerifier(settings('HS256', { key: SECRET }), log);
  const token = signed(hs, { sub: 'ann' });
  const first = verifier.verify(token);
  t.ok(first instanceof Promise);
  t.equal(verifier.verify(token), first, 'those at the same time share one check');
  const caller = await first;
  t.equal(verifier.verify(token), caller);
  t.notOk(isRemembered(verifier, signed(hs, { sub: 'bo' })), 'another token is another matter');
  const upper = token.replace(/^e/, 'E');
  t.equal(await outcome(verifier, upper), 'invalid_token', 'compared exactly');
});

t.test('a refusal is not cached', async (t) => {
  const file = join(t.testdir({ 'keys.json': keySet({ a: makeKey('ES256') }) }), 'keys.json');
  const key = makeKey('ES256');
  const times = { file: 20, cooldown: 0 };
  const verifier = new TokenVerifier(settings('ES256', { jwks: file }), log, { times });
  t.teardown(() => verifier.close());
  const token = signed(key, { sub: 'ann' });
  t.equal(await outcome(verifier, token), 'invalid_claims');
  await writeFile(file, keySet({ b: key }));
  await until(async () => (await outcome(verifier, token)) === 'name:ann');
  t.ok(isRemembered(verifier, token));
});

t.test('cached until it expires', async (t) => {
  const verifier = new TokenVerifier(settings('HS256', { key: SECRET }), log);
  // Within the tolerance of five seconds, which ends in less than three.
  const token = signed(hs, { sub: 'ann', exp: seconds(-2) });
  t.equal(await outcome(verifier, token), 'name:ann');
  await until(async () => (await outcome(verifier, token)) === 'invalid_claims');
  t.throws(() => verifier.verify(token), ServiceError, 'said without a check');
});

t.test('a clock that is set back', async (t) => {
  const verifier = new TokenVerifier(settings('HS256', { key: SECRET }), log);
  const token = signed(hs, { sub: 'ann', nbf: seconds(-10), exp: seconds(3_600) });
  t.equal(await outcome(verifier, token), 'name:ann');
  const { now } = Date;
  t.intercept(Date, 'now', { value: () => now() - 60_000 });
  t.equal(await outcome(verifier, token), 'invalid_claims');
  t.intercept(Date, 'now', { value: now });
  t.equal(await outcome(verifier, token), 'name:ann', 'and forward again');
});

t.test('a withdrawn key invalidates its tokens', async (t) => {
  const [old, other] = [makeKey('ES256'), makeKey('ES256')];
  const file = join(t.testdir({ 'keys.json': keySet({ old, other }) }), 'keys.json');
  const times = { file: 20, cooldown: 0 };
  const verifier = new TokenVerifier(settings('ES256', { jwks: file }), log, { times });
  t.teardown(() => verifier.close());
  const token = signed(old, { sub: 'ann' }, { kid: 'old' });
  t.equal(await outcome(verifier, token), 'name:ann');

  const next = makeKey('ES256');
  await writeFile(file, keySet({ next, other, old }));
  const newer = signed(next, { sub: 'ann' }, { kid: 'next' });
  await until(async () => (await outcome(verifier, newer)) === 'name:ann');
  t.ok(isRemembered(verifier, token), 'a key more takes nothing away');

  await rm(file);
  await writeFile(file, '{"keys":[');
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.ok(isRemembered(verifier, token), 'nor does a set that cannot be read');

  await writeFile(file, keySet({ other, old: next }));
  await until(async () => (await outcome(verifier, token)) === 'invalid_claims');
  await writeFile(file, keySet({ other, old }));
  await until(async () => (await outcome(verifier, token)) === 'name:ann');
  await writeFile(file, '{"keys":[]}');
  await until(async () => (await outcome(verifier, token)) === 'invalid_claims');
});

t.test('a token whose key is withdrawn during its verification is not cached', async (t) => {
  const [old, next] = [makeKey('ES256'), makeKey('ES256')];
  const server = await KeyServer.start(t);
  const token = signed(old, { sub: 'ann' }, { kid: 'old' });
  for (let tested = false; !tested;) {
    server.answer = gives(keySet({ old }));
    let withdrawn = false;
    const verifier = new TokenVerifier(settings('ES256', { jwks: server.url('/keys') }), log, {
      times: { url: 3_600_000, cooldown: 0 },
      onKeys: (text) => (withdrawn = text === keySet({ next })),
    });
    t.equal(await outcome(verifier, signed(old, {}, { kid: 'old' })), 'name:');
    server.answer = gives(keySet({ next }));
    // Signatures are checked by libuv's threads, which are busy until the set has changed.
    const busy = Array.from({ length: 24 }, () => promisify(pbkdf2)('', '', 20_000, 64, 'sha512'));
    const checked = outcome(verifier, token).then(() => withdrawn);
    t.equal(await outcome(verifier, signed(next, {}, { kid: 'next' })), 'name:', 'loads the set');
    tested = await checked;
    if (tested) t.equal(await outcome(verifier, token), 'invalid_claims');
    verifier.close();
    await Promise.all(busy);
  }
});

t.test('bounded', async (t) => {
  const bounds = { entries: 3, characters: 100_000 };
  const verifier = new TokenVerifier(settings('HS256', { key: SECRET }), log, { bounds });
  const tokens = Array.from({ length: 5 }, (_, i) => signed(hs, { sub: `u${i}` }));
  for (const token of tokens) await verifier.verify(token);
  t.strictSame(
    tokens.map((token) => isRemembered(verifier, token)),
    [false, false, true, true, true],
  );
});
