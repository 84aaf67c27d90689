/** Several databases: entries of the file, pairs of the environment, inheritance from `pg`, errors. */
import { join } from 'node:path';
import t from 'tap';
import { databaseOf, databasesOf } from '#app/commands/config/databases.js';
import { settingsOf } from '#app/commands/config/settings.js';
import { makeLoader, type Outcome } from './load-config.js';

const loader = makeLoader(t);
const entry = (alias: string, fields = ''): string =>
  `[[databases]]\nalias = "${alias}"\n${fields}\n`;

/** Keywords of the connection string of each alias, as `keyword=value`. */
function told(outcome: Outcome, ...wanted: string[]): Record<string, string> {
  t.strictSame(outcome.problems, []);
  return Object.fromEntries(
    databasesOf(outcome.loaded!.config).map(({ alias, conninfo }) => {
      const pairs = [...conninfo.matchAll(/(\w+)='((?:[^'\\]|\\.)*)'/g)];
      const values = new Map(pairs.map(([, keyword, value]) => [keyword!, value!]));
      return [alias, wanted.map((keyword) => values.get(keyword)).join(' ')];
    }),
  );
}

t.test('refused', (t) => {
  const pair = (n: number, alias: string, url: string): Record<string, string> => ({
    [`DATABASE_ALIAS_${n}`]: alias,
    [`DATABASE_URL_${n}`]: url,
  });
  const registry = `auth.enabled = true\njwt.key = "${'k'.repeat(32)}"\nqueries.storage = "database"\nqueries.register_enabled = true\nqueries.register_admins = ["a"]\n`;
  const few = 'http.processes = 2\npool.threads = 2\n';
  const cases: [what: string, toml: string, env: Record<string, string>, problem: RegExp][] = [
    [
      'an entry without an alias',
      '[[databases]]\nhost = "h"',
      {},
      /^databases\[0\]: alias is missing$/,
    ],
    [
      'an alias with a slash',
      entry('a/b'),
      {},
      /^databases\[0\]\.alias: .*1 to 63 bytes of letters/,
    ],
    [
      'TLS that is no table',
      entry('a', 'ssl = "require"'),
      {},
      /^databases\[0\]\.ssl: found a string; allowed: a table with mode, cert, key, rootcert$/,
    ],
    ['an alias with a dot', entry('a.b'), {}, /^databases\[0\]\.alias: /],
    ['an empty alias', entry(''), {}, /^databases\[0\]\.alias: /],
    ['an alias of 64 bytes', entry('é'.repeat(32)), {}, /^databases\[0\]\.alias: /],
    [
      'an alias twice in the file',
      entry('a') + entry('b') + entry('a'),
      {},
      /^databases\[2\]\.alias: the same alias as in databases\[0\]\.alias$/,
    ],
    [
      'an alias twice in the environment',
      '',
      { ...pair(3, 'a', 'postgres://h/x'), ...pair(12, 'a', 'postgres://h/y') },
      /^DATABASE_ALIAS_12: the same alias as in DATABASE_ALIAS_3$/,
    ],
    [
      'an alias without a URL',
      '',
      { DATABASE_ALIAS_1: 'a' },
      /^DATABASE_ALIAS_1: DATABASE_URL_1 is missing/,
    ],
    [
      'a URL without an alias',
      '',
      { DATABASE_URL_7: 'postgres://u:hush@h/d', DATABASE_ALIAS_7: '' },
      /^DATABASE_URL_7: DATABASE_ALIAS_7 is missing/,
    ],
    [
      'an alias in the environment that no path can name',
      '',
      pair(1, 'a b', 'postgres://h/x'),
      /^DATABASE_ALIAS_1: /,
    ],
    [
      'a URL that is none',
      entry('a', 'url = "mysql://u:hush@h/d"'),
      {},
      /^databases\[0\]\.url: found a string; allowed: postgres:/,
    ],
    [
      'a URL that cannot be read',
      entry('a', 'url = "postgres://u:hush@h:port/d"'),
      {},
      /^databases\[0\]\.url: not a valid URL/,
    ],
    [
      'the same in the environment',
      '',
      pair(1, 'a', 'postgres://u:hush@h:port/d'),
      /^DATABASE_URL_1: not a valid URL/,
    ],
    [
      'a parameter that is not known',
      '',
      pair(1, 'a', 'postgres://h/d?sslmod=hush'),
      /^DATABASE_URL_1: it has a parameter that is not known/,
    ],
    [
      'a TLS mode in a URL that there is not',
      entry('a', 'url = "postgres://h/d?sslmode=hush"'),
      {},
      /^databases\[0\]\.url, pg\.ssl\.mode in it: /,
    ],
    ['two hosts', entry('a', 'host = "h,hush"'), {}, /^databases\[0\]\.host: /],
    ['a port out of its range', entry('a', 'port = 65536'), {}, /^databases\[0\]\.port: /],
    ['no connections', entry('a', 'maxopenconn = 0'), {}, /^databases\[0\]\.maxopenconn: /],
    [
      'what is no list',
      'databases = "hush"',
      {},
      /^databases: found a string; allowed: a list of tables/,
    ],
    [
      'the list in a variable',
      '',
      { SERVICE_DATABASES: 'hush' },
      /^SERVICE_DATABASES .*in the file only$/,
    ],
    [
      'fewer connections than threads',
      few + entry('a', 'maxopenconn = 3'),
      {},
      /2 × 2 = 4, more than maxopenconn of the database a, 3/,
    ],
    [
      'the same for the entry of the default database',
      few + entry('postgres', 'maxopenconn = 3'),
      {},
      /maxopenconn of the database postgres, 3/,
    ],
    [
      'the alias registry beside the registry',
      registry + entry('registry'),
      {},
      /^databases: none can have the alias registry/,
    ],
    [
      'a default database of that name',
      `${registry}pg.database = "registry"`,
      {},
      /^databases: none can have the alias registry/,
    ],
  ];
  for (const [what, toml, env, problem] of cases) {
    const { problems, warnings } = loader.load(toml, { env });
    t.match(problems, [problem], what);
    t.notMatch([...problems, ...warnings].join('\n'), 'hush', `${what}: no secret is repeated`);
  }
  t.match(loader.load(`health.ready = ["b"]\n${entry('a')}`).problems, [
    /^health\.ready: .*there are postgres, a$/,
  ]);
  t.end();
});

t.test('accepted', (t) => {
  for (const alias of ['a', 'Größe_2-x', '_', '-', 'é'.repeat(31), 'constructor', '__proto__'])
    t.strictSame(loader.load(entry(alias)).problems, [], alias);
  t.strictSame(loader.load(entry('registry')).problems, [], 'without the registry it is one more');
  t.strictSame(loader.load(`health.ready = ["a"]\n${entry('a')}`).problems, []);
  t.strictSame(loader.load('pg.database = "no.path"').problems, [], 'the default needs no path');
  t.match(loader.load(entry('a', 'hots = "h"')).warnings, [/^databases\[0\]\.hots: unknown key/]);
  t.end();
});

t.test('defaults of an entry', (t) => {
  const pg =
    'pg.host = "main"\npg.port = 6000\npg.user = "api"\npg.pass = "hush"\npg.database = "shop"\n';
  const cases: [what: string, fields: string, told: string][] = [
    ['nothing: the server of pg, the database of that name', '', 'main 6000 api hush a'],
    ['a database', 'database = "x"', 'main 6000 api hush x'],
    ['a user', 'user = "u"\npass = "p"', 'main 6000 u p a'],
    ['a host: pg’s password stays here', 'host = "h"', 'h 5432 postgres postgres a'],
    ['a URL: likewise', 'url = "postgres://h/d"', 'h 5432 postgres postgres d'],
    ['a URL without a database', 'url = "postgres://u@h:7"', 'h 7 u postgres a'],
    ['a URL and what it leaves out', 'url = "postgres://h"\npass = "p"', 'h 5432 postgres p a'],
    ['a URL before the fields', 'url = "postgres://u:p@h:7/d"\nhost = "x"\nport = 1', 'h 7 u p d'],
  ];
  for (const [what, fields, expected] of cases) {
    const outcome = loader.load(pg + entry('a', fields));
    const all = told(outcome, 'host', 'port', 'user', 'password', 'dbname');
    t.strictSame(all, { shop: 'main 6000 api hush shop', a: expected }, what);
  }
  t.end();
});

t.test('TLS and limits are inherited from pg', (t) => {
  const pg =
    'pg.conntimeout = 3\npg.statement_timeout = 4\npg.channel_binding = "disable"\npg.ssl = { mode = "verify-full", rootcert = "ca.pem", cert = "c.pem", key = "c.key" }\n';
  const keywords = ['sslmode', 'sslrootcert', 'sslcert', 'channel_binding', 'connect_timeout'];
  const ca = join(loader.folder, 'ca.pem');
  const cases: [what: string, fields: string, told: string][] = [
    ['nothing', '', `verify-full ${ca} ${join(loader.folder, 'c.pem')} disable 3`],
    ['another server', 'host = "h"', `verify-full ${ca} ${join(loader.folder, 'c.pem')} disable 3`],
    ['a certificate', 'ssl = { cert = "d/e.pem" }', `verify-full ${ca} ${join(loader.folder, 'd/e.pem')} disable 3`], // prettier-ignore
    ['a mode', 'ssl.mode = "require"', `require ${ca} ${join(loader.folder, 'c.pem')} disable 3`],
    ['a URL', 'url = "postgres://h/d?sslmode=verify-ca&sslrootcert=/r.pem&channel_binding=require&connect_timeout=7"', `verify-ca /r.pem ${join(loader.folder, 'c.pem')} require 7`], // prettier-ignore
  ];
  for (const [what, fields, expected] of cases) {
    const all = told(loader.load(pg + entry('a', fields)), ...keywords);
    t.strictSame(all['a'], expected, what);
  }
  const env = { DATABASE_ALIAS_1: 'e', DATABASE_URL_1: 'postgres://h/d?sslcert=x/y.pem' };
  const cwd = join(loader.folder, 'elsewhere');
  const file = join(loader.folder, 'service.toml');
  const outcome = loader.load(pg, { env: { ...env, SERVICE_CONF: file }, cwd });
  t.equal(told(outcome, 'sslcert')['e'], join(cwd, 'x/y.pem'), 'from where it was started');
  const [, second] = databasesOf(outcome.loaded!.config);
  t.match(second, { alias: 'e', connectTimeout: 3000, statementTimeout: 4000, prepared: true });
  t.end();
});

t.test('the environment takes precedence over the file', (t) => {
  const file =
    entry('a', 'host = "file"\npass = "hush"\nssl.mode = "require"\nmaxopenconn = 4') +
    entry('b', 'host = "b"');
  const env = {
    DATABASE_ALIAS_10: 'z',
    DATABASE_URL_10: 'postgres://z',
    DATABASE_ALIAS_2: 'a',
    DATABASE_URL_2: 'postgres://u@env:7',
  };
  const outcome = loader.load(file, { env });
  t.strictSame(told(outcome, 'host', 'port', 'user', 'password', 'sslmode'), {
    postgres: '127.0.0.1 5432 postgres postgres prefer',
    a: 'env 7 u postgres require',
    b: 'b 5432 postgres postgres prefer',
    z: 'z 5432 postgres postgres prefer',
  });
  t.equal(settingsOf(outcome.loaded!.config, false)[0]!.worker.databases[1]!.connections, 4);
  t.end();
});

t.test('the entry of the default database replaces it', (t) => {
  const pg = 'pg.host = "main"\npg.pass = "hush"\npg.database = "shop"\n';
  const outcome = loader.load(pg + entry('a') + entry('shop', 'host = "h"\ndatabase = "d"'));
  t.strictSame(told(outcome, 'host', 'password', 'dbname'), {
    shop: 'h postgres d',
    a: 'main hush a',
  });
  const { config } = outcome.loaded!;
  t.match(databaseOf(config), { alias: 'shop', host: 'h', connections: 1 });
  t.match(settingsOf(config, false)[0], {
    ready: ['shop', 'a'],
    worker: { defaultAlias: 'shop', databases: [{ alias: 'shop' }, { alias: 'a' }] },
  });
  t.end();
});

t.test('connections of each', (t) => {
  const many = 'http.processes = 2\npool.threads = 2\n';
  const cases: [what: string, toml: string, open: number[], idle: number[]][] = [
    ['as pg', `pg.maxopenconn = 8\npg.maxidleconn = 4\n${entry('a')}`, [2, 2], [1, 1]],
    [
      'of its own, all kept as pg does',
      `pg.maxopenconn = 8\n${entry('a', 'maxopenconn = 16')}`,
      [2, 4],
      [2, 4],
    ],
    [
      'fewer than pg keeps',
      `pg.maxopenconn = 40\npg.maxidleconn = 20\n${entry('a', 'maxopenconn = 8')}`,
      [10, 2],
      [5, 2],
    ],
    [
      'and how many are kept',
      `pg.maxopenconn = 8\n${entry('a', 'maxidleconn = 4')}`,
      [2, 2],
      [2, 1],
    ],
  ];
  for (const [what, toml, open, idle] of cases) {
    const { loaded, problems } = loader.load(many + toml);
    t.strictSame(problems, [], what);
    const { databases } = settingsOf(loaded!.config, false)[0]!.worker;
    t.strictSame(
      databases.map(({ connections, idleConnections }) => [connections, idleConnections]),
      open.map((each, i) => [each, idle[i]]),
      what,
    );
  }
  const { loaded } = loader.load(`pg.maxopenconn = 100\n${entry('a', 'maxopenconn = 1')}`);
  t.match(loaded!.config, { 'http.processes': 1, 'pool.threads': 1 }, 'the smallest decides');
  t.end();
});
