/** No statement leaves a transaction open: the connection ends, and with it the transaction. */
import t from 'tap';
import { describe, TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';

const server = await startPostgres(t);
const PID = 'SELECT pg_backend_pid()::text';

t.test('of a script, by the command tag', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  for (const sql of ['BEGIN', 'START TRANSACTION READ ONLY']) {
    const before = describe(await db.read(PID));
    const outcome = await db.write(sql);
    t.match(outcome, {
      code: 'statement_not_allowed',
      message: /^(BEGIN|START TRANSACTION) is not/,
    });
    t.not(describe(await db.read(PID)), before, sql);
  }
});

t.test('of the service itself, by the state of the connection', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const before = describe(await db.read(PID));
  const { failure } = await db.database.query('BEGIN');
  t.match(failure, { message: 'a script may not leave a transaction open' });
  t.not(describe(await db.read(PID)), before);
});
