/** Locks on tables delay the proof of the scripts that use them, and of no others; an end ends what waits. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
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
  t.equal(prover.verdict('v/a'), 'open');
  t.match(prover.proof('v/a')!.record.open, [{ what: /did not parse a statement of it/ }]);
  t.equal(prover.proof('v/a')!.serves, undefined);
  await client.query('ALTER TABLE locked RENAME id TO number; COMMIT');
  await prover.becomes('v/a', 'broken');
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
  await prover.becomes('v/a', 'open');
  t.equal(prover.proof('v/a')!.serves, 'SELECT number FROM locked');
  await client.query('COMMIT');
  await prover.becomes('v/a', 'proved');
  t.equal(prover.proof('v/a')!.serves, 'SELECT number, 1 AS one FROM locked');
});

t.test('the end while a statement waits', async (t) => {
  await lock(t);
  const { location: scripts } = new ScriptFolder(t, FILES);
  const prover = new TestedProver(t, server, { scripts });
  await until(async () => {
    const rows = await server.sql(
      `SELECT FROM pg_stat_activity WHERE application_name = 'tested' AND wait_event_type = 'Lock'`,
    );
    return rows.length === 1;
  });
  await prover.service.close();
  t.equal(prover.proof('v/a'), undefined);
});

t.test('the end in the middle of a long proof', async (t) => {
  const flags = Array.from({ length: 12 }, (_, i) => `{{if isSet "p${i}"}} AND id = ${i}{{end}}`);
  const { location: scripts } = new ScriptFolder(t, {
    'v/long.read.sql': `SELECT id FROM item WHERE true${flags.join('')}`,
  });
  const prover = new TestedProver(t, server, { scripts });
  await until(() => prover.described.length > 10);
  const { length } = prover.news;
  await prover.service.close();
  t.equal(prover.news.length, length, 'nothing is reported after it');
  await prover.service.close();
});
