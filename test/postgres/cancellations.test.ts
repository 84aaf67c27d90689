/** Cancel requests that a peer accepts and never answers: their number is bounded, and later ones are not affected. */
import { readdirSync } from 'node:fs';
import t from 'tap';
import { ScriptCost } from '#app/postgres/statement/script-cost.js';
import { startProxy } from '../support/black-hole.js';
import { describe, TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

/** Most at one time in a process. */
const MOST = 32;

const HOUR = 3_600_000;
const LONG = 'SELECT pg_sleep(3600)::text';

const threads = (): number => readdirSync('/proc/self/task').length;

t.test('a proxy that swallows them', async (t) => {
  const server = await startPostgres(t);
  const proxy = await startProxy(t, server);
  const db = new TestDatabase(t, proxy, { connections: 40, statementTimeout: HOUR });
  const sleeping = Array.from({ length: 40 }, () =>
    db.run(LONG, 'value', { cost: new ScriptCost() }),
  );
  const connected = async (): Promise<number> =>
    (await server.sql(`SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND application_name = 'tested'`)).length; // prettier-ignore
  await until(async () => (await connected()) >= 36);
  const before = threads();
  const taken = proxy.taken;
  proxy.deafen(true);
  for (const { job } of sleeping) job.abandoned = true;
  await until(() => proxy.taken - taken >= MOST); // as many requests as allowed
  t.ok(threads() <= before + MOST + 4, 'those of new connections included');
  const outcomes = await Promise.all(sleeping.map(({ outcome }) => outcome));
  t.strictSame([...new Set(outcomes.map(describe))], ['timeout'], 'their connections are closed');
  proxy.deafen(false);
  proxy.cut();
  await until(() => threads() <= before + 4); // they end
  const last = db.run(LONG, 'value', { cost: new ScriptCost() });
  await until(async () => (await connected()) > 0);
  last.job.abandoned = true;
  t.equal(describe(await last.outcome), '57014', 'a later one is cancelled');
});
