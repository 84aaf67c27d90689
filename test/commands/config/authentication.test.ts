/** Configurations that would leave the service open, or refuse every request, stop the start. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { join } from 'node:path';
import t from 'tap';
import { settingsOf } from '#app/commands/config/settings.js';
import { makeLoader, writeAt } from './load-config.js';

const loader = makeLoader(t);
const secret = (bytes: number): string => `jwt.key = "${'k'.repeat(bytes)}"\n`;
const ON = `auth.enabled = true\naccess.restrict = true\n${secret(32)}`;

const pem = ({ privateKey }: KeyPairKeyObjectResult): string =>
  `jwt.key = """${privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()}"""\n`;
const publicPem = ({ publicKey }: KeyPairKeyObjectResult): string =>
  `jwt.key = """${publicKey.export({ type: 'spki', format: 'pem' }).toString()}"""\n`;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const shortRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const ed25519 = generateKeyPairSync('ed25519');
const algorithm = (name: string): string => `auth.enabled = true\njwt.algo = "${name}"\n`;
const JWKS = 'jwt.jwks = "https://issuer.example/keys"\n';

t.test('refused', (t) => {
  const cases: [what: string, toml: string, problem: RegExp][] = [
    ['no key', 'auth.enabled = true', /^jwt\.key: .*no key is set.*jwt\.jwks or jwt\.wellknownurl/],
    ['no key for jwt.default', 'jwt.default = true', /^jwt\.key: .*no key is set/],
    [
      'an empty secret',
      'auth.enabled = true\njwt.key = ""',
      /^jwt\.key: .* it has 0 bytes, HS256 needs 32$/,
    ],
    ['HS256, short', `auth.enabled = true\n${secret(31)}`, /it has 31 bytes, HS256 needs 32$/],
    ['HS384, short', algorithm('HS384') + secret(47), /it has 47 bytes, HS384 needs 48$/],
    ['HS512, short', algorithm('HS512') + secret(63), /it has 63 bytes, HS512 needs 64$/],
    ['a PEM as a secret', algorithm('HS256') + publicPem(rsa), /^jwt\.key: the key is a PEM/],
    ['a secret for RS256', algorithm('RS256') + secret(64), /^jwt\.key: the key is no PEM/],
    ['a short RSA key', algorithm('RS256') + pem(shortRsa), /RSA key of at least 2048 bits$/],
    ['another type for RS256', algorithm('RS256') + pem(p256), /RS256 needs an RSA key$/],
    ['another type for ES256', algorithm('ES256') + pem(rsa), /ES256 needs an elliptic-curve key/],
    ['a key for PSS alone', algorithm('PS256') + publicPem(pss), /PS256 needs a plain RSA key/],
    ['an inline key set without keys', `auth.enabled = true\njwt.jwks = '{"keys":[]}'`, /^jwt\.jwks: the key set has no key for HS256$/], // prettier-ignore
    ['an inline key set that is none', `auth.enabled = true\njwt.jwks = '{"keys":1}'`, /^jwt\.jwks: /], // prettier-ignore
    ['another curve', algorithm('ES256') + pem(p384), /ES256 needs .* on prime256v1$/],
    ['another type for EdDSA', algorithm('EdDSA') + pem(rsa), /EdDSA needs an Ed25519 key$/],
    ['a broken PEM', `${algorithm('RS256')}jwt.key = "-----BEGIN PUBLIC KEY-----"`, /no PEM that can be read$/], // prettier-ignore
    [
      '/auth without authentication',
      'auth.login = true',
      /^auth\.login: .* only with auth\.enabled/,
    ],
    ['/auth with a public key', `${algorithm('RS256')}${publicPem(rsa)}auth.login = true`, /^auth\.login: .* can sign/], // prettier-ignore
    ['/auth with a key set alone', `auth.enabled = true\n${JWKS}auth.login = true`, /^auth\.login: .* can sign/], // prettier-ignore
    ['two key sets', `${ON}${JWKS}jwt.wellknownurl = "https://issuer.example/o"`, /both name a key set/], // prettier-ignore
    ['a role without a list', `${ON}auth.db_role = "role"`, /^auth\.db_role: auth\.db_roles is/],
    ['a list without a role', `${ON}auth.db_roles = ["web"]`, /^auth\.db_roles: it needs/],
    ['an anonymous role alone', `${ON}auth.anonymous_role = "web"`, /^auth\.anonymous_role: it/],
    ['settings without authentication', 'auth.settings = true', /^auth\.settings: nobody is known/],
    ['claims without authentication', 'auth.claims = true', /^auth\.claims: nobody is known/],
    ['a role without authentication', 'auth.db_role = "r"\nauth.db_roles = ["w"]', /^auth\.db_role: nobody/], // prettier-ignore
    ['every origin with credentials', 'cors.alloworigin = ["*"]\ncors.allowcredentials = true', /^cors\.allowcredentials/], // prettier-ignore
    ['an origin with a path', 'cors.alloworigin = ["https://a.example/"]', /is no origin/],
    ['an origin without a scheme', 'cors.alloworigin = ["a.example"]', /is no origin/],
    ['the origin null', 'cors.alloworigin = ["null"]', /is no origin/],
    ['a header with a line break', 'cors.allowheaders = ["A\\r\\nB"]', /^cors\.allowheaders/],
    ['a method with a space', 'cors.allowmethods = ["GET X"]', /^cors\.allowmethods/],
    ['https without files', 'https.mode = true', /^https\.mode: it needs/],
    ['https with a path of two lines', 'https.mode = true\nhttps.cert = "a\\nb"\nhttps.key = "k"', /^https\.cert, https\.key: ENOENT[^\n]+$/], // prettier-ignore
    ['https with files that are not there', 'https.mode = true\nhttps.cert = "c"\nhttps.key = "k"', /^https\.cert, https\.key: ENOENT/], // prettier-ignore
  ];
  for (const [what, toml, problem] of cases) {
    const { problems } = loader.load(toml);
    t.match(problems, [problem], what);
    t.notMatch(problems.join(), /kkkk|BEGIN/, `${what}: nothing of the key is said`);
  }
  t.end();
});

t.test('accepted', (t) => {
  const cases: [what: string, toml: string][] = [
    ['HS256', ON],
    ['HS512', algorithm('HS512') + secret(64)],
    ['RS256', algorithm('RS256') + pem(rsa)],
    ['PS512', algorithm('PS512') + pem(rsa)],
    ['RS256, public', algorithm('RS256') + publicPem(rsa)],
    ['ES256', algorithm('ES256') + pem(p256)],
    ['ES384', algorithm('ES384') + pem(p384)],
    ['EdDSA', algorithm('EdDSA') + pem(ed25519)],
    ['a key set', `auth.enabled = true\n${JWKS}`],
    ['a key and a key set', ON + JWKS],
    ['jwt.default alone', `jwt.default = true\n${secret(32)}`],
    ['a bad key while nobody needs one', secret(3)],
    ['origins', 'cors.alloworigin = ["https://a.example", "http://localhost:8080"]'],
    ['every origin', 'cors.alloworigin = ["*"]'],
  ];
  for (const [what, toml] of cases) t.strictSame(loader.load(toml).problems, [], what);
  t.end();
});

t.test('/auth is offered if tokens can be signed', (t) => {
  const cases: [what: string, toml: string, offered: boolean][] = [
    ['a secret', ON, true],
    ['a private key', algorithm('ES256') + pem(p256), true],
    ['a public key', algorithm('ES256') + publicPem(p256), false],
    ['a key set', `auth.enabled = true\n${JWKS}`, false],
    ['switched off', `${ON}auth.login = false`, false],
    ['jwt.default alone', `jwt.default = true\n${secret(32)}`, false],
  ];
  for (const [what, toml, offered] of cases) {
    const [settings] = settingsOf(loader.load(toml).loaded!.config, false);
    t.equal(settings!.auth?.login !== undefined, offered, what);
    t.equal(settings!.worker.users !== undefined, offered, what);
  }
  t.end();
});

t.test('warnings for patterns of jwt.whitelist that are not anchored, or open scripts', (t) => {
  const cases: [pattern: string, warning: RegExp | undefined][] = [
    ['^/auth$', undefined],
    ['^/_PLUGIN/hello/.*$', undefined],
    ['/auth', /^jwt\.whitelist: \/auth must match all of a path/],
    ['^/auth', /must match all/],
    ['^.*$', /lets everybody run scripts/],
    ['^/_QUERIES/[^/]+/script$', /lets everybody run scripts/],
    ['^/_QUERIES/public/.*$', /lets everybody run scripts/],
  ];
  for (const [pattern, warning] of cases) {
    const { warnings, problems } = loader.load(`${ON}jwt.whitelist = ['${pattern}']`);
    t.strictSame(problems, []);
    if (warning === undefined) t.strictSame(warnings, [], pattern);
    else t.match(warnings, [warning], pattern);
  }
  t.strictSame(loader.load("jwt.whitelist = ['/auth']").warnings, [], 'without authentication');
  const restricted = `${ON}jwt.whitelist = ['^.*$']\nqueries.restrict = true`;
  t.strictSame(
    loader.load(restricted).warnings,
    ['jwt.whitelist: ^.*$ lets everybody use /_mcp without a token'],
    'scripts need a token all the same',
  );
  t.strictSame(loader.load(`${restricted}\nmcp.enabled = false`).warnings, []);
  t.end();
});

t.test('a warning if every table can be read with a token', (t) => {
  t.match(loader.load(`auth.enabled = true\n${secret(32)}`).warnings, [
    /^mcp\.enabled: whoever has a token can read every table/,
  ]);
  t.strictSame(loader.load(`auth.enabled = true\nmcp.enabled = false\n${secret(32)}`).warnings, []);
  t.end();
});

t.test('a warning for weak password hashes', (t) => {
  t.match(loader.load(`${ON}auth.encrypt = "md5"`).warnings, [/^auth\.encrypt is md5/]);
  t.end();
});

const KEY_SET = JSON.stringify({
  keys: [{ kty: 'oct', k: Buffer.alloc(32, 'k').toString('base64url') }],
});

t.test('the file of a key set must exist and have a usable key', (t) => {
  writeAt(loader.folder, 'empty.json', '{"keys":[]}');
  writeAt(loader.folder, 'none.json', 'keys');
  const cases: [file: string, problem: RegExp][] = [
    ['missing.json', /^jwt\.jwks: ENOENT/],
    ['empty.json', /^jwt\.jwks: the key set has no key for HS256$/],
    ['none.json', /^jwt\.jwks: /],
    ['.', /^jwt\.jwks: EISDIR/],
  ];
  for (const [file, problem] of cases)
    t.match(loader.load(`${ON}jwt.jwks = '${file}'`).problems, [problem], file);
  t.end();
});

t.test('a key set: JSON, a URL, or a path relative to the file', (t) => {
  writeAt(loader.folder, 'keys.json', KEY_SET);
  const cases: [value: string, expected: string][] = [
    [KEY_SET, KEY_SET],
    ['https://a.example/k', 'https://a.example/k'],
    ['keys.json', join(loader.folder, 'keys.json')],
    [join(loader.folder, 'keys.json'), join(loader.folder, 'keys.json')],
  ];
  for (const [value, expected] of cases)
    t.equal(loader.load(`${ON}jwt.jwks = '${value}'`).loaded?.config['jwt.jwks'], expected);
  t.end();
});

t.test('a certificate and its key belong together', (t) => {
  const make = (name: string): void => {
    writeAt(loader.folder, `${name}.key`, '');
    const at = (suffix: string): string => join(loader.folder, `${name}.${suffix}`);
    execFileSync(
      'openssl',
      // prettier-ignore
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj',
        '/CN=localhost', '-keyout', at('key'), '-out', at('crt')],
      { stdio: 'ignore' },
    );
  };
  make('a');
  make('b');
  const https = (cert: string, key: string): readonly string[] =>
    loader.load(`https.mode = true\nhttps.cert = "${cert}"\nhttps.key = "${key}"`).problems;
  t.strictSame(https('a.crt', 'a.key'), []);
  t.match(https('a.crt', 'b.key'), [/^https\.cert, https\.key: .*key values mismatch/]);
  t.match(https('a.key', 'a.key'), [/^https\.cert, https\.key: /]);
  t.end();
});
