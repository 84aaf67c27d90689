/** Stored scripts when the service starts before its database does. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { until } from '../support/until.js';
import { startOwnPostgres } from '../support/postgres.js';
import { isOutcome, start } from './stored-start.js';

t.test('once the database is there', async (t) => {
  const server = await startOwnPostgres(t);
  const readOnly = (word: string): Promise<object[]> =>
    server.sql(`ALTER SYSTEM ${word}`).then(() => server.sql('SELECT pg_reload_conf()'));
  await readOnly('SET default_transaction_read_only = on');
  const service = await start(t, server.url).listening();
  const delayed = 'stored scripts are not prepared yet';
  t.match(await service.line(delayed), { level: 40, msg: /read-only/, table: 'service_queries' });
  await sleep(1_200);
  t.equal(service.lines.filter(({ msg }) => msg.startsWith(delayed)).length, 1, 'said once');
  t.notOk(service.lines.some(isOutcome));
  await readOnly('RESET default_transaction_read_only');
  t.match(await service.line('the scripts table'), { level: 30, created: 2 });
  t.equal(service.lines.filter(isOutcome).length, 1);

  await t.test('with a conflict', async (t) => {
    await server.sql("UPDATE service_queries SET read_sql = 'SELECT 9' WHERE name = 'list'");
    await server.sql(
      "REVOKE CONNECT ON DATABASE postgres FROM PUBLIC; CREATE ROLE guest LOGIN PASSWORD 'guest'",
    );
    await server.sql(
      'GRANT ALL ON service_queries TO guest; GRANT USAGE ON SEQUENCE service_queries_id_seq TO guest',
    );
    const url = new URL(server.url);
    url.username = url.password = 'guest';
    const late = await start(t, url.href, { 'queries.import_policy': 'error' }).listening();
    await server.sql('GRANT CONNECT ON DATABASE postgres TO guest');
    t.match(await late.line('are not imported'), { level: 50, msg: /another text: shop\/list$/ });
    await until(async () => (await late.ask('/nope')).status === 404);
  });
});
