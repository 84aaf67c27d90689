/** With trace.postgres, statements of sampled requests have the trace id in application_name, and no others. */
import t from 'tap';
import { startCollector } from '../support/collector.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t);
const database = postgres.url;
const NAME = `current_setting('application_name')`;
const scripts = {
  'a/name.read.sql': `SELECT ${NAME} AS name`,
  'a/name.write.sql': `SELECT 1; SELECT ${NAME} AS name`,
  'a/timed.read.sql': `-- @timeout 7s\nSELECT ${NAME} AS name, current_setting('statement_timeout') AS "limit"`,
  'a/sleeps.read.sql': 'SELECT 1 AS one FROM pg_sleep(1000)',
  'a/calls.write.sql': `CALL committing()`,
  'a/vacuum.write.sql': 'VACUUM names',
  'a/analyze.write.sql': '-- not in a transaction\nANALYZE names',
  'a/index.write.sql': 'CREATE INDEX CONCURRENTLY ON names (name)',
};
const parent = '00f067aa0ba902b7';
const trace = (i: number) => `${'cd'.repeat(14)}${String(i).padStart(4, '0')}`;
const PLAIN = 'sql-rest-service';
const quiet = { 'queries.proof': 'off', 'http.processes': 1, 'pool.threads': 1 };

t.test('application_name', async (t) => {
  await postgres.sql('CREATE TABLE names (name text)');
  await postgres.sql(
    `CREATE PROCEDURE committing() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO names VALUES (${NAME}); COMMIT; INSERT INTO names VALUES (${NAME}); END $$`,
  );
  const { collector, endpoint } = await startCollector(t);
  const on = {
    ...quiet,
    'trace.endpoint': endpoint,
    'trace.ratio': 0,
    'trace.callers': 10_000,
    'trace.postgres': 'application_name',
  };
  const service = await startService(t, { database, scripts, config: on });
  const headers = (i: number, flags = '01') => ({
    traceparent: `00-${trace(i)}-${parent}-${flags}`,
  });
  const named = (i: number) => [{ name: `${PLAIN} ${trace(i)}` }];

  t.same(await service.rows('a/name', { headers: headers(1) }), named(1));
  t.same(await service.rows('a/name', { headers: headers(1, '00') }), [{ name: PLAIN }]);
  t.same(await service.rows('a/name'), [{ name: PLAIN }]);
  const added = await service.rows('a/name', { method: 'POST', headers: headers(2) });
  t.match(added, { rows: named(2) }, 'several statements');
  const timed = await service.rows('a/timed', { headers: headers(3) });
  t.same(timed, [{ name: named(3)[0]!.name, limit: '7s' }], 'with a time limit');

  // Every second one is sampled; they share pipelines.
  for (let round = 0; round < 5; round++) {
    const all = Array.from({ length: 40 }, (_, i) =>
      service.rows('a/name', { headers: headers(i, i % 2 === 0 ? '01' : '00') }),
    );
    const seen = await Promise.all(all);
    const wanted = seen.map((_, i) => (i % 2 === 0 ? named(i) : [{ name: PLAIN }]));
    t.same(seen, wanted, `round ${round}`);
  }

  for (const name of ['calls', 'vacuum', 'analyze', 'index']) {
    const { status, text } = await service.ask(`a/${name}`, {
      method: 'POST',
      headers: headers(4),
    });
    t.equal(status, 200, `${name}: ${text}`);
  }
  t.same(await postgres.sql('SELECT DISTINCT name FROM names'), [{ name: PLAIN }], 'what commits by itself is not named'); // prettier-ignore

  const abort = new AbortController();
  const sleeping = service
    .ask('a/sleeps', { headers: headers(5), signal: abort.signal })
    .catch(() => undefined);
  const running = `SELECT FROM pg_stat_activity WHERE application_name = '${PLAIN} ${trace(5)}' AND state = 'active'`;
  await until(async () => (await postgres.sql(running)).length === 1);
  abort.abort();
  await sleeping;
  await until(async () => (await postgres.sql(running)).length === 0);
  t.same(await service.rows('a/name'), [{ name: PLAIN }]);
  const gone = await collector.span(({ traceId, kind }) => traceId === trace(5) && kind === 'server'); // prettier-ignore
  t.match(gone.attributes, { 'error.type': 'client_gone' });
  t.notOk('http.response.status_code' in gone.attributes);

  service.configure({ ...on, 'trace.postgres': 'off' });
  service.signal('SIGHUP');
  await service.line('reloaded');
  await until(
    async () =>
      JSON.stringify(await service.rows('a/name', { headers: headers(6) })) ===
      JSON.stringify([{ name: PLAIN }]),
  );
});
