/** Key sets at URLs: rotation, limits, outages. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { KeyTimes } from '#app/access/tokens/key-ring.js';
import { TokenVerifier, type VerifierOptions } from '#app/access/tokens/token-verifier.js';
import { KEY_SET_LOADS } from '#app/observe/metrics/catalogue.js';
import { counts } from '#app/observe/metrics/thread.js';
import type { TokenSettings } from '#app/messages/access-settings.js';
import { gives, KeyServer, type Answer } from './key-server.js';
import { keySet, log, makeKey, outcome, recordingLog, settings, signed } from './tokens.js';
import { until } from '../support/until.js';

const key = makeKey('ES256');
const HOUR = 3_600_000;

interface Started {
  readonly lines: readonly string[];
  readonly verifier: TokenVerifier;
}

function start(
  t: Test,
  more: Partial<TokenSettings>,
  times: Partial<KeyTimes>,
  options: VerifierOptions = {},
): Started {
  const { log, lines } = recordingLog();
  const all = { url: HOUR, cooldown: HOUR, ...times };
  const verifier = new TokenVerifier(settings('ES256', more), log, { ...options, times: all });
  t.teardown(() => verifier.close());
  return { lines, verifier };
}

t.test('one request serves many tokens', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const { verifier } = start(t, { jwks: server.url('/keys') }, {});
  const tokens = Array.from({ length: 50 }, (_, i) => signed(key, { sub: `u${i}` }));
  const said = await Promise.all(tokens.map((token) => outcome(verifier, token)));
  t.strictSame(said, tokens.map((_, i) => `name:u${i}`)); // prettier-ignore
  t.strictSame(server.asked, ['/keys']);
});

t.test('an unknown kid causes a refresh, within the rate limit', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const cooldown = 200;
  const began = performance.now();
  const { verifier } = start(t, { jwks: server.url('/keys') }, { cooldown });
  await until(async () => {
    const flood = Array.from({ length: 20 }, (_, i) => signed(key, {}, { kid: `no${i}` }));
    const said = await Promise.all(flood.map((token) => outcome(verifier, token)));
    t.ok(said.every((one) => one === 'invalid_claims'));
    return server.asked.length >= 4;
  });
  const most = 1 + (performance.now() - began) / cooldown;
  t.ok(server.asked.length <= most, `${server.asked.length} requests, ${most} allowed`);
});

t.test('the rate limit applies while loading fails', async (t) => {
  const server = await KeyServer.start(t);
  server.answer = gives('', 500);
  const { verifier, lines } = start(t, { jwks: server.url('/keys') }, {});
  for (let i = 0; i < 20; i++)
    t.equal(await outcome(verifier, signed(key, {}, { kid: `k${i}` })), 'busy');
  t.equal(server.asked.length, 1);
  t.match(lines, [/^warn: .*no keys yet.*"reason":"the answer has status 500"/]);
});

t.test('garbage, and known names with bad signatures, cause no request', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const { verifier } = start(t, { jwks: server.url('/keys') }, { cooldown: 0 });
  t.equal(await outcome(verifier, signed(key, { sub: 'a' })), 'name:a');
  for (let i = 0; i < 20; i++) {
    await outcome(verifier, `a.b${i}.c`);
    await outcome(verifier, signed(makeKey('EdDSA'), {}, { kid: `k${i}` }));
    await outcome(verifier, signed(makeKey('ES256'), {}, { kid: 'key' }));
  }
  t.equal(server.asked.length, 1);
});

t.test(
  'rotation: a new key is accepted with its first token, an old one until it is withdrawn',
  async (t) => {
    const server = await KeyServer.start(t, keySet({ key }));
    const { verifier } = start(t, { jwks: server.url('/keys') }, { cooldown: 0 });
    const old = signed(key, { sub: 'o' }, { kid: 'key' });
    t.equal(await outcome(verifier, old), 'name:o');
    const next = makeKey('ES256');
    server.answer = gives(keySet({ key, next }));
    t.equal(await outcome(verifier, signed(next, { sub: 'n' }, { kid: 'next' })), 'name:n');
    t.equal(await outcome(verifier, old), 'name:o');
    const third = makeKey('ES256');
    server.answer = gives(keySet({ next, third }));
    t.equal(await outcome(verifier, signed(third, { sub: 't' })), 'name:t', 'without a name too');
    t.equal(await outcome(verifier, old), 'invalid_claims');
    t.equal(server.asked.length, 4);
  },
);

t.test('the set is refreshed periodically', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const { verifier } = start(t, { jwks: server.url('/keys') }, { url: 20 });
  const old = signed(key, { sub: 'o' });
  t.equal(await outcome(verifier, old), 'name:o');
  server.answer = gives(keySet({ next: makeKey('ES256') }));
  await until(async () => (await outcome(verifier, old)) === 'invalid_claims');
  const asked = server.asked.length;
  await until(() => server.asked.length > asked + 2);
});

t.test('an outage of the issuer', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const times = { url: 20, cooldown: 20 };
  const { verifier, lines } = start(t, { jwks: server.url('/keys?hush=hush') }, times);
  const token = signed(key, { sub: 'a' });
  t.equal(await outcome(verifier, token), 'name:a');
  const { succeeded, failed } = KEY_SET_LOADS;
  const [loaded, failedBefore] = [counts[succeeded]!, counts[failed]!];
  t.ok(loaded > 0);
  const failures: Answer[] = [
    gives('', 503),
    gives('junk'),
    gives('{"error":"hush"}'),
    gives(''),
    (res) => res.destroy(),
  ];
  for (const failure of failures) {
    server.answer = failure;
    const asked = server.asked.length;
    await until(() => server.asked.length > asked + 1);
    t.notOk(verifier.verify(token) instanceof Promise, 'what is remembered stays');
    const fresh = signed(key, { sub: `n${asked}` });
    t.equal(await outcome(verifier, fresh), `name:n${asked}`, 'and the keys');
  }
  t.equal(lines.length, 2, `said once: ${lines.join(' | ')}`);
  t.match(lines[1], /^warn: .*keys of before are kept.*"reason":"the answer has status 503"/);
  server.answer = gives(keySet({ key }));
  await until(() => lines.length > 2);
  t.match(lines[2], /^info: .*loaded again/);
  t.ok(counts[failed]! >= failedBefore + failures.length, 'failed loads are counted');
  t.ok(counts[succeeded]! > loaded, 'and the others');
  t.notMatch(lines.join(), 'hush');
});

t.test('responses without keys', async (t) => {
  const server = await KeyServer.start(t);
  const good = keySet({ key });
  const redirect: Answer = (res, req) => {
    if (req.url === '/keys') res.writeHead(302, { location: server.url('/good') }).end();
    else res.end(good);
  };
  const cases: [what: string, answer: Answer, reason: RegExp][] = [
    ['a redirect', redirect, /status 302/],
    ['a status besides 200', gives(good, 203), /status 203/],
    ['nothing', gives(''), /not JSON/],
    ['junk', gives('<html>'), /not JSON/],
    ['no list', gives('{"keys":{}}'), /no key set/],
    ['an error', gives(good, 404), /status 404/],
    ['a huge one', (res) => res.end(good.padEnd(300_000)), /larger than 256 KiB/],
    ['one without end', (res) => endless(res), /larger than 256 KiB/],
    ['a small one that unpacks to much', bomb(good), /larger than 256 KiB/],
    ['a broken connection', (res) => res.destroy(), /UND_ERR|ECONN/],
  ];
  for (const [what, answer, reason] of cases) {
    server.answer = answer;
    server.asked.length = 0;
    const { verifier, lines } = start(t, { jwks: server.url('/keys') }, {});
    t.equal(await outcome(verifier, signed(key, {})), 'busy', what);
    t.match(lines, [reason], what);
    t.strictSame(server.asked, ['/keys'], what);
  }
});

t.test('responses that take too long', async (t) => {
  const server = await KeyServer.start(t);
  const cases: [what: string, answer: Answer][] = [
    ['silence', () => undefined],
    ['half an answer', (res) => res.write('{"keys":')],
    ['drop by drop', (res) => void setInterval(() => res.write(' '), 10).unref()],
  ];
  for (const [what, answer] of cases) {
    server.answer = answer;
    const { verifier, lines } = start(t, { jwks: server.url('/keys') }, { timeout: 150 });
    t.equal(await outcome(verifier, signed(key, {})), 'busy', what);
    t.match(lines, [/nothing came within 150 ms/], what);
  }
});

function endless(res: Parameters<Answer>[0]): void {
  const send = (): void => {
    if (!res.destroyed) res.write(' '.repeat(64 * 1024), () => setImmediate(send));
  };
  send();
}

function bomb(text: string): Answer {
  const packed = gzipSync(text.padEnd(20_000_000));
  return (res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
}

t.test('a slow issuer delays a limited number of requests', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const times = { cooldown: 0, timeout: HOUR };
  const { verifier } = start(t, { jwks: server.url('/keys') }, times);
  t.equal(await outcome(verifier, signed(key, { sub: 'a' })), 'name:a');
  let release = (): void => undefined;
  server.answer = (res) => (release = () => res.end(keySet({ key })));
  const flood = Array.from({ length: 150 }, (_, i) => signed(key, {}, { kid: `no${i}` }));
  const said: string[] = [];
  const all = flood.map(async (token) => said.push(await outcome(verifier, token)));
  await until(() => said.length >= 50 && server.asked.length === 2);
  t.ok(said.every((one) => one === 'busy'));
  t.equal(said.length, 50);
  t.equal(await outcome(verifier, signed(key, { sub: 'b' })), 'name:b', 'others pass');
  release();
  await Promise.all(all);
  t.equal(said.filter((one) => one === 'invalid_claims').length, 100);
});

t.test('an unknown kid waits for a moment of a load', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const times = { cooldown: 0, timeout: 10_000 };
  const { verifier } = start(t, { jwks: server.url('/keys') }, times);
  t.equal(await outcome(verifier, signed(key, { sub: 'a' })), 'name:a');
  const next = makeKey('ES256');
  let release = (): void => undefined;
  server.answer = (res) => (release = () => res.end(keySet({ key, next })));
  const invented = signed(key, {}, { kid: 'no' });
  const rotated = signed(next, { sub: 'b' }, { kid: 'next' });
  const forged = signed(next, {}, { kid: 'key' });
  const tokens = [invented, rotated, forged];
  const said = await Promise.all(tokens.map((token) => outcome(verifier, token)));
  t.same(said, ['busy', 'busy', 'invalid_claims'], 'the key of the last one is known');
  release();
  await until(async () => (await outcome(verifier, rotated)) === 'name:b');
});

/** Outcomes of many simultaneous tokens, with the count of each. */
async function outcomes(verifier: TokenVerifier, count: number): Promise<Record<string, number>> {
  const tokens = Array.from({ length: count }, (_, i) => signed(key, { n: i, sub: 'a' }));
  const counts: Record<string, number> = {};
  for (const one of await Promise.all(tokens.map((token) => outcome(verifier, token))))
    counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

t.test('tokens wait for the first set, up to the length of the queue', async (t) => {
  const server = await KeyServer.start(t);
  const places = { '/keys': 'jwks', '/openid': 'wellKnown' };
  server.answer = (res, req) => {
    const text = req.url === '/keys' ? keySet({ key }) : `{"jwks_uri":"${server.url('/keys')}"}`;
    setTimeout(() => res.end(text), 100);
  };
  for (const [path, setting] of Object.entries(places)) {
    const { verifier } = start(t, { [setting]: server.url(path) }, {});
    t.strictSame(await outcomes(verifier, 200), { 'name:a': 200 }, setting);
  }
  const { verifier } = start(t, { jwks: server.url('/keys') }, {}, { queue: 150 });
  t.strictSame(await outcomes(verifier, 200), { busy: 50, 'name:a': 150 });
});

t.test('when the first set cannot be loaded, all callers are refused', async (t) => {
  const server = await KeyServer.start(t);
  const failures: Answer[] = [
    (res) => setTimeout(() => res.writeHead(500).end(), 50),
    (res) => res.destroy(),
    () => undefined,
  ];
  for (const failure of failures) {
    server.answer = failure;
    const { verifier } = start(t, { jwks: server.url('/keys') }, { timeout: 150 });
    t.strictSame(await outcomes(verifier, 200), { busy: 200 });
  }
});

t.test('the last set of an earlier process is used until the set is loaded', async (t) => {
  const server = await KeyServer.start(t);
  let release = (): void => undefined;
  const next = makeKey('ES256');
  server.answer = (res) => (release = () => res.end(keySet({ next })));
  const told: string[] = [];
  const { verifier, lines } = start(
    t,
    { jwks: server.url('/keys'), lastKeys: keySet({ key }) },
    {},
    { onKeys: (text) => told.push(text) },
  );
  const token = signed(key, { sub: 'a' });
  t.equal(await outcome(verifier, token), 'name:a');
  t.match(lines, [/^info: the last key set is used/]);
  t.strictSame(told, []);
  const waiting = outcome(verifier, signed(next, { sub: 'b' }, { kid: 'next' }));
  await until(() => server.asked.length === 1);
  release();
  t.equal(await waiting, 'name:b', 'a key that it lacks is waited for');
  t.equal(await outcome(verifier, token), 'invalid_claims', 'and its own may be withdrawn');
  t.strictSame(told, [keySet({ next })]);
});

t.test('and it stays while the issuer is unreachable', async (t) => {
  const server = await KeyServer.start(t);
  server.answer = (res) => res.destroy();
  const last = { jwks: server.url('/keys'), lastKeys: keySet({ key }) };
  const { verifier, lines } = start(t, last, { cooldown: 10 });
  await until(() => server.asked.length > 2);
  t.equal(await outcome(verifier, signed(key, { sub: 'a' })), 'name:a');
  t.match(lines, [/last key set/, /^warn: .*keys of before are kept/]);
});

t.test('a set is reported when it has changed', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const told: string[] = [];
  start(t, { jwks: server.url('/keys') }, { url: 10 }, { onKeys: (text) => told.push(text) });
  await until(() => server.asked.length > 3);
  t.strictSame(told, [keySet({ key })]);
  server.answer = gives(keySet({ next: key }));
  await until(() => told.length > 1);
  t.strictSame(told, [keySet({ key }), keySet({ next: key })]);
});

t.test('an OpenID configuration with a jwks_uri', async (t) => {
  const server = await KeyServer.start(t);
  const answers = new Map<string, string>();
  server.answer = (res, req) => {
    const text = answers.get(req.url!);
    res.writeHead(text === undefined ? 404 : 200).end(text);
  };
  answers.set('/good', JSON.stringify({ issuer: 'i', jwks_uri: server.url('/set') }));
  answers.set('/set', keySet({ key }));
  const { verifier } = start(t, { wellKnown: server.url('/good') }, {});
  t.equal(await outcome(verifier, signed(key, { sub: 'a' }, { kid: 'key' })), 'name:a');
  t.strictSame(server.asked, ['/good', '/set']);

  const { host } = new URL(server.url('/'));
  const cases: [configuration: string, reason: RegExp][] = [
    ['', /configuration is not JSON/],
    ['null', /no jwks_uri/],
    ['{}', /no jwks_uri/],
    ['{"jwks_uri":7}', /no jwks_uri/],
    ['{"jwks_uri":"/set"}', /not an http or https URL/],
    ['{"jwks_uri":"file:///etc/passwd"}', /not an http or https URL/],
    ['{"jwks_uri":"data:application/json,{}"}', /not an http or https URL/],
    [`{"jwks_uri":"http://a:hush@${host}/set"}`, /holds a user or password/],
    [JSON.stringify({ jwks_uri: server.url('/nope') }), /status 404/],
    [keySet({ key }), /no jwks_uri/],
  ];
  for (const [configuration, reason] of cases) {
    answers.set('/bad', configuration);
    const bad = start(t, { wellKnown: server.url('/bad') }, {});
    t.equal(await outcome(bad.verifier, signed(key, {})), 'busy', configuration);
    t.match(bad.lines, [reason], configuration);
    t.notMatch(bad.lines.join(), 'hush');
  }
});

t.test('a URL with a password stops the start, and no message contains it', (t) => {
  for (const place of ['jwks', 'wellKnown'] as const) {
    const bad = settings('ES256', { [place]: 'https://ann:hush@issuer.example/keys' });
    t.throws(() => new TokenVerifier(bad, log), /user or password/);
    t.throws(() => new TokenVerifier(bad, log), { message: /^(?!.*hush)/ });
  }
  t.end();
});

t.test('after close there is no request, and one in progress ends', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const { verifier, lines } = start(t, { jwks: server.url('/keys') }, { url: 20, cooldown: 0 });
  t.equal(await outcome(verifier, signed(key, { sub: 'a' })), 'name:a');
  server.answer = () => undefined;
  const asked = server.asked.length;
  await until(() => server.asked.length > asked);
  const waiting = outcome(verifier, signed(key, {}, { kid: 'no' }));
  verifier.close();
  t.equal(await waiting, 'invalid_claims');
  const last = server.asked.length;
  t.equal(await outcome(verifier, signed(key, {}, { kid: 'none' })), 'invalid_claims');
  t.equal(await outcome(verifier, signed(key, { sub: 'b' })), 'name:b', 'known keys go on');
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(server.asked.length, last);
  t.equal(lines.length, 1, 'a stop is no failure');
});

t.test('a key set does not keep its process alive', async (t) => {
  const server = await KeyServer.start(t, keySet({ key }));
  const url = server.url('/keys');
  const code = `
    import { TokenVerifier } from ${JSON.stringify(import.meta.resolve('#app/access/tokens/token-verifier.js'))};
    const log = { info: () => {}, warn: () => {} };
    const verifier = new TokenVerifier(${JSON.stringify(settings('ES256', { jwks: url }))}, log);
    await verifier.verify(${JSON.stringify(signed(key, {}))});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  t.teardown(() => child.kill());
  const [status] = (await once(child, 'exit')) as [number | null];
  t.equal(status, 0);
});
