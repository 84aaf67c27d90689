/** Connections to databases: keys, URLs, variables, entries. */
import t from 'tap';
import { makeConverter } from './converter.js';

const { convert } = makeConverter(t);

t.test('a URL takes precedence over other keys', (t) => {
  const { settings, lines } = convert(
    '[pg]\nurl = "postgres://ann:p%40ss@db:6543/app?sslmode=require&search_path=x"\nhost = "other"\npass = "other"',
  );
  t.match(settings, {
    'pg.host': 'db',
    'pg.port': 6543,
    'pg.user': 'ann',
    'pg.pass': 'p@ss',
    'pg.database': 'app',
    'pg.ssl.mode': 'require',
  });
  t.equal(settings['pg.url'], undefined);
  t.match(lines('unused').join('\n'), /pg\.host: pg\.url names it too/);
  t.match(lines('unused').join('\n'), /does not look at search_path/);
  t.end();
});

t.test('a URL in a variable', (t) => {
  const { settings, variables, text } = convert(undefined, {
    PREST_PG_URL: 'postgres://ann:geheim@db/app',
  });
  t.match(settings, { 'pg.host': 'db', 'pg.user': 'ann', 'pg.database': 'app' });
  t.strictSame(variables, [{ name: 'SERVICE_PG_PASS', from: 'the password in PREST_PG_URL' }]);
  t.notMatch(text, 'geheim');
  t.end();
});

t.test('DATABASE_URL takes precedence, and stays', (t) => {
  const { settings, variables, lines, problems } = convert('[pg]\nurl = "postgres://h/d"', {
    DATABASE_URL: 'postgres://ann:geheim@db/app',
    PREST_PG_PORT: '1234',
  });
  t.strictSame(problems, []);
  t.strictSame(variables, []);
  t.equal(settings['pg.host'], undefined);
  t.equal(settings['pg.port'], 1234);
  t.match(lines('unused').join('\n'), /pg\.url: DATABASE_URL counts/);
  t.end();
});

t.test('invalid URLs are problems, and are not shown', (t) => {
  for (const url of ['postgres://h:geheim', 'mysql://ann:geheim@h/d', 'postgres://ann:geheim@h']) {
    const { problems, findings } = convert(`[pg]\nurl = "${url}"`);
    t.match(problems[0], /^pg\.url: /, url);
    t.notMatch(JSON.stringify([problems, findings]), 'geheim');
  }
  t.end();
});

t.test('entries', (t) => {
  const { settings, lines } = convert(`[pg]
host = "one"
pass = "first"
user = "ann"
[[databases]]
alias = "a"
[[databases]]
alias = "b"
host = "two"
port = 0
[[databases]]
alias = "c"
url = "postgres://bob:second@three/x?sslmode=disable&application_name=y"
[databases.ssl]
rootcert = "/ca.pem"
[[databases]]
alias = "a"
[[databases]]
alias = "no.dots"
[[databases]]
alias = "d"
colour = "red"`);
  t.strictSame(settings['databases'], [
    { alias: 'a', database: 'prest' },
    { alias: 'b', host: 'two', database: 'prest', port: 5432, user: 'ann', pass: 'first' },
    {
      alias: 'c',
      url: 'postgres://bob:second@three/x?sslmode=disable',
      ssl: { rootcert: '/ca.pem' },
    },
    { alias: 'd', database: 'prest' },
  ]);
  const unused = lines('unused').join('\n');
  t.match(unused, /databases\[3\]: the alias a is there already/);
  t.match(unused, /databases\[4\]: pREST leaves it out/);
  t.match(unused, /databases\[5\]\.colour/);
  t.match(lines('unsupported'), [/databases\[2\]\.url: .*application_name/]);
  t.match(lines('differs').join('\n'), /pg\.database: prest is served too/);
  t.end();
});

t.test('entries of the environment', (t) => {
  const { variables, lines, settings } = convert('[[databases]]\nalias = "a"', {
    DATABASE_ALIAS_1: 'a',
    DATABASE_URL_1: 'postgres://h/d',
    PREST_DATABASE_ALIAS_2: 'b',
    PREST_DATABASE_URL_2: 'postgres://ann:geheim@h/d',
    PREST_DATABASE_ALIAS_3: 'c',
  });
  t.strictSame(variables, [
    { name: 'DATABASE_ALIAS_2', from: 'PREST_DATABASE_ALIAS_2' },
    { name: 'DATABASE_URL_2', from: 'PREST_DATABASE_URL_2' },
  ]);
  t.equal(settings['databases'], undefined);
  t.match(lines('unused').join('\n'), /PREST_DATABASE_ALIAS_3: pREST leaves it out/);
  t.end();
});

t.test('entries of the environment after a missing number', (t) => {
  const pair = (n: string, alias: string): Record<string, string> => ({
    [`DATABASE_ALIAS_${n}`]: alias,
    [`DATABASE_URL_${n}`]: `postgres://h/${alias}`,
  });
  const { lines, problems } = convert('', {
    ...pair('1', 'a'),
    ...pair('0', 'b'),
    ...pair('3', 'c'),
    DATABASE_ALIAS_4: 'd',
  });
  const said = lines('differs').filter((line) => line.includes('pREST does not read it'));
  t.strictSame(said.map((line) => line.split(':')[0]!).sort(), [
    'DATABASE_ALIAS_0',
    'DATABASE_ALIAS_3',
    'DATABASE_ALIAS_4',
    'DATABASE_URL_0',
    'DATABASE_URL_3',
  ]);
  t.match(problems, [/^DATABASE_ALIAS_4: DATABASE_URL_4 is missing/]);
  t.end();
});

t.test('a password from a variable is not sent to another server', (t) => {
  const { settings, lines } = convert('[[databases]]\nalias = "b"\nhost = "two"', {
    PREST_PG_PASS: 'geheim',
  });
  t.notMatch(JSON.stringify(settings), 'geheim');
  t.match(lines('unsupported'), [/databases\[0\]: it takes the password of PREST_PG_PASS/]);
  t.end();
});
