/** Failures from the fields of PostgreSQL, and from those of a pooler, which has one SQLSTATE for all its errors. */
import t from 'tap';
import { failureOf } from '#app/postgres/statement/sql-failure.js';

t.test('08P01', (t) => {
  const message = 'bind message supplies 1 parameters, but prepared statement "" requires 0';
  const fields = { severity: 'ERROR', sqlState: '08P01', message, routine: 'exec_bind_message' };
  t.match(failureOf(fields), { state: '08P01', message, fatal: false }, 'of a statement');
  const pooler = { sqlState: '08P01', message: 'query_wait_timeout' };
  t.match(failureOf(pooler), { state: '08006', message: 'query_wait_timeout' }, 'of a pooler');
  t.end();
});
