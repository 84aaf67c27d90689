/** Forged tokens. */
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import t from 'tap';
import { MAX_TOKEN } from '#app/access/tokens/bearer.js';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { KeyServer } from './key-server.js';
import {
  keySet,
  log,
  makeKey,
  outcome,
  part,
  secretKey,
  SECRET,
  settings,
  signature,
  signed,
} from './tokens.js';

const hs = secretKey('HS256', SECRET);
const rs = makeKey('RS256');
const symmetric = new TokenVerifier(settings('HS256', { key: SECRET }), log);
const asymmetric = new TokenVerifier(
  settings('RS256', { key: rs.pem, jwks: keySet({ 'a/b': rs }) }),
  log,
);

t.test('none', async (t) => {
  const names = ['none', 'None', 'NONE', 'nOnE', 'none ', '', 'null', 'HS256 ', 'hs256', 'HS2567'];
  const values = [null, true, 0, [], ['HS256'], {}, undefined];
  for (const alg of [...names, ...values]) {
    const input = `${part({ alg, typ: 'JWT' })}.${part({ sub: 'root' })}`;
    const signatures = ['', 'AA', signature(hs, input), signature(rs, input)];
    for (const text of signatures)
      for (const verifier of [symmetric, asymmetric]) {
        const said = `${JSON.stringify({ alg })} ${text.slice(0, 4)}`;
        t.equal(await outcome(verifier, `${input}.${text}`), 'invalid_token', said);
      }
    t.equal(await outcome(symmetric, input), 'invalid_token', 'two parts');
  }
  const unsigned = signed(hs, { sub: 'root' }).replace(/[^.]+$/, '');
  t.equal(await outcome(symmetric, unsigned), 'invalid_token', 'no signature');
  t.equal(await outcome(symmetric, `${unsigned}AA`), 'invalid_claims', 'a short one');
});

t.test('a public key is not accepted as a secret', async (t) => {
  for (const secret of [rs.pem, rs.pem.trim(), JSON.stringify(rs.jwk), rs.jwk.n!, '']) {
    const token = signed(secretKey('HS256', secret), { sub: 'root' });
    t.equal(await outcome(asymmetric, token), 'invalid_token');
    const renamed = signed(secretKey('HS256', secret), { sub: 'root' }, { alg: 'RS256' });
    t.equal(await outcome(asymmetric, renamed), 'invalid_claims');
  }
  const empty = signed(secretKey('HS256', ''), { sub: 'root' });
  t.equal(await outcome(symmetric, empty), 'invalid_claims', 'an empty key');
});

t.test('kid is only compared', async (t) => {
  const kids = [
    'b',
    '/dev/null',
    '../../../dev/null',
    'file:///dev/null',
    "' OR 1=1 --",
    "x' UNION SELECT 'secret",
    '__proto__',
    'constructor',
    'a/b\0',
    'A/B',
    '',
  ];
  const forger = makeKey('RS256');
  for (const kid of kids) {
    t.equal(await outcome(asymmetric, signed(forger, {}, { kid })), 'invalid_claims', kid);
    t.equal(
      await outcome(symmetric, signed(secretKey('HS256', ''), {}, { kid })),
      'invalid_claims',
    );
  }
  t.equal(await outcome(asymmetric, signed(rs, {}, { kid: 'a/b' })), 'name:');
  t.equal(await outcome(asymmetric, signed(forger, {}, { kid: 'a/b' })), 'invalid_claims');
  for (const kid of [null, 1, [], ['a/b'], {}, true])
    t.equal(await outcome(asymmetric, signed(rs, {}, { kid })), 'invalid_token');
});

t.test('keys in a token are ignored', async (t) => {
  const server = await KeyServer.start(t);
  const forger = makeKey('RS256');
  const headers: object[] = [
    { jwk: forger.jwk },
    { jwk: { ...forger.jwk, kid: 'a/b' }, kid: 'a/b' },
    { jku: server.url('/keys') },
    { x5u: server.url('/chain') },
    { x5c: ['MIIB'], x5t: 'AAAA', 'x5t#S256': 'AAAA' },
    { jwks_uri: server.url('/keys'), iss: server.url('/') },
  ];
  server.answer = (res) => res.end(keySet({ 'a/b': forger }));
  for (const header of headers) {
    const said = JSON.stringify(header);
    t.equal(
      await outcome(asymmetric, signed(forger, { sub: 'x' }, header)),
      'invalid_claims',
      said,
    );
    t.equal(
      await outcome(asymmetric, signed(rs, { sub: 'x' }, { ...header, kid: 'a/b' })),
      'name:x',
    );
  }
  t.strictSame(server.asked, []);
});

t.test('extensions', async (t) => {
  const headers: object[] = [
    { b64: false, crit: ['b64'] },
    { b64: true, crit: ['b64'] },
    { b64: false },
    { crit: ['exp'], exp: 1 },
    { crit: [] },
    { crit: null },
    { crit: 'b64' },
  ];
  for (const header of headers)
    t.equal(await outcome(symmetric, signed(hs, {}, header)), 'invalid_token');
  const header = part({ alg: 'HS256', b64: false, crit: ['b64'] });
  const raw = `${header}.abc.${signature(hs, `${header}.abc`)}`;
  t.equal(await outcome(symmetric, raw), 'invalid_token');
  for (const typ of ['JWT', 'jwt', 'at+jwt', 'x', '', 7, null, undefined, {}])
    t.equal(await outcome(symmetric, signed(hs, {}, { typ })), 'name:', 'typ may be anything');
});

t.test('encrypted tokens', async (t) => {
  const jwe = await new CompactEncrypt(Buffer.from('{"sub":"root"}'))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(Buffer.from(SECRET.slice(0, 32)));
  t.equal(await outcome(symmetric, jwe), 'invalid_token');
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = await new CompactEncrypt(Buffer.from('{"sub":"root"}'))
    .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A256GCM' })
    .encrypt(publicKey);
  t.equal(await outcome(asymmetric, other), 'invalid_token');
});

t.test('repeated members', async (t) => {
  const payloads = [
    '{"sub":"ann","sub":"root"}',
    '{"sub":"ann","s\\u0075b":"root"}',
    '{"UserInfo":{"username":"ann","username":"root"}}',
    '{"a":[{"b":1,"b":2}]}',
    '{"exp":1,"exp":9999999999}',
  ];
  for (const payload of payloads)
    t.match(await outcome(symmetric, signed(hs, payload)), /^invalid_token$/, payload);
  const headers = [
    '{"alg":"none","alg":"HS256"}',
    '{"alg":"HS256","alg":"none"}',
    '{"alg":"HS256","kid":"a","kid":"b"}',
  ];
  for (const header of headers)
    t.equal(await outcome(symmetric, signed(hs, '{}', header)), 'invalid_token', header);
  const inherited = '{"__proto__":{"alg":"HS256"}}';
  t.equal(await outcome(symmetric, signed(hs, '{}', inherited)), 'invalid_token', inherited);
});

t.test('garbage', async (t) => {
  const good = signed(hs, { sub: 'ann' });
  const [header, payload] = good.split('.') as [string, string];
  const tokens = [
    ...['', '.', '..', '...', 'a', 'a.b', 'a.b.c', 'a.b.c.d', 'a.b.c.d.e', 'é.é.é', '\0.\0.\0'],
    ...[`${good}.`, `.${good}`, `${good}=`, `${good} `, ` ${good}`, `${good}\n`, `${good}.a.b`],
    `${header}+.${payload}.AA`,
    `${part('[]')}.${payload}.AA`,
    `${part('null')}.${payload}.AA`,
    `${part('"HS256"')}.${payload}.AA`,
    `${part('{"alg":"HS256"')}.${payload}.AA`,
    `${Buffer.from([0xff, 0xfe]).toString('base64url')}.${payload}.AA`,
    JSON.stringify({ payload, protected: header, signature: 'AA' }),
    signed(hs, { a: 'x'.repeat(MAX_TOKEN) }),
    'a'.repeat(1_000_000),
    'a.'.repeat(500_000),
  ];
  for (const token of tokens)
    t.equal(await outcome(symmetric, token), 'invalid_token', token.slice(0, 40));
  for (const text of ['[]', 'null', '"x"', '7', '', '{', '{"a":1}x', '\uFEFF[]'])
    t.equal(await outcome(symmetric, signed(hs, text)), 'invalid_token', `payload ${text}`);
  const latin = `${header}.${Buffer.from('{"sub":"\xe9"}', 'latin1').toString('base64url')}`;
  t.equal(await outcome(symmetric, `${latin}.${signature(hs, latin)}`), 'invalid_token');
  t.equal(await outcome(symmetric, `${header}.${payload}.${'A'.repeat(43)}`), 'invalid_claims');
  const deep = `{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`;
  t.equal(await outcome(symmetric, signed(hs, deep)), 'name:', 'deep, and signed');
});

t.test('a token with anything in it changed is refused with 401', async (t) => {
  const key = makeKey('ES256');
  const verifier = new TokenVerifier(settings('ES256', { key: key.pem }), log);
  const good = signed(key, { sub: 'ann' });
  // The last character has bits that mean nothing.
  for (let at = 0; at < good.length - 1; at++) {
    for (const c of ['A', 'b', '.', '!']) {
      if (good.charAt(at) === c) continue;
      const said = await outcome(verifier, good.slice(0, at) + c + good.slice(at + 1));
      if (!/^invalid_(token|claims)$/.test(said)) t.fail(`${c} at ${at}: ${said}`);
    }
  }
  t.equal(await outcome(verifier, good), 'name:ann');
});

t.test('keys of a set that do not fit the algorithm are not used', async (t) => {
  const oct: JsonWebKey = { kty: 'oct', k: part(rs.pem), kid: 'k' };
  const keys = JSON.stringify({ keys: [{ ...rs.jwk, kid: 'k' }, oct] });
  const verifier = new TokenVerifier(settings('RS256', { jwks: keys }), log);
  const forged = signed(secretKey('HS256', rs.pem), {}, { kid: 'k', alg: 'RS256' });
  t.equal(await outcome(verifier, forged), 'invalid_claims');
  t.equal(await outcome(verifier, signed(rs, {}, { kid: 'k' })), 'name:');
});
