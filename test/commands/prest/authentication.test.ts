/** Keys of authentication, some of which disable others in pREST. Whatever is protected there is protected here. */
import t from 'tap';
import { makeConverter } from './converter.js';

const { folder, convert } = makeConverter(t);
const KEY = `key = "${'k'.repeat(32)}"`;
const JWKS = `jwks = '{"keys":[{"kty":"oct","k":"a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s","alg":"HS256"}]}'`;

const cases: [toml: string, written: Record<string, unknown>, said?: RegExp][] = [
  [`[auth]\nenabled = true\n[jwt]\n${KEY}`, { 'auth.enabled': true, 'jwt.key': 'k'.repeat(32) }],
  ['[auth]\nenabled = true', { 'auth.enabled': true }, /serves without authentication/],
  ['[auth]\nenabled = true\n[jwt]\nkey = "short"', { 'auth.enabled': true }, /less than 32 bytes/],
  [`debug = true\n[jwt]\ndefault = true\n${KEY}`, { 'jwt.default': true }, /no token while debug/],
  [
    `[auth]\nenabled = true\n[jwt]\n${KEY}\n${JWKS}`,
    { 'jwt.jwks': undefined },
    /jwt\.default = true only/,
  ],
  [`[jwt]\ndefault = true\n${KEY}\n${JWKS}`, { 'jwt.key': undefined }, /key set alone/],
  ['[jwt]\ndefault = true\njwks = "set.json"', { 'jwt.jwks': `${folder}/set.json` }],
  [
    '[jwt]\ndefault = true\njwks = "set.json"\nwellknownurl = "https://a.example/"',
    { 'jwt.wellknownurl': undefined },
    /jwt\.jwks counts/,
  ],
  [
    '[jwt]\ndefault = true\nwellknownurl = "https://a.example/"',
    { 'jwt.wellknownurl': 'https://a.example/' },
  ],
  [
    `[auth]\nenabled = true\n[jwt]\nalgo = "RS256"\n${KEY}`,
    { 'jwt.algo': 'HS256' },
    /HS256 whatever it says/,
  ],
  ['[auth]\nencrypt = "MD5"', { 'auth.encrypt': 'md5' }],
  [
    '[jwt]\nwhitelist = ["^/auth$", "/open", "(?P<n>x)", "[[:alpha:]]"]',
    { 'jwt.whitelist': ['^/auth$', '/open'] },
    /"\/open" must match all of a path/,
  ],
];

t.test('written settings', (t) => {
  for (const [toml, written, said] of cases) {
    const { settings, findings } = convert(toml);
    for (const [key, value] of Object.entries(written)) t.strictSame(settings[key], value, toml);
    if (said === undefined) continue;
    t.ok(
      findings.some(({ message }) => said.test(message)),
      toml,
    );
  }
  t.end();
});

t.test('a dropped pattern needs attention', (t) => {
  const { lines } = convert('[jwt]\nwhitelist = ["(?P<n>x)"]');
  t.match(lines('unsupported'), [/no regular expression of JavaScript/]);
  t.end();
});
