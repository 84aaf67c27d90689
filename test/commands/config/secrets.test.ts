import t from 'tap';
import { KEYS, NAMES, variableOf } from '#app/commands/config/schema.js';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);

t.test('no error message contains a secret', (t) => {
  const files = [
    'pg.pass = ["hush"]',
    'jwt.key = { hush = 1 }\n[autth]\nkey = "hush"',
    'pg.url = "postgres://u:hush@h:port/d"',
    'pg.url = "hush"\nhttp.port = "hush"',
    '[pg]\nhost = "h"\nurl = "postgres:////u:hush@h:5432/d"\nreplicas = ["postgres://u:x@h/d"]',
    'pg.host = "hush,hush"\nlog.level = "hush"\nhttp.timeout = "hush"\ncontext = "hush"',
    'http.trusted_proxies = ["hush"]\njwt.whitelist = ["(hush"]\nhealth.ready = ["hush"]',
    'pg.pass = "hush" x',
    'pg.pass = """hush\n\\q"""',
    'jwt.key = 2020-01-01hush',
    'pg.replicas = ["postgres://u:hush@h:port/d", "hush", "postgres://u:hush@/d"]',
    '[[databases]]\nalias = "a"\nreplicas = ["postgres://u:hush@h/d?hush=1"]',
    '[[databases]]\nalias = "a"\nurl = "hush"\npass = ["hush"]\npasss = "hush"',
  ];
  for (const toml of files) {
    const { problems, warnings } = loader.load(toml);
    t.ok(problems.length > 0, toml);
    // Names of keys are shown.
    t.notMatch([...problems, ...warnings].join('\n'), /hush/, toml);
  }
  t.end();
});

t.test('nor a number as a secret', (t) => {
  for (const toml of ['pg.pass = 8675309', 'jwt.key = 8675309']) {
    const { problems } = loader.load(toml);
    t.match(problems, [/found a number/]);
    t.notMatch(problems.join(), '8675309');
  }
  t.end();
});

t.test('secrets are refused on the command line', (t) => {
  const secrets = NAMES.filter((name) => KEYS[name].secret);
  t.strictSame(secrets, [
    'pg.url',
    'pg.pass',
    'pg.replicas',
    'jwt.key',
    'jwt.jwks',
    'metrics.token',
    'trace.headers',
  ]);
  for (const name of secrets) {
    const { problems } = loader.load(undefined, { flags: { [name]: 'hush' } });
    t.match(problems, [new RegExp(`^--${name}: .* set ${variableOf(name)}$`)]);
    t.notMatch(problems.join(), 'hush');
  }
  t.end();
});
