/** A thread that starts again repeats no proof that still holds, and no line of the log. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { ScriptFolder, TestedProver } from './tested-prover.js';

const server = await startPostgres(t, {
  setup: 'CREATE TABLE item (id int); CREATE TABLE other (id int)',
});

const folder = new ScriptFolder(t, {
  'v/item.read.sql': 'SELECT id FROM item',
  'v/other.read.sql': 'SELECT id FROM other',
  'v/broken.read.sql': 'SELECT idd FROM item',
  'v/template.read.sql': '{{if}}',
  'v/removed.read.sql': 'SELECT 1 AS one',
});
const first = new TestedProver(t, server, { scripts: folder.location });
await first.complete();
await first.service.close();
/** As it is after a way through messages. */
const known = JSON.parse(JSON.stringify(first.cache.contents())) as ReturnType<
  typeof first.cache.contents
>;

t.test('nothing has changed', async (t) => {
  const prover = new TestedProver(t, server, { scripts: folder.location, known });
  await prover.rounds(1);
  t.strictSame(prover.described, []);
  t.strictSame(prover.updates, [{ proofs: [], gone: [], complete: true }]);
  t.strictSame(
    prover.lines.filter(({ level }) => level === 40),
    [],
  );
});

t.test('a table and some files have changed meanwhile', async (t) => {
  await server.sql('ALTER TABLE other RENAME id TO number');
  folder.write('v/more.read.sql', 'SELECT 2 AS two');
  folder.remove('v/removed.read.sql');
  const prover = new TestedProver(t, server, { scripts: folder.location, known });
  await prover.rounds(1);
  await prover.becomes('v/other', 'broken');
  t.notOk(
    prover.described.some((sql) => /item\b/.test(sql) && !sql.includes('idd')),
    'the good one is not repeated',
  );
  t.equal(prover.verdict('v/more'), 'proved');
  t.equal(prover.verdict('v/removed'), undefined);
  t.strictSame(prover.logged('v/broken'), [], 'it was logged before');
  t.strictSame(prover.logged('v/template'), []);
  t.equal(prover.logged('v/other').length, 1);
});

for (const mode of ['warn', 'require'] as const)
  t.test(`${mode}: a text in whose proof a thread died is left unproved`, async (t) => {
    const scripts = folder.location;
    const before = new TestedProver(t, server, { scripts, mode });
    await before.complete();
    const deadly = new Set([before.proof('v/item')!.text]);
    t.ok(before.begun.includes([...deadly][0]), 'it is named before its proof');
    t.equal(before.begun.at(-1), undefined);
    await before.service.close();

    const prover = new TestedProver(t, server, { scripts, mode, deadly });
    await prover.complete();
    t.equal(prover.verdict('v/item'), 'unproved');
    t.equal(prover.proof('v/item')!.serves, undefined);
    t.equal(prover.verdict('v/more'), 'proved');
    t.notOk(prover.described.some((sql) => sql.includes('SELECT id FROM item')));
    t.equal(prover.logged('v/item').length, 1);
  });
