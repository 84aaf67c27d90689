/** Tokens for users who logged in: those of pREST, both ways. */
import { createHmac } from 'node:crypto';
import t from 'tap';
import { TokenIssuer } from '#app/access/tokens/token-issuer.js';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { log, outcome, part, seconds, SECRET, settings } from './tokens.js';

const USER = { id: 1, name: '', username: 'test@postgres.rest', metadata: null };

function decoded(token: string): [header: string, payload: Record<string, unknown>] {
  const [header, payload] = token
    .split('.')
    .map((text) => Buffer.from(text, 'base64url').toString());
  return [header!, JSON.parse(payload!) as Record<string, unknown>];
}

t.test('header and payload', async (t) => {
  const issuer = new TokenIssuer(settings('HS256', { key: SECRET }));
  const before = seconds(0);
  const token = await issuer.issue(USER);
  const [header, payload] = decoded(token);
  t.equal(header, '{"alg":"HS256","typ":"JWT"}');
  const nbf = Number(payload['nbf']);
  t.ok(nbf >= before && nbf <= seconds(0));
  t.equal(
    JSON.stringify(payload),
    `{"UserInfo":{"id":1,"metadata":null,"name":"","username":"test@postgres.rest"},"exp":${nbf + 21600},"nbf":${nbf}}`,
  );
  const input = token.slice(0, token.lastIndexOf('.'));
  const hmac = createHmac('sha256', SECRET).update(input).digest('base64url');
  t.equal(token, `${input}.${hmac}`, 'signed with the bytes of the secret');
});

t.test('issuer and audience when they are configured', async (t) => {
  const both = settings('HS256', { key: SECRET, issuer: 'https://i', audience: 'api' });
  const token = await new TokenIssuer(both).issue(USER);
  t.match(decoded(token)[1], { iss: 'https://i', aud: 'api' });
  t.equal(await outcome(new TokenVerifier(both, log), token), 'name:test@postgres.rest');
});

t.test('users as the table has them', async (t) => {
  const issuer = new TokenIssuer(settings('HS256', { key: SECRET }));
  const verifier = new TokenVerifier(settings('HS256', { key: SECRET }), log);
  const cases: [id: unknown, metadata: unknown][] = [
    [undefined, undefined],
    ['5d1c', { role: 'a', list: [1, 'é'] }],
    [9, 'text'],
    [null, []],
  ];
  for (const [id, metadata] of cases) {
    const token = await issuer.issue({ id, name: 'Zoë', username: 'zoë', metadata });
    t.strictSame(decoded(token)[1]['UserInfo'], {
      id: id ?? null,
      metadata: metadata ?? null,
      name: 'Zoë',
      username: 'zoë',
    });
    t.equal(await outcome(verifier, token), 'name:zoë');
  }
  const nobody = await issuer.issue({ ...USER, username: '' });
  t.equal(await outcome(verifier, nobody), 'name:');
  const large = issuer.issue({ ...USER, metadata: 'x'.repeat(8_000) });
  await t.rejects(large, { code: 'internal', detail: /metadata/ }, 'none that nobody accepts');
});

t.test('a token as pREST 2.4.2 makes it', async (t) => {
  const verifier = new TokenVerifier(settings('HS256', { key: SECRET, requireExpiry: true }), log);
  const user = '{"id":1,"metadata":null,"name":"","username":"test@postgres.rest"}';
  const [nbf, exp] = [seconds(0), seconds(21_600)];
  const payload = `{"UserInfo":${user},"exp":${exp},"nbf":${nbf}}`;
  const input = `${part('{"alg":"HS256","typ":"JWT"}')}.${part(payload)}`;
  const token = `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
  const caller = await verifier.verify(token);
  t.equal(caller.name, 'test@postgres.rest');
  t.equal(caller.claims, payload);
  t.equal(caller.expires, exp * 1_000);
});
