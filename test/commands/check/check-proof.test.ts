/** The proof of `check`: every branch of every script is parsed by PostgreSQL, and nothing is run. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { ProofFindings } from '#app/commands/check/proof-report.js';
import type { Report } from '#app/commands/check/report.js';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, makeScripts, run } from '../program.js';

const server = await startPostgres(t, {
  setup: readFileSync('examples/database.sql', 'utf8'),
});
const env = { DATABASE_URL: server.url };

const check = (folder: string, ...args: string[]) => run(folder, ['check', ...args], env);

async function proofOf(folder: string, ...args: string[]): Promise<ProofFindings> {
  const { stdout } = await check(folder, '--json', ...args);
  const { proof } = JSON.parse(stdout) as Report;
  if (proof === null) throw new Error('there is no proof');
  return proof;
}

const GOOD = 'SELECT id, name FROM products WHERE id = {{sqlVal "id"}}';
const BROKEN =
  'SELECT id FROM products\nWHERE true\n{{if isSet "q"}}AND nme = {{sqlVal "q"}}{{end}}';
const OPEN = 'SELECT id FROM products ORDER BY {{.order}}';

t.test('a broken branch', async (t) => {
  const folder = makeScripts(t, { 'shop/good.read.sql': GOOD, 'shop/list.read.sql': BROKEN });
  const { code, stdout, stderr } = await check(folder);
  t.equal(code, 1);
  t.equal(stderr, '', 'no progress without a terminal');
  t.match(stdout, /\nscripts .* ok: 2 scripts\n/, 'both parse as templates');
  t.match(
    stdout,
    '\nproof not ok: 2 scripts, 1 proved, 1 broken\n' +
      '  error: shop/list.read.sql:3:21: column "nme" does not exist (42703)\n' +
      '    when `q` is sent\n',
  );
  t.match(stdout, /\nnot ok\n$/);
  t.match(await proofOf(folder), {
    ok: false,
    errors: [],
    proved: 1,
    covered: 0,
    open: 0,
    broken: 1,
    unproved: 0,
    scripts: [
      {
        script: 'shop/good',
        verb: 'read',
        file: 'shop/good.read.sql',
        database: 'postgres',
        verdict: 'proved',
        findings: [],
        parameters: [{ name: 'id', types: ['integer'] }],
        columns: [
          [
            { name: 'id', type: 'integer' },
            { name: 'name', type: 'text' },
          ],
        ],
      },
      {
        script: 'shop/list',
        verdict: 'broken',
        findings: [
          {
            message: 'column "nme" does not exist',
            code: '42703',
            line: 3,
            column: 21,
            when: '`q` is sent',
          },
        ],
      },
    ],
  });
});

t.test('a hint of PostgreSQL', async (t) => {
  const folder = makeScripts(t, { 'shop/x.read.sql': 'SELECT p.nam FROM products p' });
  const { stdout } = await check(folder);
  t.match(
    stdout,
    /\n {2}error: shop\/x\.read\.sql:1:8: .*\n {4}always\n {4}hint: Perhaps you meant/,
  );
});

t.test('what cannot be decided', async (t) => {
  const folder = makeScripts(t, { 'shop/list.read.sql': OPEN });
  const { code, stdout } = await check(folder);
  t.equal(code, 0, stdout);
  t.match(
    stdout,
    '\nproof ok: 1 script, 1 open\n  open: shop/list.read.sql:1:36: the text of `order`\n',
  );
  t.match(await proofOf(folder), {
    ok: true,
    scripts: [{ verdict: 'open', open: [{ what: 'the text of `order`', line: 1, column: 36 }] }],
  });
});

t.test('--no-prove', async (t) => {
  const folder = makeScripts(t, { 'shop/list.read.sql': BROKEN });
  const { code, stdout } = await check(folder, '--no-prove');
  t.equal(code, 0, stdout);
  t.notMatch(stdout, /\nproof/);
  const { stdout: json } = await check(folder, '--no-prove', '--json');
  t.equal((JSON.parse(json) as Report).proof, null);
});

t.test('--prove full', async (t) => {
  const names = Array.from({ length: 10 }, (_, i) => `p${i}`);
  const filters = names.map((name) => `{{if isSet "${name}"}}AND name <> {{sqlVal "${name}"}}{{end}}`); // prettier-ignore
  const folder = makeScripts(t, {
    'shop/list.read.sql': `SELECT id FROM products WHERE true ${filters.join(' ')}`,
  });
  const usual = await proofOf(folder);
  t.match(usual, { full: false, covered: 1 });
  const few = usual.scripts[0]!.texts;
  const { stdout } = await check(folder);
  t.match(
    stdout,
    /\nproof ok: 1 script, 1 covered by pairs\n {2}covered by pairs: shop\/list\.read\.sql: \d+ combinations and not all; --prove=full tries them\n/,
  );
  t.ok(few < 2 ** names.length);
  const whole = await proofOf(folder, '--prove=full');
  t.match(whole, { full: true, proved: 1, scripts: [{ texts: 2 ** names.length }] });
});

t.test('--script', async (t) => {
  const folder = makeScripts(t, {
    'shop/good.read.sql': GOOD,
    'shop/good.write.sql': BROKEN,
    'shop/list.read.sql': BROKEN,
    'shop/bad.read.sql': '{{if}}',
    'shop/bad.txt.sql': '',
  });
  const { code, stdout } = await check(folder, '--script', 'shop/good.read');
  t.equal(code, 0, stdout);
  t.match(
    stdout,
    '\nproof ok: 1 script, 1 proved\n' +
      'shop/good.read.sql is proved on postgres: 1 text of 2 combinations\n' +
      '  id: integer\n' +
      '  columns: id integer, name text\n',
  );
  t.notMatch(stdout, 'permissions');
  for (const [name, scripts] of [
    ['shop/good', 2],
    ['shop/good.write', 1],
    ['shop/good.read.sql', 1],
    ['queries/shop/good.read.sql', 1],
    ['postgres/shop/good', 2],
  ] as const)
    t.equal((await proofOf(folder, '--script', name)).scripts.length, scripts, name);
  const bad = await check(folder, '--script', 'shop/bad');
  t.equal(bad.code, 1);
  t.match(bad.stdout, /\n {2}error: shop\/bad\.read\.sql:1:5/);
  t.notMatch(bad.stdout, 'shop/bad.txt.sql');
});

t.test('--script with a name that there is not', async (t) => {
  const folder = makeScripts(t, { 'shop/good.read.sql': GOOD });
  for (const [name, message] of [
    ['shop/god', 'there is no script "shop/god"; the nearest is "shop/good"'],
    ['shop/good.write', 'there is no script "shop/good.write"; the nearest is "shop/good.read"'],
    ['good', 'there is no script "good"; the nearest is "shop/good"'],
    ['stock/shop/good', 'no database has the alias "stock"; the nearest is "postgres"'],
  ] as const) {
    const { code, stdout, stderr } = await check(folder, '--script', name);
    t.equal(code, 1);
    t.equal(stderr, `error: ${message}\n`);
    t.equal(stdout, '');
  }
  t.equal((await check(makeFolder(t), '--script', 'a/b')).stderr, 'error: there is no script "a/b"; there are none\n'); // prettier-ignore
});

t.test('many findings', async (t) => {
  const names = Array.from({ length: 25 }, (_, i) => `shop/s${i + 10}`);
  const folder = makeScripts(t, {
    ...Object.fromEntries(names.map((name) => [`${name}.read.sql`, BROKEN])),
    ...Object.fromEntries(names.map((name) => [`${name}.write.sql`, OPEN])),
  });
  const { stdout } = await check(folder);
  t.match(stdout, '\nproof not ok: 50 scripts, 25 open, 25 broken\n');
  const errors = [...stdout.matchAll(/^ {2}error: (.*)\.read\.sql:3:21: /gm)].map(([, name]) => name); // prettier-ignore
  t.strictSame(errors, names.slice(0, 20), 'in the order of names');
  t.match(stdout, '\n  and 5 more errors; --json lists all\n');
  t.match(stdout, '\n  and 5 more open points; --json lists all\n');
  t.equal((await proofOf(folder)).scripts.length, 50);
});

t.test('the examples', async (t) => {
  const folder = makeFolder(t);
  cpSync('examples/queries', join(folder, 'queries'), { recursive: true });
  const { code, stdout } = await check(folder);
  t.equal(code, 0, stdout);
  const { scripts } = await proofOf(folder);
  t.ok(scripts.length > 20);
  t.strictSame(scripts.filter(({ verdict }) => verdict !== 'proved').map(({ file, verdict }) => ({ file, verdict })), []); // prettier-ignore
});

t.test('nothing is run', async (t) => {
  await server.sql(`CREATE TABLE written (n integer); CREATE SEQUENCE counted;
    CREATE FUNCTION write_one() RETURNS integer LANGUAGE sql AS 'INSERT INTO written VALUES (1) RETURNING n'`);
  const folder = makeScripts(t, {
    'w/insert.write.sql': 'INSERT INTO written VALUES ({{sqlVal "n"}}) RETURNING n',
    'w/two.write.sql':
      "INSERT INTO written SELECT nextval('counted'); UPDATE written SET n = n + 1; SELECT write_one()",
    'w/next.read.sql': "SELECT nextval('counted'), write_one()",
    'w/drop.delete.sql': 'DROP TABLE written',
    'w/do.write.sql': 'DO $$ BEGIN INSERT INTO written VALUES (1); END $$',
    'w/notify.write.sql': "SELECT pg_notify('c', 'x'); DELETE FROM written",
  });
  const objects = `SELECT (SELECT count(*) FROM pg_class) AS relations, (SELECT count(*) FROM pg_proc) AS functions,
    (SELECT count(*) FROM pg_depend) AS dependencies`;
  const before = await server.sql(objects);
  const { code, stdout } = await check(folder);
  t.equal(code, 0, stdout);
  t.match(stdout, '\nproof ok: 6 scripts, ');
  t.strictSame(await server.sql('SELECT n FROM written'), []);
  t.strictSame(await server.sql('SELECT is_called FROM counted'), [{ is_called: false }]);
  t.strictSame(await server.sql(objects), before);
});
