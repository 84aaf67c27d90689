/** A database that is closed fails what waits, and what it is asked afterwards, at once. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { TestDatabase } from '../support/database.js';

const server = await startPostgres(t);

const ENDED = { message: 'the service is stopping', state: '57P01' };

t.test('asked afterwards', async (t) => {
  const { database } = new TestDatabase(t, server);
  t.match(await database.query('SELECT 1'), { result: {} });
  database.close();
  t.match(await database.query('SELECT 1'), { failure: ENDED });
  t.match(await database.dedicated.query('SELECT 1'), { failure: ENDED });
  t.match(await database.queryWithin(3_600_000, 'SELECT 1'), { failure: ENDED });
  t.match(await database.describe('SELECT 1'), ENDED);
  t.match(await database.probe(), ENDED.message);
});

t.test('while it connects for the first time', async (t) => {
  const { database } = new TestDatabase(t, server);
  const waiting = database.query('SELECT 1');
  database.close();
  t.match(await waiting, { failure: ENDED });
});
