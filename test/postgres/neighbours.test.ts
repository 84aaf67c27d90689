import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { describe, TestDatabase } from '../support/database.js';

const server = await startPostgres(t, {
  setup: 'CREATE TABLE items (id int PRIMARY KEY, once int UNIQUE DEFERRABLE INITIALLY DEFERRED)',
});

/** Statements that fail, and their SQLSTATE; each is between others in one pipeline. */
const FAILING: [what: string, sql: string, values: string[], state: string][] = [
  ['syntax error', 'SELEC 1', [], '42601'],
  ['two statements', 'SELECT 1; SELECT 2', [], '42601'],
  ['no statement', ' -- nothing', [], '42601'],
  ['missing table', 'SELECT * FROM nope', [], '42P01'],
  ['bad value', 'SELECT $1::int', ['x'], '22P02'],
  ['missing value', 'SELECT $1::int + $2::int', ['1'], '08P01'],
  ['division by zero', 'SELECT 1 / (1 - $1::int)', ['1'], '22012'],
  [
    'deferred constraint, found at the sync',
    'INSERT INTO items VALUES (1, 1), (2, 1)',
    [],
    '23505',
  ],
  ['raised', `DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'PT404'; END $$`, [], 'PT404'],
  ['exception after rows', 'SELECT 1 / (3 - i) FROM generate_series(1, 3) i', [], '22012'],
];

t.test('a failure affects no other statement', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  await db.read('SELECT 1');
  for (const [what, sql, values, state] of FAILING) {
    const outcomes = await Promise.all([
      db.read('SELECT $1::text', { values: ['before'] }),
      db.write(sql, { values }),
      db.write('INSERT INTO items VALUES ($1, $1) RETURNING id', { values: ['7'] }),
      db.write(sql, { values }),
      db.write('DELETE FROM items WHERE id = 7'),
      db.read('SELECT $1::text', { values: ['after'] }),
    ]);
    t.strictSame(
      outcomes.map(describe),
      ['before', state, '[["7"]]', state, 'affected 1', 'after'],
      what,
    );
  }
  const [{ count }] = (await server.sql<{ count: string }>(
    `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tested'`,
  )) as [{ count: string }];
  t.equal(count, '1', 'on one connection throughout');
});

/** Statements that would leave a state on the connection. */
const STATEFUL = [
  'BEGIN',
  'START TRANSACTION',
  'COMMIT',
  'SET work_mem = 1000',
  'RESET work_mem',
  'LISTEN x',
  'DISCARD ALL',
  'PREPARE p AS SELECT 1',
  'SAVEPOINT s',
  'COPY items TO STDOUT',
  'COPY items FROM STDIN',
];

t.test('a connection with a state left on it is closed', async (t) => {
  for (const sql of STATEFUL) {
    const db = new TestDatabase(t, server, { connections: 1 });
    const pid = describe(await db.read('SELECT pg_backend_pid()'));
    const outcomes = await Promise.all([
      db.read('SELECT $1::text', { values: ['before'] }),
      db.write(sql),
      db.write('INSERT INTO items VALUES (8, 8)'),
      db.read(`SELECT current_setting('work_mem') || pg_backend_pid()`, { readOnly: true }),
    ]);
    const [before, stateful, write, read] = outcomes.map(describe);
    t.equal(before, 'before', `${sql}: the one before it is answered`);
    t.match(
      stateful,
      /^(statement_not_allowed|25P01|25001|08007|42601|0A000)$/,
      `${sql}: is rejected`,
    );
    if (stateful === 'statement_not_allowed') {
      t.equal(write, '08007', `${sql}: a write behind it may have run`);
      t.not(read, `4MB${pid}`, `${sql}: a read-only one ran on another connection`);
      t.match(read, /^4MB/, `${sql}: and saw no setting`);
    }
    db.database.close();
    const rows = await server.sql('DELETE FROM items WHERE id = 8 RETURNING id');
    if (stateful === 'statement_not_allowed' && sql !== 'BEGIN' && sql !== 'START TRANSACTION')
      t.ok(rows.length <= 1);
    else if (stateful === 'statement_not_allowed')
      t.strictSame(rows, [], `${sql}: the write was not committed`);
  }
});
