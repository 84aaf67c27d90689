/** Statements of the service itself have settings of their own, which no other statement on the connection sees. */
import t from 'tap';
import { asScriptsSee, withTimeout } from '#app/postgres/statement/identity.js';
import { TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';

const postgres = await startPostgres(t, {
  setup: `CREATE SCHEMA far; CREATE TYPE far.mood AS ENUM ('a'); ALTER DATABASE postgres SET search_path = far, public;
    CREATE ROLE web; CREATE TABLE public.kept (n int)`,
});
const SETTINGS = `SELECT pg_catalog.current_setting('search_path') || ' ' || pg_catalog.current_setting('jit')`;
const OWN = 'pg_catalog, pg_temp off';
const rowOf = ({ result }: { readonly result?: unknown }): unknown => (result as { rows: unknown[][] }).rows[0]![0]; // prettier-ignore

t.test('they are set for it alone, on a connection that is shared', async (t) => {
  const db = new TestDatabase(t, postgres, { connections: 1 });
  const { database } = db;
  const before = (await db.read(SETTINGS)) as { value: string };
  t.match(before.value, /^far, public /);
  const [own, script, asScript, last] = await Promise.all([
    database.query(SETTINGS),
    db.read(SETTINGS),
    database.query(SETTINGS, [], { asScript: true }),
    database.queryWithin(60_000, SETTINGS, [], { identity: withTimeout(undefined, 60_000) }),
  ]);
  t.equal(rowOf(own), OWN);
  t.equal((script as { value: string }).value, before.value);
  t.equal(rowOf(asScript), before.value);
  t.equal(rowOf(last), OWN);
});

t.test('in a transaction of its own', async (t) => {
  const { database } = new TestDatabase(t, postgres, { connections: 1 });
  const sql = `SELECT pg_catalog.concat_ws(' ', current_user, pg_catalog.current_setting('search_path'))`;
  t.equal(
    rowOf(await database.query(sql, [], { rolledBack: 'READ WRITE' })),
    'postgres pg_catalog, pg_temp',
  );
});

t.test('after a failure too', async (t) => {
  const db = new TestDatabase(t, postgres, { connections: 1 });
  t.match(await db.database.query('SELECT FROM kept'), { failure: { state: '42P01' } });
  t.match(await db.read(`SELECT pg_catalog.current_setting('search_path')`), {
    value: 'far, public',
  });
});

t.test('names of types as scripts see them', async (t) => {
  const { database } = new TestDatabase(t, postgres);
  const name = `pg_catalog.format_type('far.mood'::regtype, NULL)`;
  t.equal(rowOf(await database.query(`SELECT ${name}`)), 'far.mood');
  t.equal(rowOf(await database.query(`SELECT ${asScriptsSee(name)}`)), 'mood');
});
