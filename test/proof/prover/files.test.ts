/** The proofs of scripts in files, as they are reported and logged while the files change. */
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { ScriptFolder, TestedProver } from './tested-prover.js';

const server = await startPostgres(t, {
  setup: 'CREATE TABLE item (id int PRIMARY KEY, name text)',
});

const GOOD = 'SELECT id FROM item{{if isSet "id"}} WHERE id = {{sqlVal "id"}}{{end}}';
const BROKEN = 'SELECT id FROM item{{if isSet "id"}} WHERE idd = {{sqlVal "id"}}{{end}}';

t.test('each text is proved once, and what is broken is logged', async (t) => {
  const folder = new ScriptFolder(t, {
    'shop/good.read.sql': GOOD,
    'shop/bad.read.sql': BROKEN,
    'shop/bad.delete.sql': 'DELETE FROM item WHERE id = {{sqlVal "id"}}',
    'shop/open.read.sql': 'SELECT id FROM item ORDER BY {{.by}}',
    'shop/template.read.sql': 'SELECT 1\n{{if}}',
    'shop/binary.read.sql': 'SELECT \0',
    'shop/notes.txt': 'not a script',
  });
  const prover = new TestedProver(t, server, { scripts: folder.location });
  await prover.complete();
  t.equal(prover.verdict('shop/good'), 'proved');
  t.equal(prover.verdict('shop/bad', 'main', 'delete'), 'proved');
  t.equal(prover.verdict('shop/open'), 'open');
  t.match(prover.proof('shop/good'), { own: undefined, serves: undefined, alias: 'main' });
  t.match(prover.proof('shop/good')!.record.columns, [
    [{ name: 'id', type: 'integer', nullable: false }],
  ]);
  t.match(prover.findings('shop/bad'), [
    {
      message: 'column "idd" does not exist',
      code: '42703',
      line: 1,
      column: 44,
      when: '`id` is sent',
    },
  ]);
  t.match(prover.findings('shop/template'), [
    {
      message: 'missing value for if',
      code: 'script_not_usable',
      line: 2,
      column: 5,
      when: 'always',
    },
  ]);
  t.match(prover.findings('shop/binary'), [{ message: 'the file has a NUL byte', when: 'always' }]);
  t.equal([...prover.cache.proofs].length, 6);
  await prover.rounds(1);
  t.match(prover.logged('shop/bad'), [
    {
      level: 40,
      verb: 'read',
      database: 'main',
      position: 'shop/bad:1:44',
      code: '42703',
      when: '`id` is sent',
      msg: 'the script is broken: column "idd" does not exist',
    },
  ]);
  t.equal(prover.logged('shop/template').length, 1);
  t.equal(prover.logged('shop/binary').length, 1);
  t.strictSame(prover.logged('shop/good'), []);
  t.match(prover.logged(), [
    { proved: 2, covered: 0, open: 1, broken: 3, msg: 'the scripts were proved' },
  ]);
  t.ok(prover.updates.every(({ complete }, i) => !complete || i === prover.updates.length - 1));
});

t.test('broken, mended and broken again', async (t) => {
  const folder = new ScriptFolder(t, { 'shop/list.read.sql': BROKEN });
  const prover = new TestedProver(t, server, { scripts: folder.location });
  await prover.becomes('shop/list', 'broken');
  const before = prover.proof('shop/list')!.text;
  folder.write('shop/list.read.sql', GOOD);
  await prover.becomes('shop/list', 'proved');
  t.not(prover.proof('shop/list')!.text, before);
  folder.write('shop/list.read.sql', BROKEN);
  await prover.becomes('shop/list', 'broken');
  t.equal(prover.proof('shop/list')!.text, before);
  folder.remove('shop/list.read.sql');
  await prover.becomes('shop/list', undefined);
  t.match(prover.updates.at(-1), {
    proofs: [],
    gone: [{ alias: 'main', script: 'shop/list', verb: 'read' }],
    complete: true,
  });
  t.match(
    prover.logged('shop/list').map(({ msg }) => msg),
    [
      'the script is broken: column "idd" does not exist',
      'the script is not broken any more',
      'the script is broken: column "idd" does not exist',
    ],
  );
});

t.test('a finding that stays is logged once', async (t) => {
  const folder = new ScriptFolder(t, { 'shop/list.read.sql': BROKEN });
  const prover = new TestedProver(t, server, { scripts: folder.location });
  await prover.rounds(1);
  folder.write('shop/list.read.sql', `${BROKEN}\n`);
  await prover.rounds(2);
  t.equal(prover.logged('shop/list').length, 1);
});

t.test('no constant of the SQL is logged', async (t) => {
  const folder = new ScriptFolder(t, {
    'shop/value.read.sql': "SELECT id FROM item WHERE id = 'secret'",
    'shop/syntax.read.sql': "SELECT id FROM item WHERE true 'secret'",
  });
  const prover = new TestedProver(t, server, { scripts: folder.location });
  await prover.rounds(1);
  t.match(prover.findings('shop/value'), [{ message: /"secret"/ }]);
  for (const script of ['shop/value', 'shop/syntax'])
    t.match(prover.logged(script), [{ msg: /broken: (?:invalid input|syntax error).*…/ }]);
  t.notMatch(JSON.stringify(prover.lines), /secret/);
});

t.test('a directory that is not there yet', async (t) => {
  const folder = new ScriptFolder(t);
  const scripts = path.join(folder.location, 'later');
  const prover = new TestedProver(t, server, { mode: 'require', scripts });
  await until(() => prover.logged().length > 0);
  t.match(prover.logged(), [{ level: 50, msg: /^the scripts cannot be read to be proved: / }]);
  t.notOk(prover.cache.complete);
  mkdirSync(scripts);
  await prover.complete();
  folder.write('later/shop/list.read.sql', GOOD);
  await prover.becomes('shop/list', 'proved');
});

t.test('a folder without scripts is complete', async (t) => {
  const prover = new TestedProver(t, server, { scripts: new ScriptFolder(t).location });
  await prover.complete();
  t.match(prover.updates, [{ proofs: [], gone: [], complete: true }]);
});

t.test('a file that cannot be read', { skip: process.getuid?.() === 0 }, async (t) => {
  const folder = new ScriptFolder(t, { 'shop/list.read.sql': GOOD });
  chmodSync(path.join(folder.location, 'shop/list.read.sql'), 0);
  const prover = new TestedProver(t, server, { scripts: folder.location });
  await prover.complete();
  t.match(prover.findings('shop/list'), [{ message: /cannot be read/ }]);
});

t.test('many scripts arrive in pieces', async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: 120 }, (_, i) => [`shop/s${i}.read.sql`, `SELECT ${i} AS n`]),
  );
  const prover = new TestedProver(t, server, { scripts: new ScriptFolder(t, files).location });
  await prover.complete();
  t.ok(prover.updates.length >= 3);
  t.equal([...prover.cache.proofs].length, 120);
  await until(() => prover.logged().length === 1);
});
