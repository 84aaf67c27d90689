/** Outcomes of the native pipeline for statements and lost connections, and its errors, on a real PostgreSQL. */
import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import {
  Pipeline,
  ROWS,
  VALUE,
  type Detail,
  type LargeValue,
  type PipelineResult,
} from '#app/native/pipeline.js';
import { Pipelined } from '../support/pipelined.js';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const LIMIT = 100_000;
/** Values of this size and above are LargeValues. */
const LARGE = 8192;

const server = await startPostgres(t, {
  setup: `CREATE TABLE items (id int PRIMARY KEY, once int UNIQUE DEFERRABLE INITIALLY DEFERRED,
            name text NOT NULL DEFAULT '', CONSTRAINT small CHECK (id < 100))`,
});
const ACCOUNT = `user=postgres password=${server.password} dbname=postgres`;
const CONNINFO = `host=127.0.0.1 port=${server.port} ${ACCOUNT}`;

t.test('a descriptor is rejected while no libpq is loaded', (t) => {
  t.throws(() => new Pipeline(0, LIMIT), /no connection of this thread/);
  t.end();
});

async function connect(t: Tap, limit = LIMIT, conninfo = CONNINFO): Promise<Pipelined> {
  const connection = await Pipelined.connect(conninfo, limit);
  t.teardown(() => connection.pq.finish());
  return connection;
}

type Tap = Pick<typeof t, 'teardown'>;

const text = (name: string) => ({ name, type: 25 });
const raise = `DO $$ BEGIN RAISE 'no' USING errcode = 'PT404', detail = 'why', hint = 'how'; END $$`;

/** A failure with a SQLSTATE and other fields. */
const failure = (sqlState: string, more: Record<string, unknown> = {}, before?: number) => ({
  failure: { severity: 'ERROR', sqlState, message: String, sourceFile: String, ...more },
  before,
});

type Case = [what: string, sql: string, values: (string | null)[], one: boolean, outcome: unknown];

const CASES: Case[] = [
  ['a value', 'SELECT $1::text', ['é€😀'], true, 'é€😀'],
  ['an empty value', `SELECT ''`, [], true, ''],
  ['NULL', 'SELECT NULL', [], true, null],
  ['a bound NULL', 'SELECT $1::text', [null], true, null],
  ['no column', 'SELECT', [], true, null],
  ['almost large', `SELECT repeat('x', ${LARGE - 1})`, [], true, 'x'.repeat(LARGE - 1)],
  ['the largest', `SELECT repeat('x', ${LIMIT})`, [], true, { length: LIMIT }],
  ['too large', `SELECT repeat('x', ${LIMIT + 1})`, [], true, { tag: 'SELECT 1', tooLarge: true }],
  ['no row', 'SELECT 1 WHERE false', [], true, { tag: 'SELECT 0', tooLarge: true }],
  ['two rows', 'VALUES (1), (2)', [], true, { tag: 'SELECT 2', tooLarge: true }],
  ['a command instead of a single value', 'SET a.b = 1', [], true, { tag: 'SET' }],
  ['a command', 'SET a.b = 1', [], false, 'SET'],
  ['rows changed', 'DELETE FROM items WHERE id < 0', [], false, 'DELETE 0'],
  [
    'rows',
    `SELECT 'é' AS "ü", $1::text AS b UNION ALL VALUES (NULL, '😀')`,
    [''],
    false,
    {
      tag: 'SELECT 2',
      columns: [text('ü'), text('b')],
      rows: [
        ['é', ''],
        [null, '😀'],
      ],
    },
  ],
  [
    'rows returned',
    'INSERT INTO items VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 1 RETURNING id',
    [],
    false,
    { tag: 'INSERT 0 1', columns: [{ name: 'id', type: 23 }], rows: [['1']], bytes: 1 },
  ],
  ['no rows', `SELECT 'a' b WHERE false`, [], false, { tag: 'SELECT 0', columns: [text('b')], rows: [] }],
  ['rows without columns', 'SELECT', [], false, { tag: 'SELECT 1', columns: undefined }],
  [
    'rows up to the limit',
    `SELECT repeat('x', 1000) a FROM generate_series(1, ${LIMIT / 1000})`,
    [],
    false,
    { tag: 'SELECT 100', rows: Array.from({ length: 100 }, () => ['x'.repeat(1000)]), bytes: 100_000 },
  ],
  [
    'too many rows',
    `SELECT repeat('x', 1001) FROM generate_series(1, ${LIMIT / 1000})`,
    [],
    false,
    { tag: 'SELECT 100', tooLarge: true, rows: undefined },
  ],
  ['an empty statement', '', [], false, { tag: '' }],
  ['only a comment, as a single value', '-- nothing', [], true, { tag: '' }],
  ['a syntax error', 'SELEC 1', [], true, failure('42601', { statementPosition: '1' }, 1)],
  ['two statements', 'SELECT 1; SELECT 2', [], true, failure('42601', {}, 1)],
  ['no such table', 'SELECT * FROM é', [], false, failure('42P01', { statementPosition: '15' }, 1)],
  ['an invalid value', 'SELECT $1::int', ['x'], true, failure('22P02', { context: true, parameter: 1 })],
  ['the twelfth of them', `SELECT ${Array.from({ length: 12 }, (_, i) => `$${i + 1}::int`).join()}`, '1,2,3,4,5,6,7,8,9,0,1,$3'.split(','), false, failure('22P02', { parameter: 12 })],
  ['invalid JSON that looks like a context', 'SELECT $1::text, $2::json', ['', '[ parameter $1'], false, failure('22P02', { parameter: 2 })],
  ['an error in a function', `DO $$BEGIN EXECUTE 'SELECT 1/0 -- parameter $1'; END$$`, [], false, failure('22012', { context: true, parameter: undefined })],
  ['a value that the statement cannot read', 'SELECT $1::text::int', ['$1'], true, failure('22P02', { parameter: undefined })],
  ['a value too few', 'SELECT $1::int + $2::int', ['1'], true, failure('08P01')],
  ['an error during execution', 'SELECT 1 / (2 - i) FROM generate_series(1, 2) i', [], false, failure('22012')],
  ['an error at the sync', 'INSERT INTO items VALUES (2, 2), (3, 2)', [], false, failure('23505')],
  ['raised', raise, [], false, failure('PT404', { message: 'no', detail: 'why', hint: 'how' })],
  [
    'a constraint',
    'INSERT INTO items VALUES (100)',
    [],
    false,
    failure('23514', { schema: 'public', table: 'items', constraint: 'small', detail: String }),
  ],
  [
    'a column',
    'INSERT INTO items VALUES (4, 4, NULL)',
    [],
    false,
    failure('23502', { schema: 'public', table: 'items', column: 'name' }),
  ],
]; // prettier-ignore

/** A large value is shown by its length. */
const shown = (outcome: PipelineResult): unknown =>
  isLarge(outcome) ? { length: outcome.length } : outcome;

function isLarge(outcome: PipelineResult): outcome is LargeValue {
  return typeof outcome === 'object' && outcome !== null && 'length' in outcome;
}

t.test('every outcome, with neighbours in one pipeline', async (t) => {
  const connection = await connect(t);
  for (const [, sql, values, one] of CASES) {
    connection.pipeline.send('', sql, values, one ? VALUE : ROWS);
    connection.pipeline.send('', 'SELECT $1::text', ['neighbour'], VALUE);
  }
  const outcomes = (await connection.outcomes(2 * CASES.length)).map(shown);
  t.equal(outcomes.length, 2 * CASES.length);
  CASES.forEach(([what, , , , wanted], i) => {
    const unprepared = isFailure(wanted) ? { ...wanted, before: undefined } : wanted;
    t.match({ outcome: outcomes[2 * i] }, { outcome: unprepared }, what);
    t.equal(outcomes[2 * i + 1], 'neighbour', `after ${what}`);
  });
});

function isFailure(wanted: unknown): wanted is Detail {
  return typeof wanted === 'object' && wanted !== null && 'failure' in wanted;
}

t.test('the same when prepared', async (t) => {
  const connection = await connect(t);
  for (const [i, [what, sql, values, one, wanted]] of CASES.entries()) {
    const outcome = shown(await connection.run(sql, values, `s${i}`, one));
    t.match({ outcome }, { outcome: wanted }, what);
    const again = isFailure(wanted) && wanted.before === 1;
    connection.pipeline.send(`s${i}`, '', values, one ? VALUE : ROWS);
    const [second] = (await connection.outcomes(1)).map(shown);
    t.match({ second }, { second: again ? failure('26000') : wanted }, `${what}, again`);
  }
});

t.test('large values', async (t) => {
  const connection = await connect(t);
  for (const [sql, bytes, expected] of [
    [`SELECT repeat('x', ${LARGE})`, LARGE, 'x'.repeat(LARGE)],
    [`SELECT repeat('é', 20000)`, 40_000, 'é'.repeat(20_000)],
    [`SELECT repeat('😀', 20000)`, 80_000, '😀'.repeat(20_000)],
  ] as const) {
    const value = (await connection.run(sql, [], '', true)) as LargeValue;
    t.equal(value.length, bytes);
    t.equal(value.text(), expected);
    t.equal(value.text(), expected, 'repeatedly');
    const Made = value.constructor as new () => LargeValue;
    t.throws(() => new Made(), TypeError);
    t.throws(() => Reflect.get(Made.prototype as object, 'length') as unknown);
  }
});

t.test('a transaction left open', async (t) => {
  const connection = await connect(t);
  for (const sql of ['BEGIN', 'START TRANSACTION'])
    t.strictSame(await connection.run(sql), { transaction: true, tag: sql });
  t.match(await connection.run('SELEC'), { transaction: true, failure: { sqlState: '42601' } });
  t.match(await connection.run('ROLLBACK'), 'ROLLBACK');
  connection.pipeline.send('', 'BEGIN', [], ROWS);
  connection.pipeline.send('', 'ROLLBACK', [], ROWS);
  t.strictSame(await connection.outcomes(2), ['BEGIN', 'ROLLBACK'], 'only at the end');
});

t.test('statements that end a connection', async (t) => {
  const fatal = { severity: 'FATAL', sqlState: '57P01', message: String };
  const cases: [sql: string, lost: Record<string, unknown>][] = [
    ['SELECT pg_terminate_backend(pg_backend_pid())', { failure: fatal, copy: undefined }],
    ['COPY items TO STDOUT', { copy: true }],
    ['COPY items FROM STDIN', { copy: true }],
  ];
  for (const [sql, lost] of cases) {
    const connection = await connect(t);
    for (const each of [`SELECT 'before'`, sql, `SELECT 'behind'`])
      connection.pipeline.send('', each, [], VALUE);
    const outcomes = await connection.outcomes(3);
    t.match(outcomes, ['before', { lost: true, ...lost }], sql);
    t.equal(outcomes.length, 2);
  }
});

t.test('results received before the end of a connection are reported first', async (t) => {
  const held: Buffer[] = [];
  const relay = createServer((socket) => {
    const upstream = createConnection(server.port, '127.0.0.1');
    let hold = false;
    relay.once('hold', () => (hold = true));
    relay.once('release', () => socket.end(Buffer.concat(held)));
    upstream.on('data', (data) => (hold ? held.push(data) : socket.write(data)));
    socket.on('data', (data) => upstream.write(data)).on('close', () => upstream.destroy());
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  t.teardown(() => relay.close());
  const { port } = relay.address() as AddressInfo;
  const connection = await connect(t, LIMIT, `host=127.0.0.1 port=${port} ${ACCOUNT}`);
  for (let i = 0; i < 3; i++) connection.pipeline.send('', `SELECT repeat('x', 50000)`, [], VALUE);
  relay.emit('hold');
  connection.pipeline.flush();
  await until(() => held.reduce((sum, { length }) => sum + length, 0) >= 150_000);
  connection.pipeline.send('', 'SELECT 1', [], VALUE);
  relay.emit('release');
  await sleep(100); // so that one read gets the results and the end
  const outcomes = await connection.outcomes(4);
  const large = { length: 50_000 };
  t.match(outcomes.map(shown), [large, large, large, { lost: true }]);
  t.equal(outcomes.length, 4);
  t.match(connection.pipeline.receive(), [{ lost: true }], 'repeatedly');
});

t.test('a closed connection, and a closed pipeline', async (t) => {
  const ended = await connect(t);
  const { pipeline } = ended;
  ended.pq.finish();
  const closed = await connect(t);
  const before = closed.pipeline;
  before.close();
  for (const each of [pipeline, before]) {
    t.throws(() => each.prepare('s', 'SELECT 1'), /closed/);
    t.throws(() => each.send('', 'SELECT 1', [], VALUE), /closed/);
    t.throws(() => each.flush(), /closed/);
    t.throws(() => each.receive(), /closed/);
    each.close();
  }
  closed.renew();
  before.close();
  t.equal(closed.pipeline.flush(), 0, 'a connection may have another pipeline later');
});

t.test('a garbage-collected pipeline releases its connection', async (t) => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const { pq, pipeline } = await connect(t);
  const fd = pq.socket();
  t.throws(() => new Pipeline(fd, LIMIT), /to itself/);
  pipeline.close();
  const forget = () => void new Pipeline(fd, LIMIT).flush();
  forget();
  for (let i = 0; i < 10; i++) {
    gc();
    await sleep(1);
  }
  t.doesNotThrow(() => new Pipeline(fd, LIMIT));
});

t.test('wrong arguments are rejected', async (t) => {
  const connection = await connect(t);
  const fd = connection.pq.socket();
  const Any = Pipeline as unknown as new (...values: unknown[]) => Pipeline;
  for (const values of [[], [fd], ['1', 1], [fd, '1'], [fd, -1], [fd, NaN], [fd, 2 ** 31]])
    t.throws(() => new Any(...values), TypeError, JSON.stringify(values));
  for (const wrong of [-1, 0, 1_000_000, NaN]) t.throws(() => new Any(wrong, 1), /descriptor/);
  const { pipeline } = connection;
  const prepare = pipeline.prepare.bind(pipeline) as (...values: unknown[]) => boolean;
  for (const values of [[], ['s'], [1, 'SELECT 1'], ['s', null], [{}, {}]])
    t.throws(() => prepare(...values), TypeError);
  const send = pipeline.send.bind(pipeline) as (...values: unknown[]) => boolean;
  for (const values of [
    [],
    ['', 'SELECT 1'],
    ['', 'SELECT 1', 'x'],
    ['', 'SELECT 1', { length: 1 }],
  ])
    t.throws(() => send(...values, true), TypeError);
  for (const value of [1, undefined, {}, ['a'], Symbol('a')])
    t.throws(() => send('', 'SELECT $1::text', ['a', value], true), TypeError);
  for (const [name, sql] of [
    [1, 'SELECT 1'],
    ['', 1],
    ['', undefined],
  ])
    t.throws(() => send(name, sql, [], true), TypeError);
  t.throws(() => pipeline.flush.call({} as Pipeline), TypeError);
  t.strictSame(await connection.run('SELECT 1', [], '', true), '1', 'nothing of it was sent');
});
