/** Locks on tables delay the proof of the scripts that use them, and of no others; an end ends what waits. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { ScriptFolder, TestedProver } from './tested-prover.js';

const server = await startPostgres(t, {
  setup: 'CREATE TABLE item (id int); CREATE TABLE locked (id int)',
});
const FILES = { 'v/a.read.sql': 'SELECT id FROM locked', 'v/b.read.sql': 'SELECT id FROM item' };

async function lock(t: Test): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query('BEGIN; LOCK TABLE locked');
  return client;
}

t.test('a table that a migration has locked', async (t) => {
  const client = await lock(t);
  const { location: scripts } = new ScriptFolder(t, FILES);
  const prover = new TestedProver(t, server, { mode: 'require', scripts });
  await prover.complete();
  t.equal(prover.verdict('v/b'), 'proved');
  t.equal(prover.verdict('v/a'), 'unproved');
  t.match(prover.proof('v/a')!.record.open, [{ what: /did not parse a statement of it/ }]);
  t.equal(prover.proof('v/a')!.serves, undefined);
  await client.query('ALTER TABLE locked RENAME id TO number; COMMIT');
  await prover.becomes('v/a', 'broken');
});

t.test('many scripts that use it keep no other waiting', async (t) => {
  const client = await lock(t);
  const held = Array.from({ length: 40 }, (_, i) => [
    `v/h${i}.read.sql`,
    `SELECT ${i} FROM locked`,
  ]);
  const files = Object.fromEntries(held) as Record<string, string>;
  const folder = new ScriptFolder(t, { ...files, 'v/z.read.sql': 'SELECT id FROM item' });
  const prover = new TestedProver(t, server, { mode: 'require', scripts: folder.location });
  let asked: number | undefined;
  const apply = prover.cache.apply.bind(prover.cache);
  prover.cache.apply = (news) => {
    apply(news);
    if (news.complete) asked ??= prover.described.filter((sql) => sql.includes('locked')).length;
  };
  await prover.complete();
  t.equal(asked, 40, 'each was asked about once');
  t.equal(prover.verdict('v/z'), 'proved');
  folder.write('v/z.read.sql', 'SELECT id, 1 AS one FROM item');
  await until(() => prover.proof('v/z')!.serves?.includes('one') === true);
  t.equal(prover.verdict('v/h0'), 'unproved');
  t.match(prover.logged('v/h0', 40), [
    { msg: /^the script is not proved: PostgreSQL did not parse/ },
  ]);
  await client.query('COMMIT');
  for (let i = 0; i < 40; i++) await prover.becomes(`v/h${i}`, 'proved');
  t.equal(prover.logged('v/h0', 40).length, 1, 'one line, however often it was tried');
});

t.test('a proof that is known stays while its table is locked', async (t) => {
  const folder = new ScriptFolder(t, {
    'v/a.read.sql': 'SELECT number FROM locked',
    'v/b.read.sql': 'SELECT id FROM item',
  });
  const prover = new TestedProver(t, server, { mode: 'require', scripts: folder.location });
  await prover.complete();
  const client = await lock(t);
  const { length } = prover.described;
  await server.sql('CREATE TYPE any_type AS ENUM ()');
  await until(() => prover.described.slice(length).some((sql) => sql.includes('item')));
  t.equal(prover.verdict('v/a'), 'proved');
  folder.write('v/a.read.sql', 'SELECT number, 1 AS one FROM locked');
  await prover.becomes('v/a', 'unproved');
  t.equal(prover.proof('v/a')!.serves, 'SELECT number FROM locked');
  await client.query('COMMIT');
  await prover.becomes('v/a', 'proved');
  t.equal(prover.proof('v/a')!.serves, 'SELECT number, 1 AS one FROM locked');
});

t.test('the end while a statement waits', async (t) => {
  const client = await lock(t);
  const { location: scripts } = new ScriptFolder(t, FILES);
  const prover = new TestedProver(t, server, { scripts });
  // The server looks for it, as the statement waits two seconds only.
  await client.query(
    `DO $$ BEGIN
       WHILE NOT EXISTS (SELECT FROM pg_locks WHERE relation = 'locked'::regclass AND NOT granted)
       LOOP PERFORM pg_sleep(0.01); END LOOP;
     END $$`,
  );
  const { length } = prover.updates;
  await prover.service.close();
  t.equal(prover.updates.length, length, 'nothing is reported after it');
});

t.test('the end in the middle of a long proof', async (t) => {
  const flags = Array.from({ length: 12 }, (_, i) => `{{if isSet "p${i}"}} AND id = ${i}{{end}}`);
  const { location: scripts } = new ScriptFolder(t, {
    'v/long.read.sql': `SELECT id FROM item WHERE true${flags.join('')}`,
  });
  const prover = new TestedProver(t, server, { scripts });
  await until(() => prover.described.length > 10);
  const { length } = prover.updates;
  await prover.service.close();
  t.equal(prover.updates.length, length, 'nothing is reported after it');
  await prover.service.close();
});
