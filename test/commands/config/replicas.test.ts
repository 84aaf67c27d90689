/** Replicas of databases: their settings, what they inherit, and what is refused. */
import t from 'tap';
import { databaseOf, databasesOf, replicasOf } from '#app/commands/config/databases.js';
import { settingsOf } from '#app/commands/config/settings.js';
import type { PositionCookies } from '#app/messages/database-settings.js';
import { makeCertificate } from '../../support/certificates.js';
import { makeLoader, type Outcome } from './load-config.js';

const loader = makeLoader(t);

/** Keywords of a connection string. */
function keywords(conninfo: string): Record<string, string> {
  const pairs = [...conninfo.matchAll(/(\w+)='((?:[^'\\]|\\.)*)'/g)];
  return Object.fromEntries(pairs.map(([, keyword, value]) => [keyword!, value!]));
}

/** Each replica: the alias of its database, its server, database, user and password. */
function replicas({ loaded, problems }: Outcome): string[] {
  t.strictSame(problems, []);
  return replicasOf(loaded!.config, 0).map(({ of, alias, conninfo }) => {
    const { host, port, dbname, user, password, sslmode } = keywords(conninfo);
    t.ok(alias.startsWith(`${of}\0`));
    return `${of}: ${user}:${password}@${host}:${port}/${dbname} ${sslmode}`;
  });
}

const PG = '[pg]\nurl = "postgres://api:secret@a/shop"\nssl.mode = "require"\n';

t.test('what a URL does not contain is that of the database', (t) => {
  const outcome = loader.load(
    `${PG}replicas = ["postgres://b", "postgres://reader:other@c:6000/shop2?sslmode=disable"]`,
  );
  t.strictSame(replicas(outcome), [
    'shop: api:secret@b:5432/shop require',
    'shop: reader:other@c:6000/shop2 disable',
  ]);
  t.end();
});

t.test('the replicas of further databases', (t) => {
  const outcome = loader.load(
    `${PG}replicas = ["postgres://x:y@b:6000/shop"]
[[databases]]
alias = "stock"
[[databases]]
alias = "archive"
url = "postgres://d/events"
[[databases]]
alias = "logs"
url = "postgres://u:p@e/events"
replicas = ["postgres://f"]`,
  );
  t.strictSame(replicas(outcome), [
    'shop: x:y@b:6000/shop require',
    'stock: api:secret@b:6000/stock require',
    'logs: u:p@f:5432/events require',
  ]);
  t.end();
});

t.test('in the environment', (t) => {
  const env = {
    DATABASE_URL: 'postgres://api:secret@a/shop',
    SERVICE_PG_REPLICAS: 'postgres://b, postgres://c',
  };
  t.strictSame(replicas(loader.load(undefined, { env })), [
    'shop: api:secret@b:5432/shop prefer',
    'shop: api:secret@c:5432/shop prefer',
  ]);
  t.end();
});

t.test('connections', (t) => {
  const { loaded } = loader.load(
    `${PG}maxopenconn = 6\nreplicas = ["postgres://b:6000"]\n[http]\nprocesses = 2\n[pool]\nthreads = 1`,
  );
  const { config } = loaded!;
  const [settings] = settingsOf(config, false);
  const { databases, replicas: others, mcp } = settings!.worker;
  t.strictSame([databases[0]!.connections, others[0]!.connections], [3, 3], 'for each server');
  t.strictSame([mcp!.databases.length, mcp!.replicas.length], [1, 1]);
  for (const { conninfo, readOnlyConninfo } of [databases[0]!, others[0]!]) {
    t.equal(keywords(conninfo)['target_session_attrs'], 'any');
    t.notMatch(keywords(conninfo)['options'], /default_transaction_read_only/);
    t.match(keywords(readOnlyConninfo!)['options'], /-c default_transaction_read_only=on/);
  }
  const primary = keywords(databaseOf(config).conninfo);
  t.strictSame(
    [primary['host'], primary['port'], primary['target_session_attrs']],
    ['a,b', '5432,6000', 'primary'],
    'commands and the proof look for the primary',
  );
  const without = loader.load(PG).loaded!.config;
  t.equal(keywords(databaseOf(without).conninfo)['target_session_attrs'], 'any');
  t.equal(databasesOf(without, 0)[0]!.readOnlyConninfo, undefined);
  t.strictSame(replicasOf(without, 0), []);
  t.end();
});

t.test('how far behind', (t) => {
  const lagOf = (text: string): unknown =>
    loader.load(`pg.max_lag = "${text}"`).loaded!.config['pg.max_lag'];
  t.strictSame(lagOf('16MiB'), { bytes: 16 << 20 });
  t.strictSame(lagOf('2m'), { time: 120_000 });
  t.end();
});

t.test('cookies with positions', (t) => {
  const certificate = makeCertificate('own');
  const folder = t.testdir({ 'cert.pem': certificate.cert, 'key.pem': certificate.key });
  const tls = `[https]\nmode = true\ncert = "${folder}/cert.pem"\nkey = "${folder}/key.pem"\n`;
  const cases: readonly (readonly [text: string, cookies: PositionCookies | undefined])[] = [
    ['', undefined],
    [tls, undefined],
    ['pg.lsn_cookie = true', { path: '/', secure: false }],
    ['context = "/api/v1/"\npg.lsn_cookie = true', { path: '/api/v1', secure: false }],
    [`pg.lsn_cookie = true\n${tls}`, { path: '/', secure: true }],
    [`pg.lsn_cookie = true\n${tls.replace('true', 'false')}`, { path: '/', secure: false }],
  ];
  for (const [text, cookies] of cases) {
    const { loaded, problems } = loader.load(text);
    t.strictSame(problems, [], text);
    const [settings] = settingsOf(loaded!.config, false);
    t.strictSame(settings!.worker.replication.cookies, cookies, text);
  }
  t.end();
});

t.test('refused', (t) => {
  const cases: readonly (readonly [replicas: string, problem: RegExp])[] = [
    ['"postgres://b"', /^pg\.replicas: found a string; allowed: a list of postgres:/],
    ['[1]', /^pg\.replicas: found a list; allowed: /],
    ['["b:5432"]', /^pg\.replicas\[0\]: not a URL that begins with postgres/],
    ['["postgres:///shop"]', /^pg\.replicas\[0\]: it names no host$/],
    [
      '["postgres://b", "postgres://c?hush=1"]',
      /^pg\.replicas\[1\]: it has a parameter that is not/,
    ],
    [
      '["postgres://b", "postgres://b"]',
      /^pg\.replicas: the database shop has the server b:5432 tw/,
    ],
    ['["postgres://a"]', /^pg\.replicas: the database shop has the server a:5432 twice$/],
    [JSON.stringify(Array.from({ length: 17 }, (_, i) => `postgres://h${i}`)), /found 17 replicas/],
  ];
  for (const [text, problem] of cases) {
    const { problems } = loader.load(`${PG}replicas = ${text}`);
    t.match(problems, [problem], text);
    t.notMatch(problems.join(), /secret|hush/);
  }
  t.end();
});
