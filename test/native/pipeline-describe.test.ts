/** Descriptions from the native pipeline: failures, parameters, columns, and their place among other segments. */
import t from 'tap';
import { ROWS, VALUE, type PipelineResult } from '#app/native/pipeline.js';
import { Pipelined } from '../support/pipelined.js';
import { startPostgres } from '../support/postgres.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE item (id int, gone text, "é" varchar(7), cost numeric(6, 2));
    ALTER TABLE item DROP COLUMN gone; CREATE VIEW shown AS SELECT id FROM item;
    CREATE SEQUENCE ran`,
});
const CONNINFO = `host=127.0.0.1 port=${server.port} user=postgres password=${server.password} dbname=postgres`;
const [ids] = await server.sql<{ item: number; shown: number }>(
  `SELECT 'item'::regclass::oid AS item, 'shown'::regclass::oid AS shown`,
);
const { item, shown } = ids!;

async function connect(t: { teardown(fn: () => void): void }): Promise<Pipelined> {
  const connection = await Pipelined.connect(CONNINFO, 100);
  t.teardown(() => connection.pq.finish());
  return connection;
}

/** write writes the segment of a description, and of nothing else. */
function write({ pipeline }: Pipelined, sql: string, name = ''): boolean {
  pipeline.prepare(name, sql);
  return pipeline.describe(name);
}

async function described(connection: Pipelined, sql: string, name = ''): Promise<PipelineResult> {
  t.equal(write(connection, sql, name), true);
  return (await connection.outcomes(1))[0]!;
}

const failure = (sqlState: string, more: object = {}) => ({
  failure: { severity: 'ERROR', sqlState, message: String, ...more },
  before: 1,
  description: undefined,
});
const at = (statementPosition: string) => ({ statementPosition });

t.test('failures', async (t) => {
  const connection = await connect(t);
  const cases: [sql: string, outcome: unknown][] = [
    ['SELEC 1', failure('42601', at('1'))],
    ['SELECT 1; SELECT 2', failure('42601')],
    ["SELECT 'é😀', nope FROM item", failure('42703', at('14'))],
    ['TABLE nope', failure('42P01', at('7'))],
    ['SELECT $1 IS NULL', failure('42P18')],
    ['SELECT $0', failure('42P02', at('8'))],
    ["SELECT 'x'::int", failure('22P02', at('8'))],
  ];
  for (const [sql, outcome] of cases) t.match(await described(connection, sql), outcome, sql);
  t.match(await described(connection, 'SELECT 1 AS a'), { description: {} }, 'nothing stays of it');
});

const column = (name: string, type: number, modifier = -1, table = 0, attribute = 0) => ({
  name,
  type,
  modifier,
  table,
  attribute,
});

t.test('parameters and columns', async (t) => {
  const connection = await connect(t);
  const cases: [sql: string, parameters: number[], columns: object[]][] = [
    ['', [], []],
    ['-- nothing', [], []],
    ['SELECT', [], []],
    ['SET a.b = 1', [], []],
    ['DELETE FROM item WHERE id = $1 AND cost > $2', [23, 1700], []],
    ['SELECT $2::text, $1::int8', [20, 25], [column('text', 25), column('int8', 20)]],
    ['SELECT $1', [25], [column('?column?', 25)]],
    [
      'SELECT id, "é" AS "ü", cost, id + 1, tableoid, true FROM item',
      [],
      [
        column('id', 23, -1, item, 1),
        column('ü', 1043, 11, item, 3),
        column('cost', 1700, (6 << 16) + 2 + 4, item, 4),
        column('?column?', 23),
        column('tableoid', 26, -1, item, -6),
        column('?column?', 16),
      ],
    ],
    ['SELECT id FROM shown', [], [column('id', 23, -1, shown, 1)]],
    [
      'INSERT INTO item (id, "é") VALUES ($1, $2) RETURNING id',
      [23, 1043],
      [column('id', 23, -1, item, 1)],
    ],
    ['SHOW server_version', [], [column('server_version', 25)]],
    ['EXPLAIN TABLE item', [], [column('QUERY PLAN', 25)]],
    ["COPY item TO '/nonexistent'", [], []],
  ];
  for (const [sql, parameters, columns] of cases) {
    const outcome = await described(connection, sql);
    t.strictSame(outcome, { description: { parameters, columns } }, sql);
  }
});

t.test('as many parameters and columns as there may be', async (t) => {
  const connection = await connect(t);
  const numbers = (length: number) => Array.from({ length }, (_, i) => i + 1);
  const among = (length: number) =>
    `SELECT 1 WHERE 1 IN (${numbers(length)
      .map((n) => `$${n}`)
      .join()})`;
  const many = await described(connection, among(7498));
  const parameters = numbers(7498).map(() => 23);
  t.strictSame(many, { description: { parameters, columns: [column('?column?', 23)] } });
  const wide = await described(
    connection,
    `SELECT ${numbers(1664)
      .map((n) => `1 AS c${n}`)
      .join()}`,
  );
  const columns = numbers(1664).map((n) => column(`c${n}`, 23));
  t.strictSame(wide, { description: { parameters: [], columns } });
  // libpq before version 17 gives its connection up then.
  const all = {
    description: { parameters: numbers(7499).map(() => 23), columns: [column('?column?', 23)] },
  };
  const outcome = await described(connection, among(7499));
  const isLost = (outcome as { lost?: boolean }).lost === true;
  if (!isLost) t.strictSame(outcome, all);
  else t.pass('it is lost');
});

t.test('among other segments', async (t) => {
  const connection = await connect(t);
  const { pipeline } = connection;
  pipeline.send('', `SELECT 'before'`, [], VALUE);
  write(connection, 'SELEC 1');
  pipeline.precede('', 'SET a.b = 1', [], true);
  write(connection, 'SELECT 1 AS a');
  write(connection, 'TABLE nope');
  pipeline.prepare('named', 'DELETE FROM item WHERE id = $1');
  pipeline.precede('named', '', ['1']);
  write(connection, 'SELECT 2 AS b');
  pipeline.describe('named');
  pipeline.send('named', '', ['1'], ROWS);
  pipeline.describe('unknown');
  pipeline.send('', `SELECT 'behind'`, [], VALUE);
  t.match(await connection.outcomes(9), [
    'before',
    failure('42601', at('1')),
    { description: { columns: [{ name: 'a' }] } },
    failure('42P01'),
    { description: { columns: [{ name: 'b' }] } },
    { description: { parameters: [23], columns: [] } },
    'DELETE 0',
    { failure: { sqlState: '26000' }, before: undefined },
    'behind',
  ]);
});

t.test('behind a preceding statement that fails', async (t) => {
  const connection = await connect(t);
  const { pipeline } = connection;
  pipeline.precede('', 'SELECT 1 / 0', []);
  write(connection, 'SELECT 1 AS a');
  pipeline.readOnly();
  write(connection, 'SELECT 2 AS b');
  pipeline.send('', `SELECT 'behind'`, [], VALUE);
  t.match(await connection.outcomes(3), [
    { failure: { sqlState: '22012' }, before: 2 },
    { description: { columns: [{ name: 'b' }] }, transaction: undefined },
    'behind',
  ]);
});

t.test('nothing runs', async (t) => {
  const connection = await connect(t);
  await connection.run('LISTEN heard');
  const texts = [
    'INSERT INTO item (id) VALUES (1)',
    "SELECT nextval('ran'), pg_notify('heard', '')",
    'NOTIFY heard',
    'CREATE TABLE made ()',
    "SET a.b = 'left'",
    'BEGIN',
    'DROP TABLE item',
    'DO $$ BEGIN RAISE EXCEPTION $a$no$a$; END $$',
  ];
  for (const sql of texts) write(connection, sql);
  for (const outcome of await connection.outcomes(texts.length))
    t.match(outcome, { description: { parameters: [] }, transaction: undefined });
  const left = `SELECT is_called::text || (SELECT count(*) FROM item) || coalesce(to_regclass('made')::text, '-') ||
    coalesce(current_setting('a.b', true), '-') || (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'item'::regclass AND mode <> 'AccessShareLock') FROM ran`;
  t.equal(await connection.run(left, [], '', true), 'false0--0');
  t.equal(connection.pq.notifies(), undefined);
});

t.test('a lost connection', async (t) => {
  const connection = await connect(t);
  connection.pipeline.precede('', 'SELECT pg_terminate_backend(pg_backend_pid())', []);
  write(connection, 'SELECT 1');
  t.match(await connection.outcomes(1), [{ lost: true, failure: { sqlState: '57P01' } }]);
});

t.test('what cannot be sent', async (t) => {
  const connection = await connect(t);
  const { pipeline } = connection;
  const describe = pipeline.describe.bind(pipeline) as (...values: unknown[]) => boolean;
  t.throws(() => describe(1), TypeError);
  pipeline.send('', 'SELECT 1', [], VALUE);
  t.strictSame(await connection.outcomes(1), ['1'], 'nothing of it was sent');
  pipeline.prepare('', 'SELECT 1');
  t.throws(() => describe(), TypeError);
  t.equal(pipeline.describe(''), false, 'its Parse was');
  pipeline.close();
  t.throws(() => pipeline.describe(''), /closed/);
});
