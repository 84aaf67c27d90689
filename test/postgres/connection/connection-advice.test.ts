/** What a refused connection says about the key or the variable to set. */
import t from 'tap';
import { checkDatabase } from '#app/postgres/lanes/database-check.js';
import { withAdvice } from '#app/postgres/connection/connection-advice.js';
import { databaseSettings } from '../../support/http-process.js';
import { startPostgres } from '../../support/postgres.js';

t.test('reasons of libpq and PostgreSQL', async (t) => {
  const server = await startPostgres(t);
  const settings = databaseSettings('main', server);
  const { conninfo } = settings;
  const cases: readonly [change: readonly [RegExp, string], message: RegExp][] = [
    [[/password=\S*/, 'password=wrong'], /password authentication failed.*SERVICE_PG_PASS/s],
    [[/password=\S*/, 'passfile=/dev/null'], /no password supplied.*SERVICE_PG_PASS/s],
    [[/dbname=\S*/, 'dbname=nowhere'], /database "nowhere" does not exist.*pg\.database/s],
    [[/port=\S*/, 'port=1'], /Connection refused.*pg\.host and pg\.port/s],
  ];
  for (const [[pattern, replacement], message] of cases) {
    const found = await checkDatabase({
      ...settings,
      conninfo: conninfo.replace(pattern, replacement),
    });
    t.match(found, { ok: false, message }, replacement);
  }
});

t.test('other reasons stay as they are', (t) => {
  t.equal(withAdvice('server closed the connection'), 'server closed the connection');
  t.end();
});
