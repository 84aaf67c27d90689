/** Statements that run long: stopped at their time, or when nobody waits for them, and nobody else is. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { callOf, startToolDatabase, ToolDatabase } from '../arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `CREATE TABLE item AS SELECT 1 AS id;
    CREATE FUNCTION waits() RETURNS text LANGUAGE plpgsql AS
      $$BEGIN PERFORM set_config('statement_timeout', '0', false); PERFORM pg_sleep(3600); RETURN ''; END$$;
    CREATE FUNCTION stays() RETURNS text LANGUAGE plpgsql AS
      $$BEGIN LOOP BEGIN PERFORM pg_sleep(0.1); EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END$$;
    CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(3600)::text AS waited;
    CREATE VIEW slower AS SELECT 1 AS id, waits() AS waited;
    CREATE VIEW stubborn AS SELECT 1 AS id, stays() AS waited;
    CREATE VIEW endless AS SELECT count(*) FROM generate_series(1, 100000000000) i`,
  statementTimeout: 700,
  connections: 2,
});
const RUNNING =
  "SELECT 1 FROM pg_stat_activity WHERE application_name = 'tested' AND state = 'active' AND query LIKE '%slow%'";
const SLOW = { error: /^the statement took too long and was stopped\. Filter by a column/ };

for (const view of ['slow', 'slower', 'stubborn', 'endless'])
  t.test(view, async (t) => {
    const tried = db.select(view);
    const others = [];
    while (others.length < 5) others.push(await db.select('item'));
    t.ok(others.every(({ count }) => count === 1));
    t.match(await tried, SLOW);
    t.match(await db.select('item'), { count: 1 });
    await db.idle();
  });

t.test('an abandoned call', async (t) => {
  const patient = new ToolDatabase(t, db.postgres, { connections: 2, statementTimeout: 3_600_000 });
  await patient.select('item');
  const call = callOf();
  const tried = patient.run('service.select.main.public.slow', {}, call);
  while ((await db.postgres.sql(RUNNING)).length === 0) await sleep(5);
  call.abandoned = true;
  await tried;
  await patient.idle();
  t.match(await patient.select('item'), { count: 1 });
  t.strictSame(patient.logged, []);
});
