/** The conversion of each key of pREST, in the file and in the environment. */
import t from 'tap';
import { PREST_KEYS } from '#app/commands/prest/keys.js';
import { boolean, integer, list, tables } from '#app/commands/prest/reader.js';
import { prestVariable } from '#app/commands/prest/source.js';
import { makeConverter } from './converter.js';

const { folder, convert } = makeConverter(t);
const KEY = 'k'.repeat(32);

/** A file with one key. */
const file = (key: string, value: string): string => {
  const dot = key.lastIndexOf('.');
  return dot < 0 ? `${key} = ${value}` : `[${key.slice(0, dot)}]\n${key.slice(dot + 1)} = ${value}`;
};

t.test('every key is reported', (t) => {
  for (const [key, { reader }] of Object.entries(PREST_KEYS)) {
    const sample =
      new Map<unknown, string>([
        [boolean, 'true'],
        [integer, '7'],
        [list, '["a"]'],
        [tables, '[{ alias = "a", name = "a", file = "a" }]'],
      ]).get(reader) ?? (key === 'pg.url' ? '"postgres://h/d"' : '"a"');
    const { findings } = convert(file(key, sample));
    t.ok(
      findings.some(({ subject }) => subject.startsWith(key)),
      key,
    );
    if (reader === tables) continue;
    const text = sample.replaceAll(/["[\]]/g, '');
    const set = convert(undefined, { [prestVariable(key)]: text });
    t.ok(
      set.findings.some(({ subject }) => subject.startsWith(prestVariable(key))),
      prestVariable(key),
    );
  }
  t.end();
});

t.test('nothing set', (t) => {
  const { settings, problems } = convert('');
  t.strictSame(problems, []);
  t.strictSame(settings, {
    'pg.database': 'prest',
    'json.agg.type': 'jsonb_agg',
    'queries.location': `${folder}/queries`,
    'queries.table': 'prest_queries',
    'auth.table': 'prest_users',
  });
  t.end();
});

t.test('values', (t) => {
  // The file, the written settings, and the finding.
  const cases: [toml: string, written: Record<string, unknown>, said?: RegExp][] = [
    ['[http]\nport = "8080"', { 'http.port': 8080 }],
    ['[HTTP]\nPort = 8080', { 'http.port': 8080 }],
    ['[http]\nhost = ""', { 'http.host': '0.0.0.0' }],
    ['context = ""', { context: '/' }],
    ['[json.agg]\ntype = "json_agg"', { 'json.agg.type': 'json_agg' }],
    ['[json.agg]\ntype = "array_agg"', { 'json.agg.type': 'jsonb_agg' }],
    ['debug = true', { debug: undefined }, /debug: not converted/],
    ['[pg]\nmaxopenconn = 0', { 'pg.maxopenconn': undefined }, /any number/],
    ['[pg]\nmaxidleconn = 0', { 'pg.maxidleconn': undefined }, /leak/],
    ['[pg]\nmaxidleconn = 3', { 'pg.maxidleconn': 3 }],
    ['[pg]\nconntimeout = 0', { 'pg.conntimeout': undefined }, /no limit/],
    ['[pg]\nsingle = false', { 'pg.single': undefined }, /\[\[databases\]\]/],
    ['[queries]\nstorage = " Database "', { 'queries.storage': 'database' }],
    ['[queries]\nstorage = "s3"', { 'queries.storage': undefined }, /takes filesystem/],
    ['[queries]\nimport_policy = "never"', { 'queries.import_policy': undefined }, /update/],
    ['[queries]\nschema = ""', { 'queries.schema': 'public' }],
    ['[queries]\nlocation = "sub"', { 'queries.location': `${folder}/sub` }, /no such folder/],
    ['[queries]\ntable = "mine"', { 'queries.table': 'mine' }],
    ['[https]\nmode = false\ncert = "c.pem"', { 'https.cert': `${folder}/c.pem` }],
    ['[pg.ssl]\nmode = "disable"', { 'pg.ssl.mode': 'disable' }],
    ['[cors]\nalloworigin = ["*"]', { 'cors.allowcredentials': false }, /any site could act/],
    [
      '[cors]\nalloworigin = ["https://a.example"]',
      {
        'cors.alloworigin': ['https://a.example'],
        'cors.allowheaders': ['Content-Type'],
        'cors.allowcredentials': true,
      },
    ],
    ['[cors]\nalloworigin = ["https://*.example"]', { 'cors.alloworigin': [] }, /left out/],
    ['[auth]\nmetadata = ["first_name"]', { 'auth.metadata': undefined }, /does nothing with it/],
    ['[cache]\nenabled = true', {}, /cache\.enabled: answers are not cached/],
    [
      '[[pluginmiddlewarelist]]\nfile = "guard"\nfunc = "F"',
      {},
      /"guard": there are no middlewares/,
    ],
    ['[queries]\nregister_admin = "x"', {}, /queries\.register_admins was meant/],
    ['[query_guard]\nenabled = true', {}, /query_guard\.enabled: pREST 2\.4\.2 does not know it/],
  ];
  for (const [toml, written, said] of cases) {
    const { settings, findings, problems } = convert(toml);
    t.strictSame(problems, [], toml);
    for (const [key, value] of Object.entries(written)) t.strictSame(settings[key], value, toml);
    if (said === undefined) continue;
    t.ok(
      findings.some(({ subject, message }) => said.test(`${subject}: ${message}`)),
      toml,
    );
  }
  t.end();
});

t.test('variables', (t) => {
  const { settings, lines, variables, text } = convert('[http]\nport = 1\n[jwt]\nkey = "file"', {
    PREST_HTTP_PORT: '8080',
    PREST_HTTP_HOST: '',
    PREST_JWT_KEY: KEY,
    PREST_QUERIES_REGISTER_ADMINS: 'ann bob,eve',
    PREST_DEBUG: 'F',
    PREST_LOG_LEVEL: 'WARN',
    PREST_HTTP_PROT: '1',
    PORT: '9090',
  });
  t.match(settings, {
    'http.port': 8080,
    'log.level': 'warn',
    debug: false,
    'queries.register_admins': ['ann', 'bob,eve'],
  });
  t.strictSame(variables, [{ name: 'SERVICE_JWT_KEY', from: 'PREST_JWT_KEY' }]);
  t.notMatch(text, KEY);
  t.notMatch(text, 'file');
  t.match(lines('unused').join('\n'), /http\.port: PREST_HTTP_PORT is set and counts/);
  t.match(lines('unused').join('\n'), /PREST_HTTP_PROT.*if PREST_HTTP_PORT was meant/);
  t.match(lines('differs').join('\n'), /REGISTER_ADMINS: pREST splits it at spaces/);
  t.match(lines('taken').join('\n'), /PORT: this service reads it too/);
  t.end();
});

t.test(
  'values that pREST would ignore, or check refuses, are problems under the name in use',
  (t) => {
    for (const [toml, env, problem] of [
      ['[auth]\nenabled = "yes"', {}, /^auth\.enabled: found something other than true or false/],
      ['[http]\nport = "80a"', {}, /^http\.port: found something other than a whole number/],
      ['', { PREST_ACCESS_TABLES: 'x' }, /^PREST_ACCESS_TABLES: .*list of tables in the file/],
      ['', { PREST_HTTP_PORT: '70000' }, /^PREST_HTTP_PORT: http\.port: found 70000/],
      ['[pg]\nport = 0', {}, /^pg\.port: found 0/],
      ['[auth]\nenabled = true', {}, /^jwt\.key: /],
      ['[auth]\nenabled = true\n[jwt]\nkey = "short"', {}, /^jwt\.key: /],
      ['[jwt]\ndefault = true', {}, /^jwt\.key: /],
      ['', { DATABASE_URL: 'postgres://h/d?foo=bar' }, /^DATABASE_URL: .*parameter/],
      ['', { PORT: 'x' }, /^PORT: /],
    ] as const) {
      const { problems } = convert(toml, env);
      t.ok(
        problems.some((one) => problem.test(one)),
        `${toml} ${String(problem)} ${problems.join()}`,
      );
    }
    t.end();
  },
);
