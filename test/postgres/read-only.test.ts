/**
 * Read-only statements: each runs in an explicit READ ONLY transaction, whatever the connection's own setting, which is
 * rolled back after success and failure, and does not affect others in the same pipeline.
 */
import t, { type Test } from 'tap';
import { identityOf } from '#app/postgres/statement/identity.js';
import type { DatabaseSettings } from '#app/messages/database-settings.js';
import { describe, TestDatabase, type JobOptions } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { asAuthenticator, ROLES } from './roles.js';

const server = await startPostgres(t, {
  setup: `${ROLES};
    CREATE TABLE kept (n int);
    CREATE FUNCTION add_one() RETURNS int LANGUAGE sql AS 'INSERT INTO kept VALUES (1) RETURNING n';
    CREATE FUNCTION free_me() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
      PERFORM set_config('default_transaction_read_only', 'off', false);
      RETURN set_config('session_characteristics.x', 'left', false); END $$;
    CREATE FUNCTION writable() RETURNS text LANGUAGE sql
      AS $$ SELECT set_config('transaction_read_only', 'off', false) $$;`,
});

const READ: JobOptions = { readOnly: true };
const open = (t: Pick<Test, 'teardown'>, settings: Partial<DatabaseSettings> = {}): TestDatabase =>
  new TestDatabase(t, server, { connections: 1, ...settings });
const kept = async () => (await server.sql('SELECT n FROM kept')).length;

/** Attempts, and their outcomes. */
const ATTEMPTS: readonly (readonly [sql: string, outcome: string])[] = [
  ['SELECT add_one()::text', '25006'],
  ['INSERT INTO kept VALUES (2) RETURNING n', '25006'],
  ["SELECT nextval('seq')::text", '25006'],
  ['CREATE TABLE made (n int)', '25006'],
  ['SELECT writable()', '25001'],
  ['SELECT 1/0', '22012'],
  ['nonsense', '42601'],
];

t.test('writes are rejected, and the next statement is not affected', async (t) => {
  await server.sql('CREATE SEQUENCE seq');
  for (const prepared of [true, false]) {
    const db = open(t, { prepared });
    for (const [sql, outcome] of ATTEMPTS) {
      const statement = { sql, recurs: prepared };
      t.equal(describe(await db.write(statement, READ)), outcome, sql);
      t.equal(describe(await db.read('SHOW transaction_read_only', READ)), 'on');
      t.equal(describe(await db.read('SHOW transaction_read_only')), 'off', 'of a script');
    }
    t.equal(db.open, 1, 'on the same connection');
  }
  t.equal(await kept(), 0);
});

t.test('others in one pipeline are not affected', async (t) => {
  const db = open(t);
  const outcomes = await Promise.all([
    db.write('INSERT INTO kept VALUES (10)'),
    db.read('SELECT count(*)::text FROM kept', READ),
    db.write('SELECT add_one()', READ),
    db.write('INSERT INTO kept VALUES (11)'),
    db.read('SELECT 1/0', READ),
    db.read('SELECT count(*)::text FROM kept', READ),
    db.read('SELECT count(*)::text FROM kept'),
  ]);
  t.strictSame(outcomes.map(describe), [
    'affected 1',
    '1',
    '25006',
    'affected 1',
    '22012',
    '2',
    '2',
  ]);
  t.equal(await kept(), 2, 'the writes of scripts are committed');
  t.equal(db.open, 1);
});

t.test('a session setting made by a function is rolled back', async (t) => {
  const db = open(t);
  const conninfo = 'SHOW default_transaction_read_only';
  await db.write('SELECT free_me()', READ);
  t.equal(describe(await db.read(conninfo)), 'off', 'the default of this connection');
  t.equal(
    describe(
      await db.read("SELECT coalesce(current_setting('session_characteristics.x', true), '')"),
    ),
    '',
  );
  await db.write('SELECT free_me()'); // a script's own, which stays
  t.equal(describe(await db.write('SELECT add_one()', READ)), '25006', 'explicitly READ ONLY');
});

t.test('it runs under its own identity only', async (t) => {
  const db = new TestDatabase(t, server, { ...asAuthenticator(server), connections: 1 });
  const identity = identityOf('ann', '{"tenant":1}');
  const who = `SELECT current_user || ' ' || coalesce(current_setting('request.jwt.claims', true), '-')`;
  for (const sql of [who, who, `${who} FROM (SELECT 1/0) x(y) WHERE y = 1`]) {
    const statement = { sql, recurs: true };
    const wanted = sql === who ? 'ann {"tenant":1}' : '22012';
    t.equal(describe(await db.read(statement, { ...READ, identity })), wanted);
    t.match(describe(await db.read(who, READ)), /^authenticator /);
  }
  t.equal(
    describe(await db.read(who, { ...READ, identity: identityOf('stranger', undefined) })),
    'permission_denied',
  );
  t.equal(describe(await db.read(who, { ...READ, identity })), 'ann {"tenant":1}');
});

t.test('a stale statement is prepared again, in a transaction of its own', async (t) => {
  const db = open(t);
  const statement = { sql: 'SELECT * FROM shape', recurs: true };
  await server.sql('CREATE TABLE shape (a text); INSERT INTO shape VALUES (1)');
  for (let i = 0; i < 3; i++) t.equal(describe(await db.write(statement, READ)), '[["1"]]');
  await server.sql('ALTER TABLE shape ADD b text');
  t.equal(describe(await db.write(statement, READ)), '[["1",null]]');
  t.equal(describe(await db.write('SELECT add_one()', READ)), '25006');
  t.equal(describe(await db.read('SELECT 1::text')), '1');
});

t.test('many at once on few connections', async (t) => {
  const db = open(t, { connections: 2 });
  const all = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      i % 3 === 2
        ? db.write('SELECT add_one()', READ)
        : db.read(`SELECT '${i}'`, i % 3 === 0 ? READ : {}),
    ),
  );
  t.strictSame(
    all.map(describe),
    all.map((_, i) => (i % 3 === 2 ? '25006' : String(i))),
  );
});

t.test('every statement behind one that fails runs once', async (t) => {
  await server.sql('CREATE TABLE once (n int); GRANT ALL ON once TO PUBLIC');
  for (const prepared of [true, false]) {
    const settings = { ...asAuthenticator(server), connections: 1, prepared };
    const db = new TestDatabase(t, server, settings);
    const ann = identityOf('ann', '{"tenant":1}');
    const insert = { sql: 'INSERT INTO once VALUES ($1)', recurs: true };
    const fails = { sql: "SELECT ('x' || current_user)::int::text", recurs: true };
    const all = await Promise.all(
      Array.from({ length: 120 }, (_, i) => {
        const identity = i % 4 < 2 ? ann : undefined;
        return i % 2 === 0
          ? db.write(insert, { values: [String(i)], identity })
          : db.read(i % 5 === 0 ? `SELECT '${i}'` : fails, { ...READ, identity });
      }),
    );
    t.strictSame(
      all.map(describe),
      all.map((_, i) => (i % 2 === 0 ? 'affected 1' : i % 5 === 0 ? String(i) : '22P02')),
    );
    t.equal(db.open, 1, 'on one connection');
    t.strictSame(
      (await server.sql('SELECT n FROM once ORDER BY n')).map((row) =>
        Number(Object.values(row)[0]),
      ),
      all.flatMap((_, i) => (i % 2 === 0 ? [i] : [])),
    );
    await server.sql('TRUNCATE once');
  }
});

t.test('a statement to be prepared behind one that fails is prepared when it runs', async (t) => {
  for (const readOnly of [false, true]) {
    const settings = { ...asAuthenticator(server), connections: 1 };
    const db = new TestDatabase(t, server, settings);
    await db.read('SELECT 1');
    const options = { readOnly, identity: identityOf('ann', undefined) };
    const statement = { sql: 'SELECT current_user::text', recurs: true };
    const failing = db.run('SELECT 1/0', 'value', READ);
    // The second failure is sent before the statements behind the first are sent again.
    const second = new Promise<string>((resolve) => {
      Object.assign(failing.job, {
        failed: () =>
          void db.read('SELECT 1/0', READ).then((outcome) => resolve(describe(outcome))),
      });
    });
    const behind = [1, 2, 3, 4].map(() => db.read(statement, options));
    t.strictSame((await Promise.all(behind)).map(describe), ['ann', 'ann', 'ann', 'ann']);
    t.equal(await second, '22012');
    t.equal(db.open, 1);
  }
});

t.test('a function that raises 25P02 is not sent again and again', async (t) => {
  await server.sql(`CREATE FUNCTION lies() RETURNS text LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '25P02'; END $$`);
  const db = open(t);
  const all = [
    db.read('SELECT 1/0', READ),
    db.read('SELECT lies()'),
    db.read('SELECT lies()', READ),
  ];
  t.strictSame((await Promise.all(all)).map(describe), ['22012', '25P02', '25P02']);
  t.equal(describe(await db.read(`SELECT 'on'`, READ)), 'on');
});

t.test('an abandoned statement behind one that fails is not sent again', async (t) => {
  const db = open(t);
  await db.read('SELECT 1');
  const failing = db.run('SELECT 1/0', 'value', READ);
  const behind = db.run('INSERT INTO kept VALUES (99)', 'rows');
  behind.job.abandoned = true;
  t.equal(describe(await failing.outcome), '22012');
  t.equal(describe(await behind.outcome), 'timeout');
  t.equal(describe(await db.read('SELECT count(*)::text FROM kept WHERE n = 99')), '0');
});

t.test('where reads keep failing, the others are sent only once', async (t) => {
  const db = open(t);
  await db.read('SELECT 1/0', READ);
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, i) => {
      if (i % 3 === 0) return db.run('SELECT 1/0', 'value', READ);
      return i % 3 === 1
        ? db.run(`SELECT '${i}'`, 'value', READ)
        : db.run(`SELECT '${i}'`, 'value');
    }).map(async ({ job, outcome }) => [describe(await outcome), job.attempts]),
  );
  t.strictSame(
    outcomes,
    outcomes.map((_, i) => [i % 3 === 0 ? '22012' : String(i), 1]),
  );
  t.equal(describe(await db.read('SHOW transaction_read_only')), 'off');
  t.equal(db.open, 1);
});
