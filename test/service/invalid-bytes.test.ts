/** Bytes that are no text in UTF-8: 500 for those of a row, 400 for those that a caller has sent. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const postgres = await startPostgres(t);
await postgres.sql(
  `CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'`,
);
const url = new URL(postgres.url);
url.pathname = '/bytes';

t.test('whose bytes they are', async (t) => {
  const service = await startService(t, {
    database: url.href,
    config: { 'http.processes': 1, 'pool.threads': 1 },
    scripts: {
      'a/make.write.sql': `CREATE TABLE t AS SELECT 1 AS id, E'a\\xffb' AS name`,
      'a/row.read.sql': 'SELECT name FROM t WHERE id = {{sqlVal "id"}}::int',
      'a/sent.read.sql': `SELECT convert_from(decode({{sqlVal "hex"}}, 'hex'), 'UTF8') AS text`,
    },
  });
  t.equal((await service.ask('a/make', { method: 'POST' })).status, 200);
  t.equal(await service.error('a/row?id=1'), '500 22021');
  t.equal(await service.error('a/row?id=2'), '200');
  t.equal(await service.error('a/sent?hex=61'), '200');
  t.equal(await service.error('a/sent?hex=ff'), '400 22021');
});
