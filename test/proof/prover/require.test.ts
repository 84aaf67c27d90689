/** Which text of a script is to be served when only proved ones are. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { ScriptFolder, TestedProver } from './tested-prover.js';

const server = await startPostgres(t, {
  setup: 'CREATE TABLE item (id int PRIMARY KEY, name text)',
});
const FILE = 'shop/list.read.sql';
const mode = 'require';

t.test('the last good text stays until there is another good one', async (t) => {
  const folder = new ScriptFolder(t, { [FILE]: 'SELECT idd FROM item' });
  const prover = new TestedProver(t, server, { mode, scripts: folder.location });
  await prover.becomes('shop/list', 'broken');
  t.equal(prover.proof('shop/list')!.serves, undefined, 'it never was good');
  folder.write(FILE, 'SELECT id FROM item');
  await prover.becomes('shop/list', 'proved');
  t.equal(prover.proof('shop/list')!.serves, 'SELECT id FROM item');
  folder.write(FILE, 'SELECT nam FROM item');
  await prover.becomes('shop/list', 'broken');
  t.equal(prover.proof('shop/list')!.serves, 'SELECT id FROM item');
  folder.write(FILE, 'SELECT {{if}} FROM item');
  await until(() => prover.findings('shop/list')[0]?.code === 'script_not_usable');
  t.equal(prover.proof('shop/list')!.serves, 'SELECT id FROM item');

  await prover.service.close();
  const next = new TestedProver(t, server, {
    mode,
    scripts: folder.location,
    known: prover.cache.contents(),
  });
  await next.rounds(1);
  t.equal(next.proof('shop/list')!.serves, 'SELECT id FROM item', 'another thread knows it');
  folder.write(FILE, 'SELECT nope FROM item');
  await until(() => next.findings('shop/list')[0]?.code === '42703');
  t.equal(next.proof('shop/list')!.serves, 'SELECT id FROM item');
  folder.write(FILE, 'SELECT name FROM item ORDER BY {{.by}}');
  await next.becomes('shop/list', 'open');
  t.equal(
    next.proof('shop/list')!.serves,
    'SELECT name FROM item ORDER BY {{.by}}',
    'open is served',
  );
  folder.remove(FILE);
  await next.becomes('shop/list', undefined);
});

t.test('what a change of the database breaks is still served', async (t) => {
  await server.sql('CREATE TABLE more (id int)');
  const folder = new ScriptFolder(t, { [FILE]: 'SELECT id FROM more' });
  const prover = new TestedProver(t, server, { mode, scripts: folder.location });
  await prover.becomes('shop/list', 'proved');
  await server.sql('DROP TABLE more');
  await prover.becomes('shop/list', 'broken');
  t.equal(prover.proof('shop/list')!.serves, 'SELECT id FROM more');
});

t.test('proofs that were made for warnings', async (t) => {
  const folder = new ScriptFolder(t, {
    [FILE]: 'SELECT id FROM item',
    'shop/bad.read.sql': 'SELECT idd FROM item',
  });
  const warned = new TestedProver(t, server, { scripts: folder.location });
  await warned.complete();
  await warned.service.close();
  const prover = new TestedProver(t, server, {
    mode,
    scripts: folder.location,
    known: warned.cache.contents(),
  });
  await prover.rounds(1);
  t.equal(prover.proof('shop/list')!.serves, 'SELECT id FROM item');
  t.equal(prover.proof('shop/bad')!.serves, undefined);
  t.strictSame(prover.described, [], 'they are valid');
});

t.test('warnings about texts, which no worker logs then', async (t) => {
  const folder = new ScriptFolder(t, { [FILE]: 'SELECT \'{{sqlVal "x"}}\'' });
  const prover = new TestedProver(t, server, { mode, scripts: folder.location });
  await prover.complete();
  t.ok(prover.logged('shop/list', 40).length > 0);
});
