/**
 * The memory of a contestant's sessions in PostgreSQL, without that of other sessions.
 */
import pg from 'pg';
import t from 'tap';
import { startDatabase } from '../../bench/database.js';
import { privateBytes } from '../../bench/measure/process-tree.js';

const MiB = 1024 ** 2;
const STATEMENTS = 1000;

t.test('prepared statements count, shared buffers and other sessions do not', async (t) => {
  const database = await startDatabase(() => undefined);
  t.teardown(() => database.stop());
  const login = await database.loginFor('keeps all');
  t.strictSame(await database.sessionsOf(login.user), []);
  const client = new pg.Client({ connectionString: login.url });
  await client.connect();
  const sessions = await database.sessionsOf(login.user);
  t.equal(sessions.length, 1);

  const fresh = privateBytes(sessions);
  await client.query('SELECT count(email) FROM accounts');
  const read = privateBytes(sessions);
  for (let id = 1; id <= STATEMENTS; id += 1) {
    await client.query({ name: `s${id}`, text: `SELECT * FROM accounts WHERE id = ${id}` });
  }
  const kept = privateBytes(sessions);
  await client.end();

  t.ok(fresh > 0);
  // The table has over 20 MiB.
  t.ok(read - fresh < 4 * MiB, `reading: ${read - fresh} bytes more`);
  t.ok(kept - read > 8 * MiB, `${STATEMENTS} statements: ${kept - read} bytes more`);
});
