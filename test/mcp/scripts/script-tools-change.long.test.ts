/** Scripts as tools, while scripts are created, changed and deleted: on disk and in the table. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { CREATE, insert, TestScripts } from '../../stored/registry/tables.js';
import { callOf, TestedScripts } from '../tested-scripts.js';

const postgres = await startPostgres(t, { setup: CREATE });

// They mostly wait.
t.jobs = 6;

/** Follows one list through changes, wherever they are made. */
async function follow(
  t: Test,
  scripts: TestedScripts,
  steps: [what: string, change: () => unknown, names: string][],
): Promise<void> {
  for (const [what, change, names] of steps) {
    await change();
    await until(async () => (await scripts.names()) === names);
    t.pass(what);
  }
}

t.test('on disk', { buffered: true }, async (t) => {
  const texts = { 'shop/a': 'SELECT {{sqlVal "x"}}', 'shop/b': 'SELECT 1 AS b' };
  const scripts = new TestedScripts(t, postgres, { texts });
  t.equal(await scripts.names(), 'main.shop.a main.shop.b', 'the first time at once');
  const [a, b] = await scripts.tools.list(callOf());
  await follow(t, scripts, [
    ['new', () => scripts.write('shop/c', 'SELECT 3 AS c'), 'main.shop.a main.shop.b main.shop.c'],
    [
      'new folder',
      () => scripts.write('a/z', 'SELECT 4'),
      'main.a.z main.shop.a main.shop.b main.shop.c',
    ],
    ['deleted', () => scripts.remove('shop/c'), 'main.a.z main.shop.a main.shop.b'],
    ['broken', () => scripts.write('shop/b', 'SELECT {{'), 'main.a.z main.shop.a'],
    [
      'mended',
      () => scripts.write('shop/b', 'SELECT {{sqlVal "y"}} AS b'),
      'main.a.z main.shop.a main.shop.b',
    ],
    [
      'folder gone',
      () => rmSync(`${scripts.folder}/a`, { recursive: true }),
      'main.shop.a main.shop.b',
    ],
  ]);
  const tools = await scripts.tools.list(callOf());
  t.equal(tools[0], a, 'what has not changed is the same');
  t.not(tools[1], b);
  t.same((await scripts.entry('shop/b')).inputSchema.required, ['y']);
  t.equal(await scripts.run('shop/b', { y: 5 }), '{"rows":[{"b":"5"}],"count":1}');
  t.equal(await scripts.run('shop/c'), 'unknown tool');
});

t.test('deleted while nobody asked', { buffered: true }, async (t) => {
  const texts = { 'shop/a': 'SELECT 1', 'shop/b': 'SELECT 2', 'shop/c': 'SELECT 3' };
  const scripts = new TestedScripts(t, postgres, { texts });
  await until(async () => (await scripts.names()).includes('shop.c'));
  scripts.remove('shop/b');
  await sleep(2_000);
  t.equal(await scripts.run('shop/b'), 'unknown tool', 'not even the first call runs it');
  scripts.remove('shop/c');
  await sleep(2_000);
  t.equal(await scripts.names(), 'main.shop.a', 'not even the first list has it');
});

t.test('files that are not scripts', { buffered: true }, async (t) => {
  const scripts = new TestedScripts(t, postgres, { texts: { 'shop/a': 'SELECT 1' } });
  const { folder } = scripts;
  const outside = `${folder}-outside`;
  mkdirSync(outside);
  t.teardown(() => rmSync(outside, { recursive: true }));
  writeFileSync(`${outside}/x.read.sql`, 'SELECT 1');
  symlinkSync(outside, `${folder}/linked`);
  symlinkSync(`${outside}/x.read.sql`, `${folder}/shop/linked.read.sql`);
  mkdirSync(`${folder}/shop/folder.read.sql`);
  mkdirSync(`${folder}/a.b`);
  writeFileSync(`${folder}/a.b/x.read.sql`, 'SELECT 1');
  writeFileSync(`${folder}/x.read.sql`, 'SELECT 1');
  writeFileSync(`${folder}/shop/.hidden.read.sql`, 'SELECT 1');
  writeFileSync(`${folder}/shop/.read.sql`, 'SELECT 1');
  writeFileSync(`${folder}/shop/latin.read.sql`, Buffer.from([0x53, 0xe9]));
  writeFileSync(`${folder}/shop/nul.read.sql`, 'a\0b');
  writeFileSync(`${folder}/shop/upper.READ.SQL`, 'SELECT 1');
  writeFileSync(`${folder}/shop/large.read.sql`, 'x'.repeat((1 << 20) + 1));
  t.equal(await scripts.names(), 'main.shop.a');
});

t.test('the directory is missing for a while', { buffered: true }, async (t) => {
  const scripts = new TestedScripts(t, postgres, { texts: { 'shop/a': 'SELECT 1 AS a' } });
  t.equal(await scripts.names(), 'main.shop.a');
  renameSync(`${scripts.folder}/shop`, `${scripts.folder}/.away`);
  renameSync(`${scripts.folder}/.away`, `${scripts.folder}/shop`);
  t.equal(await scripts.run('shop/a'), '{"rows":[{"a":1}],"count":1}');
  const none = new TestedScripts(t, postgres, {});
  rmSync(none.folder, { recursive: true });
  t.equal(await none.names(), '');
  t.match(none.logged, [{ level: 'error', reason: 'ENOENT' }]);
});

t.test('in the table', { buffered: true }, async (t) => {
  const stored = new TestScripts(t, postgres);
  const scripts = new TestedScripts(t, postgres, {
    scripts: stored.scripts,
    aliases: ['main', 'other'],
  });
  const sql = (text: string) => () => postgres.sql(text);
  const where = "WHERE location = 'shop' AND name = ";
  await follow(t, scripts, [
    ['none', () => undefined, ''],
    ['new', sql(insert('shop/a', 'SELECT 1 AS a')), 'main.shop.a other.shop.a'],
    ['of one', sql(insert('other:shop/b', 'SELECT 2')), 'main.shop.a other.shop.a other.shop.b'],
    [
      'own and no read',
      sql(insert('other:shop/a', null, { write_sql: 'w' })),
      'main.shop.a other.shop.b',
    ],
    ['broken', sql(insert('shop/c', '{{if}}')), 'main.shop.a other.shop.b'],
    ['odd', sql(insert('shop/c.d', 'SELECT 1')), 'main.shop.a other.shop.b'],
    [
      'mended',
      sql(`UPDATE service_queries SET read_sql = 'SELECT 3' ${where} 'c'`),
      'main.shop.a main.shop.c other.shop.b other.shop.c',
    ],
    ['deleted', sql(`DELETE FROM service_queries ${where} 'c'`), 'main.shop.a other.shop.b'],
  ]);
  t.equal(await scripts.run('shop/a'), '{"rows":[{"a":1}],"count":1}');
  await postgres.sql(
    `UPDATE service_queries SET read_sql = 'SELECT {{sqlVal "x"}} AS a' ${where} 'a' AND database_alias = ''`,
  );
  const is = async () =>
    (await scripts.run('shop/a', { x: 'é' })) === '{"rows":[{"a":"é"}],"count":1}';
  await until(is); // another text
});

t.test('no table', { buffered: true }, async (t) => {
  const stored = new TestScripts(t, postgres, { table: { schema: 'public', table: 'nowhere' } });
  const scripts = new TestedScripts(t, postgres, { scripts: stored.scripts });
  t.equal(await scripts.names(), '', 'the other tools are listed all the same');
  t.match(await scripts.run('shop/a'), /^error: the stored scripts cannot be read now/);
});
