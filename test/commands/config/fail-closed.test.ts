import t from 'tap';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);

t.test('restrict and the registry are switched off with a warning', (t) => {
  const cases: [toml: string, said: RegExp][] = [
    ['queries.restrict = true', /^queries\.restrict: .*auth\.enabled is off/],
    [
      'queries.register_enabled = true',
      /^queries\.register_enabled: .*auth\.enabled is off and jwt\.key is not set and queries\.register_admins is empty/,
    ],
    [
      'queries.register_enabled = true\njwt.key = "k"\nqueries.register_admins = ["a"]',
      /^queries\.register_enabled: .*because auth\.enabled is off$/,
    ],
    [
      `auth.enabled = true\naccess.restrict = true\njwt.key = "${'k'.repeat(32)}"\nqueries.register_admins = ["a"]\nqueries.register_enabled = true`,
      /^queries\.register_enabled: .*because queries\.storage is not "database"$/,
    ],
  ];
  for (const [toml, said] of cases) {
    const { loaded, problems, warnings } = loader.load(toml);
    t.strictSame(problems, [], toml);
    t.match(warnings, [said]);
    t.strictSame(loaded?.switchedOff, warnings);
    t.equal(loaded?.config['queries.restrict'], false);
    t.equal(loaded?.config['queries.register_enabled'], false);
  }
  t.end();
});

t.test('keys of a feature that is off have no effect', (t) => {
  const { problems, warnings } = loader.load(
    'queries.storage = "filesystem"\ncors.alloworigin = []\njwt.key = "short"\nauth.table = "people"\nhttps.cert = "c.pem"\ncors.allowcredentials = true\n[[queries.scripts]]\npermissions = ["read"]\n',
  );
  t.strictSame(problems, []);
  t.strictSame(warnings, []);
  t.end();
});

t.test('a warning names an address that other machines reach', (t) => {
  for (const host of ['0.0.0.0', '::', '10.1.2.3', 'example.org'])
    t.match(loader.load(`http.host = "${host}"`).warnings, [`http.host is ${host}`], host);
  t.match(loader.load('http.host = "::"\npluginpath = "/plugged"').warnings, [/every script in .* every plugin in \/plugged/], 'with all that is served'); // prettier-ignore
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    t.strictSame(loader.load(`http.host = "${host}"`).warnings, [], host);
  t.end();
});

t.test('a warning says that trace.headers are sent over plain HTTP to another machine', (t) => {
  const warnings = (endpoint: string): readonly string[] =>
    loader.load(`trace.endpoint = "${endpoint}"\ntrace.headers = "authorization=hush"`).warnings;
  for (const host of ['localhost', 'otlp.localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])
    t.strictSame(warnings(`http://${host}:4318`), [], host);
  t.strictSame(warnings('https://otlp.example'), []);
  for (const host of ['otlp.example', '127.0.0.1.example.com', '10.0.0.1', '[::2]'])
    t.match(warnings(`http://${host}:4318`), [/^trace\.endpoint: trace\.headers are sent/], host);
  t.end();
});

t.test('combinations of keys', (t) => {
  const cases: [toml: string, problem: RegExp][] = [
    [
      'http.processes = 3\npool.threads = 4\npg.maxopenconn = 11',
      /3 × 4 = 12.*pg\.maxopenconn, 11/,
    ],
    ['pg.max_result = "64MiB"\npg.result_budget = "32MiB"', /^pg\.result_budget/],
    [
      'pg.max_result = "20MiB"\npg.result_budget = "32MiB"\n[[databases]]\nalias = "a"',
      /^pg\.result_budget .* less than twice pg\.max_result/,
    ],
    ['health.ready = ["other"]', /^health\.ready/],
  ];
  for (const [toml, problem] of cases) t.match(loader.load(toml).problems, [problem], toml);
  t.strictSame(
    loader.load('http.processes = 3\npool.threads = 4\npg.maxopenconn = 12').problems,
    [],
  );
  t.strictSame(loader.load('pg.database = "shop"\nhealth.ready = ["shop"]').problems, []);
  t.end();
});
