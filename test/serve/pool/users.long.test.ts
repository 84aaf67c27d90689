/** Users through the service's own workers: looked up, renewed, made; and what happens when that cannot be. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { createLogger } from '#app/observe/log.js';
import { QueryPool } from '#app/serve/pool/query-pool.js';
import { storedUsers } from '#app/serve/pool/stored-users.js';
import { Gate, GATES } from '../../support/gate.js';
import { databaseSettings, httpProcessSettings } from '../../support/http-process.js';
import {
  connections,
  startOwnPostgres,
  startPostgres,
  type Postgres,
} from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { USUAL } from '../../stored/users/tables.js';

const MORTAL = fileURLToPath(new URL('./fixtures/mortal-worker.js', import.meta.url));

function poolOf(
  t: Pick<Test, 'teardown'>,
  server?: Postgres,
  { users = true, threads = 1, each = 1, scripts = '/nonexistent' } = {},
): QueryPool {
  const database = { ...databaseSettings('main', server), connections: each };
  const { worker } = httpProcessSettings({
    worker: {
      databases: [database],
      users: users ? USUAL : undefined,
      scripts,
      log: { level: 'silent', pretty: false },
    },
  });
  const log = createLogger({ level: 'silent', pretty: false }, {});
  const results = { answered: () => undefined, died: () => undefined };
  const pool = new QueryPool({ threads, worker, results, log, filename: MORTAL });
  const alive = setInterval(() => undefined, 1_000);
  t.teardown(() => {
    clearInterval(alive);
    return pool.close();
  });
  return pool;
}

const BUSY = { name: 'ServiceError', code: 'busy', status: 503 };

t.test('a database', async (t) => {
  const server = await startOwnPostgres(t);
  const pool = poolOf(t, server, { threads: 2, each: 1 });
  const users = storedUsers(pool);

  await t.test('no table yet', async (t) => {
    await t.rejects(users.findUser('ann', 'r'), BUSY);
    await t.rejects(users.renewPassword('ann', 'a', 'b'), /42P01/);
  });
  await t.test('made', async (t) => {
    t.strictSame(await pool.ask('makeUsersTable'), {
      value: { made: true, needed: [], metadata: [] },
    });
    t.match(await pool.ask('makeUsersTable'), { value: { made: false } });
  });
  await t.test('looked up', async (t) => {
    await server.sql(`INSERT INTO service_users (username, password, metadata)
      VALUES ('ann', 'h', '{"a":{"b":[1]}}')`);
    t.strictSame(await users.findUser('ann', 'r'), {
      id: 1,
      name: '',
      username: 'ann',
      password: 'h',
      metadata: { a: { b: [1] } },
    });
    t.equal(await users.findUser('bob', 'r'), null);
    t.equal(await users.findUser("' OR true --", 'r'), null);
  });
  await t.test('renewed', async (t) => {
    await users.renewPassword('ann', 'h', 'h2');
    t.match(await users.findUser('ann', 'r'), { password: 'h2' });
  });
  await t.test('a name of two rows is not found', async (t) => {
    await server.sql(`ALTER TABLE service_users DROP CONSTRAINT service_users_username_key;
      INSERT INTO service_users (username, password) VALUES ('ann', 'h')`);
    t.equal(await users.findUser('ann', 'r'), null);
  });
  await t.test('many at once, over no more connections than there may be', async (t) => {
    const found = await Promise.all(Array.from({ length: 200 }, () => users.findUser('bob', 'r')));
    t.ok(found.every((user) => user === null));
    t.ok((await connections(server)) <= 2);
  });
  await t.test('gone', async (t) => {
    await server.stop();
    await t.rejects(users.findUser('ann', 'r'), BUSY);
    await t.rejects(users.findUser('ann', 'r'), BUSY);
    t.match(await pool.ask('makeUsersTable'), { failure: { passing: true } });
  });
});

t.test('no users table is configured', async (t) => {
  const pool = poolOf(t, undefined, { users: false });
  const users = storedUsers(pool);
  await t.rejects(users.findUser('ann', 'r'), BUSY);
  t.match(await pool.ask('makeUsersTable'), { failure: { passing: false } });
});

t.test('the worker dies', async (t) => {
  const server = await startPostgres(t, { setup: GATES });
  const folder = t.testdir();
  const pool = poolOf(t, server, { scripts: folder });
  const users = storedUsers(pool);
  await pool.ask('makeUsersTable');
  await server.sql("INSERT INTO service_users (username) VALUES ('ann')");
  // Held up by a lock, so that it is under way when the thread ends.
  const gate = new Gate(server, 'lock');
  const held = server.sql(`BEGIN; LOCK service_users; ${gate.sql}; COMMIT`);
  await server.sql(`DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock'
    AND relation = 'service_users'::regclass) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$`);
  const waiting = t.rejects(users.findUser('ann', 'r'), BUSY);
  writeFileSync(path.join(folder, 'die'), '');
  await waiting;
  await gate.open();
  await held;
  const found = await until(() => users.findUser('ann', 'r').catch(() => undefined)); // it may still be starting
  t.match(found, { username: 'ann' }, 'its replacement answers');
});
