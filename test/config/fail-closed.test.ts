import t from 'tap';
import { KEYS, NAMES } from '#app/config/schema.js';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);

t.test('what this version does not have cannot be switched on', (t) => {
  const cases: [toml: string, at: string][] = [
    ['[[databases]]\nalias = "b"\nurl = "postgres://h/b"', 'databases'],
  ];
  for (const [toml, at] of cases) {
    const { problems } = loader.load(toml);
    const said = `${at}: this version does not have this feature yet`;
    t.ok(problems.includes(said), `${toml}: ${problems.join(' | ')}`);
  }
  const covered = new Set(cases.map(([, at]) => at));
  t.strictSame(
    NAMES.filter((name) => !KEYS[name].available && !covered.has(name)),
    [],
    'every such key is tried',
  );
  t.end();
});

t.test('nor in the environment', (t) => {
  const cases: [variable: string, value: string, said: RegExp][] = [
    ['DATABASE_URL_1', 'postgres://h/hidden', /^DATABASE_URL_1: this version/],
    ['DATABASE_ALIAS_12', 'b', /^DATABASE_ALIAS_12: this version/],
  ];
  for (const [variable, value, said] of cases) {
    const { problems } = loader.load(undefined, { env: { [variable]: value } });
    t.match(problems, [said], variable);
    t.notMatch(problems.join(), 'hidden');
  }
  t.end();
});

t.test('switched off they are harmless, with all that belongs to them', (t) => {
  const toml = NAMES.filter((name) => !KEYS[name].available && KEYS[name].kind.name === 'boolean')
    .map((name) => `${name} = false\n`)
    .join('');
  const { problems, warnings } = loader.load(
    `${toml}queries.storage = "filesystem"\ncors.alloworigin = []\njwt.key = "short"\nauth.table = "people"\nhttps.cert = "c.pem"\ncors.allowcredentials = true\n[[queries.scripts]]\npermissions = ["read"]\n`,
  );
  t.strictSame(problems, []);
  t.strictSame(warnings, []);
  t.end();
});

t.test('restrict and the registry are switched off by themselves, and it is said', (t) => {
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
      `auth.enabled = true\njwt.key = "${'k'.repeat(32)}"\nqueries.register_admins = ["a"]\nqueries.register_enabled = true`,
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

t.test('an address that others reach is named', (t) => {
  for (const host of ['0.0.0.0', '::', '10.1.2.3', 'example.org'])
    t.match(loader.load(`http.host = "${host}"`).warnings, [`http.host is ${host}`], host);
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    t.strictSame(loader.load(`http.host = "${host}"`).warnings, [], host);
  t.end();
});

t.test('what concerns several keys', (t) => {
  const cases: [toml: string, problem: RegExp][] = [
    [
      'http.processes = 3\npool.threads = 4\npg.maxopenconn = 11',
      /3 × 4 = 12.*pg\.maxopenconn, 11/,
    ],
    ['pg.max_result = "64MiB"\npg.result_budget = "32MiB"', /^pg\.result_budget/],
    ['health.ready = ["other"]', /^health\.ready/],
  ];
  for (const [toml, problem] of cases) t.match(loader.load(toml).problems, [problem], toml);
  t.strictSame(
    loader.load('http.processes = 3\npool.threads = 4\npg.maxopenconn = 12').problems,
    [],
  );
  t.strictSame(loader.load('pg.database = "shop"\nhealth.ready = ["shop"]').problems, []);
  t.match(loader.load('pg.single = false').warnings, [/^pg\.single/]);
  t.end();
});
