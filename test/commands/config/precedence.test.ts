import { join } from 'node:path';
import t from 'tap';
import type { KeyName } from '#app/commands/config/schema.js';
import { makeLoader, writeAt } from './load-config.js';

const loader = makeLoader(t);

t.test('flag, environment, file, default', (t) => {
  const file = 'http.port = 1\npg.host = "file"\n';
  const cases: [
    name: string,
    env: Record<string, string>,
    flags: Record<string, string>,
    port: number,
  ][] = [
    ['file', {}, {}, 1],
    ['environment', { SERVICE_HTTP_PORT: '2' }, {}, 2],
    ['PORT before SERVICE_HTTP_PORT', { PORT: '3', SERVICE_HTTP_PORT: '2' }, {}, 3],
    ['flag', { PORT: '3', SERVICE_HTTP_PORT: '2' }, { 'http.port': '4' }, 4],
    ['empty variables count as not set', { PORT: '', SERVICE_HTTP_PORT: '' }, {}, 1],
  ];
  for (const [name, env, flags, port] of cases)
    t.equal(loader.load(file, { env, flags }).loaded?.config['http.port'], port, name);
  t.equal(loader.load(undefined).loaded?.config['http.port'], 3000, 'default');
  const both = loader.load('', { env: { PORT: '3', SERVICE_HTTP_PORT: '2' } });
  t.match(both.warnings, [/^SERVICE_HTTP_PORT: ignored, PORT is set too$/]);
  const overridden = loader.load('http.port = "x"', { env: { PORT: '3' } });
  t.match(
    overridden.problems,
    [/^http\.port: found a string/],
    'what is overridden is checked too',
  );
  t.end();
});

t.test('database URLs', (t) => {
  const url = 'postgres://u:p%40%2F@h:5/d?sslmode=require';
  const own = 'pg.host = "file"\npg.port = 9\npg.pass = "file"\n';
  const cases: [
    name: string,
    toml: string,
    env: Record<string, string>,
    expected: Partial<Record<KeyName, unknown>>,
  ][] = [
    [
      'all parts',
      '',
      { DATABASE_URL: url },
      {
        'pg.host': 'h',
        'pg.port': 5,
        'pg.user': 'u',
        'pg.pass': 'p@/',
        'pg.database': 'd',
        'pg.ssl.mode': 'require',
      },
    ],
    [
      'what it leaves out stays',
      own,
      { DATABASE_URL: 'postgresql://h/d/' },
      { 'pg.host': 'h', 'pg.port': 9, 'pg.pass': 'file', 'pg.database': 'd' },
    ],
    [
      'wins over keys of the same source',
      `pg.url = "${url}"\n${own}`,
      {},
      { 'pg.host': 'h', 'pg.port': 5 },
    ],
    [
      'loses to keys of a stronger source',
      `pg.url = "${url}"`,
      { SERVICE_PG_HOST: 'env' },
      { 'pg.host': 'env', 'pg.port': 5 },
    ],
    [
      'DATABASE_URL before SERVICE_PG_URL',
      '',
      { DATABASE_URL: url, SERVICE_PG_URL: 'postgres://other/x' },
      { 'pg.host': 'h', 'pg.database': 'd' },
    ],
    [
      'a folder as host',
      '',
      { DATABASE_URL: 'postgres://u@%2Fvar%2Frun/d' },
      { 'pg.host': '/var/run', 'pg.user': 'u' },
    ],
    [
      'a folder as parameter',
      '',
      { DATABASE_URL: 'postgres:///d?host=/tmp/a%20b&port=6' },
      { 'pg.host': '/tmp/a b', 'pg.port': 6 },
    ],
    [
      'an IPv6 address',
      '',
      { DATABASE_URL: 'postgres://[::1]:7/d' },
      { 'pg.host': '::1', 'pg.port': 7 },
    ],
    [
      'a plus sign is one',
      '',
      { DATABASE_URL: 'postgres://h/d?password=a+b&connect_timeout=3' },
      { 'pg.pass': 'a+b', 'pg.conntimeout': 3000 },
    ],
  ];
  for (const [name, toml, env, expected] of cases) {
    const { loaded, problems } = loader.load(toml, { env });
    t.strictSame(problems, [], name);
    for (const [key, value] of Object.entries(expected))
      t.equal(loaded?.config[key as KeyName], value, `${name}: ${key}`);
  }
  t.end();
});

t.test('refused URLs', (t) => {
  const urls = [
    'not a url',
    'mysql://u:hidden@h/d',
    'postgres://u:hid#den@h/d',
    'postgres://u:hid%zzden@h/d',
    'postgres://h/d?sslmode=hidden',
    'postgres://h/d?hidden=1',
    'postgres://h/a/hidden?x=%zz',
    'postgres://h1,h2/hidden',
    'postgres://h/d?port=hidden',
  ];
  for (const url of urls) {
    const { problems } = loader.load(undefined, { env: { DATABASE_URL: url } });
    t.ok(problems.length > 0, url);
    for (const problem of problems) {
      t.ok(problem.startsWith('DATABASE_URL (pg.url)'), problem);
      t.notMatch(problem, /hidden|hid#den/, 'says nothing of the URL');
    }
  }
  t.end();
});

t.test('which file is read', (t) => {
  const named = writeAt(loader.folder, 'sub/named.toml', 'http.port = 10\n');
  const other = writeAt(loader.folder, 'sub/other.toml', 'http.port = 11\n');
  t.equal(loader.load('http.port = 12').loaded?.config['http.port'], 12);
  const byVariable = loader.load('http.port = 12', { env: { SERVICE_CONF: 'sub/named.toml' } });
  t.equal(byVariable.loaded?.config['http.port'], 10);
  t.equal(byVariable.loaded?.file, named);
  const byFlag = loader.load('http.port = 12', { env: { SERVICE_CONF: named }, file: other });
  t.equal(byFlag.loaded?.config['http.port'], 11);
  t.equal(loader.load(undefined).loaded?.file, undefined);
  for (const sources of [
    { file: 'absent.toml' },
    { env: { SERVICE_CONF: 'absent.toml' } },
    { file: '.' },
  ])
    t.match(loader.load('http.port = 12', sources).problems, [/cannot be read: (ENOENT|EISDIR)/]);
  const latin = writeAt(loader.folder, 'latin.toml', Buffer.from('pg.user = "andr\xe9"', 'latin1'));
  t.match(loader.load(undefined, { file: latin }).problems, [/cannot be read: it is not UTF-8/]);
  const marked = writeAt(loader.folder, 'marked.toml', '\uFEFFhttp.port = 13\r\n');
  t.equal(
    loader.load(undefined, { file: marked }).loaded?.config['http.port'],
    13,
    'byte order mark',
  );
  t.end();
});

t.test('bases of relative paths', (t) => {
  const file = writeAt(
    loader.folder,
    'sub/paths.toml',
    'queries.location = "scripts"\npg.ssl.cert = "/abs"\n',
  );
  const config = loader.load(undefined, { file, env: { SERVICE_PG_SSL_KEY: 'key.pem' } }).loaded
    ?.config;
  t.equal(
    config?.['queries.location'],
    join(loader.folder, 'sub/scripts'),
    'in the file: from the file',
  );
  t.equal(config?.['pg.ssl.cert'], '/abs', 'absolute');
  t.equal(
    config?.['pg.ssl.key'],
    join(loader.folder, 'key.pem'),
    'in the environment: from the working directory',
  );
  t.equal(config?.pluginpath, join(loader.folder, 'sub/lib'), 'a default: from the file');
  const without = loader.load(undefined).loaded?.config;
  t.equal(
    without?.['queries.location'],
    join(loader.folder, 'queries'),
    'a default without file: from the working directory',
  );
  t.end();
});

t.test('derived defaults', (t) => {
  const cases: [toml: string, key: KeyName, value: unknown][] = [
    ['http.timeout = "5s"', 'pg.statement_timeout', 5000],
    ['http.timeout = "5s"\npg.statement_timeout = "1s"', 'pg.statement_timeout', 1000],
    ['pg.maxopenconn = 7', 'pg.maxidleconn', 7],
    ['', 'http.host', '127.0.0.1'],
    ['', 'queries.migrate_on_startup', false],
  ];
  for (const [toml, key, value] of cases)
    t.equal(loader.load(toml).loaded?.config[key], value, `${key} after ${toml}`);
  t.end();
});
