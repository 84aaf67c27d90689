/** The users table on a server without DO and advisory locks. */
import t from 'tap';
import { COCKROACHDB, startOtherEngine } from '../../support/other-engine.js';
import { startPostgres } from '../../support/postgres.js';
import { usersOf } from './tables.js';

const server = await startPostgres(t);

t.test('made without a lock', async (t) => {
  const engine = await startOtherEngine(t, server, COCKROACHDB);
  const users = usersOf(t, { ...server, ...engine });
  t.strictSame(await users.make(), { made: true, needed: [], metadata: [] });
  t.match(await users.make(), { made: false });
  t.ok(await users.add('ann', 'hash', {}));
  t.match(await users.find('ann'), { username: 'ann', password: 'hash' });
});
