import t from 'tap';
import { KEYS, NAMES, variableOf, type KeyName } from '#app/commands/config/schema.js';
import { makeLoader } from './load-config.js';

/** TOML of values that keys of a kind refuse. */
const BAD: Readonly<Record<string, readonly string[]>> = {
  number: ['"0.5"', 'true', '-0.1', '1.1', 'nan', '[0]'],
  boolean: ['1', '"true"', '[true]', '2020-01-01'],
  string: ['1', 'true', '["a"]', '{ a = 1 }'],
  path: ['1', 'true', '[]', '""'],
  integer: ['"80"', '1.5', 'true', '[1]', '-1', '99999999999', 'inf'],
  lag: ['true', '10', '-1', '"10"', '"0s"', '"10 days"', '"16MB"', '"0KiB"', '["10s"]', '{}'],
  duration: ['"5 parsecs"', '"60"', 'true', '-1', '"25h"', 'nan', '[60]'],
  size: ['"1 MB"', '"MiB"', 'true', '-1', '"2048GiB"', '[1]'],
  list: ['"a"', '1', '[1]', '["a", true]'],
  tables: ['"a"', '1', '["a"]', '{ a = 1 }'],
};

const loader = makeLoader(t);

t.test('every key refuses values of other kinds, and values out of range', (t) => {
  for (const name of NAMES) {
    const { kind } = KEYS[name];
    const values = BAD[kind.name];
    if (values === undefined) throw new Error(`no bad values for the kind ${kind.name}`);
    for (const value of values) {
      const { problems } = loader.load(`${name} = ${value}`);
      const problem = problems.find((text) => text.startsWith(name) && text.includes('allowed'));
      t.ok(problem, `${name} = ${value}: ${problems.join(' | ')}`);
      t.notMatch(problem ?? '', /parsecs/);
    }
  }
  t.end();
});

t.test('keys with further restrictions', (t) => {
  const cases: [key: KeyName, good: string[], bad: string[]][] = [
    [
      'context',
      ['"/"', '"/api"', '"/api/v1/"'],
      ['"api"', '"/a//b"', '"/.."', '"/a/./b"', '"/a b"', '""'],
    ],
    ['http.host', ['"0.0.0.0"', '"::1"', '"localhost"'], ['""', '"a b"', '"http://a"']],
    ['http.port', ['0', '65535'], ['65536']],
    ['http.timeout', ['0.01', '"10ms"', '"24h"'], ['0.009', '"9ms"', '86401']],
    ['http.max_body', ['0', '"1GiB"', '"0.5MiB"'], ['1073741825']],
    [
      'http.trusted_proxies',
      ['["10.0.0.0/8", "::1", "fd00::/8"]'],
      ['["10.0.0.0/33"]', '["proxy"]', '["1.2.3.4/8/8"]'],
    ],
    ['pg.host', ['"/var/run/postgresql"', '"db"'], ['"a,b"', '""']],
    ['pg.port', ['1'], ['0']],
    ['pg.database', [`"${'é'.repeat(31)}"`], [`"${'é'.repeat(32)}"`, '""']],
    ['pg.maxopenconn', ['1'], ['0']],
    ['pg.ssl.mode', ['"verify-full"'], ['"on"']],
    ['json.agg.type', ['"jsonb_agg"'], ['"array_agg"']],
    ['log.level', ['"silent"'], ['"verbose"']],
    ['queries.import_policy', ['"skip"'], ['"replace"']],
    ['jwt.whitelist', ['["^/a$"]', '[]'], ['["("]']],
    ['trace.ratio', ['0', '1', '0.001'], ['2']],
    [
      'trace.endpoint',
      ['"http://127.0.0.1:4318"', '"https://otlp.example/v1/traces"', '"http://[::1]:4318/"'],
      [
        '"127.0.0.1:4318"',
        '"grpc://a"',
        '"http://"',
        '"http://user:word@a"',
        '"http://a/?key=b"',
        '"http://a/#b"',
        '"http://a b"',
        '"http://a:99999"',
      ],
    ],
    [
      'trace.headers',
      ['"a=b"', '"authorization=Bearer%20x, x-tenant = a"', '"a="'],
      ['""', '"a"', '"=b"', '"a b=c"', '"a=%zz"', '"a=b%0d%0ax=y"', '"a=%c3%a9"', '"a=b,"'],
    ],
    ['trace.service', ['"shop é"'], ['""', '"a\\u0000"', `"${'x'.repeat(256)}"`]],
    ['trace.postgres', ['"application_name"'], ['"comment"', 'true']],
    ['jwt.wellknownurl', ['"https://id.example"'], ['"id.example"']],
  ];
  for (const [key, good, bad] of cases) {
    for (const value of good)
      t.strictSame(loader.load(`${key} = ${value}`).problems, [], `${key} = ${value}`);
    for (const value of bad) {
      const { problems } = loader.load(`${key} = ${value}`);
      t.equal(problems.length, 1, `${key} = ${value}`);
      t.ok(problems[0]?.startsWith(`${key}: found `), problems[0] ?? '');
    }
  }
  t.end();
});

t.test('durations and sizes are converted to milliseconds and bytes', (t) => {
  const cases: [toml: string, key: KeyName, value: unknown][] = [
    ['http.timeout = 2', 'http.timeout', 2000],
    ['http.timeout = 0.5', 'http.timeout', 500],
    ['http.timeout = "500ms"', 'http.timeout', 500],
    ['http.timeout = "2m"', 'http.timeout', 120_000],
    ['http.timeout = "1.5 h"', 'http.timeout', 5_400_000],
    ['http.max_body = 10', 'http.max_body', 10],
    ['http.max_body = "2KiB"', 'http.max_body', 2048],
    ['pg.max_result = "1.5MiB"', 'pg.max_result', 1_572_864],
  ];
  for (const [toml, key, value] of cases)
    t.equal(loader.load(toml).loaded?.config[key], value, toml);
  t.end();
});

t.test('text in the environment is parsed for the kind of the key', (t) => {
  const cases: [key: KeyName, text: string, value: unknown][] = [
    ['http.port', '8080', 8080],
    ['http.timeout', '60', 60_000],
    ['http.timeout', '250ms', 250],
    ['http.max_body', '64KiB', 65_536],
    ['debug', 'true', true],
    ['debug', 'TRUE', true],
    ['debug', '1', true],
    ['log.access', '0', false],
    ['http.trusted_proxies', '10.0.0.0/8, ::1,', ['10.0.0.0/8', '::1']],
    ['pg.pass', '12345', '12345'],
    ['pg.pass', ' a,b ', ' a,b '],
    ['pg.ssl.mode', 'disable', 'disable'],
  ];
  for (const [key, text, value] of cases) {
    const { loaded, problems } = loader.load(undefined, { env: { [variableOf(key)]: text } });
    t.strictSame(problems, [], key);
    t.strictSame(loaded?.config[key], value, `${key}=${text}`);
  }
  for (const [key, text] of [
    ['http.port', '80 80'],
    ['http.port', '0x50'],
    ['debug', 'yes'],
    ['http.timeout', 'soon'],
    ['databases', '[]'],
    ['queries.users', 'ann'],
  ] as const) {
    const { problems } = loader.load(undefined, { env: { [variableOf(key)]: text } });
    t.equal(problems.length, 1, `${key}=${text}`);
    t.ok(problems[0]?.startsWith(`${variableOf(key)} (${key}): `), problems[0] ?? '');
  }
  t.end();
});

t.test('all problems are reported at once', (t) => {
  const { problems } = loader.load('http.port = "a"\npg.port = 0\nqueries.loc = 1', {
    env: { SERVICE_DEBUG: 'maybe', DATABASE_URL: 'mysql://h/d' },
    flags: { 'pool.queue': '0' },
  });
  t.equal(problems.length, 6, problems.join('\n'));
  t.end();
});

t.test('lists of tables have their fields checked', (t) => {
  const cases: [toml: string, problem: string][] = [
    ['[[queries.scripts]]\npermissions = ["reed"]', 'queries.scripts[0].permissions: found a list'],
    ['[[queries.scripts]]\nlocation = "a"', 'queries.scripts[0]: permissions is missing'],
    ['[[queries.scripts]]\npermissions = []\nlocaton = "a"', 'nearest known one is location'],
    ['[[queries.users]]\nname = ""\nscripts = []', 'queries.users[0].name: found a string'],
    [
      '[[queries.users]]\nname = "a"\n[[queries.users.scripts]]\nname = 1\npermissions = []',
      'queries.users[0].scripts[0].name: found a number',
    ],
    [
      '[[access.tables]]\nname = "a"\npermissions = ["write"]\nfields = 1',
      'access.tables[0].fields: found a number',
    ],
  ];
  for (const [toml, problem] of cases) {
    const { problems } = loader.load(toml);
    t.equal(problems.length, 1, problems.join('\n'));
    t.ok(problems[0]?.includes(problem), problems[0] ?? '');
  }
  const good = loader.load(
    '[[queries.users]]\nname = "ann"\n[[queries.users.scripts]]\nlocation = "*"\npermissions = ["read"]',
  );
  t.strictSame(good.problems, []);
  t.end();
});
