/** Statements that precede another in its segment: their effect, and that it is never sent without them. */
import t from 'tap';
import { ROWS, VALUE, type Pipeline } from '#app/native/pipeline.js';
import { Pipelined } from '../support/pipelined.js';
import { startPostgres } from '../support/postgres.js';

const server = await startPostgres(t);
const CONNINFO = `host=127.0.0.1 port=${server.port} user=postgres password=${server.password} dbname=postgres`;

async function connect(t: { teardown(fn: () => void): void }): Promise<Pipelined> {
  const connection = await Pipelined.connect(CONNINFO, 100_000);
  t.teardown(() => connection.pq.finish());
  return connection;
}

const SET = `SELECT set_config('a.b', $1, true)`;
const GET = `SELECT current_setting('a.b', true)`;
const failure = (sqlState: string, before?: number) => ({ failure: { sqlState }, before });

t.test('a preceding statement affects its own statement only', async (t) => {
  const connection = await connect(t);
  const { pipeline } = connection;
  pipeline.prepare('set', SET);
  pipeline.precede('set', '', ['1']);
  pipeline.send('', GET, [], VALUE);
  pipeline.send('', GET, [], VALUE);
  pipeline.precede('set', '', ['2']);
  pipeline.prepare('get', GET);
  pipeline.send('get', '', [], VALUE);
  pipeline.precede('', SET, ['3']);
  pipeline.send('get', '', [], ROWS);
  pipeline.precede('', SET, ['4']);
  pipeline.precede('set', '', ['5']);
  pipeline.send('get', '', [], VALUE);
  pipeline.send('get', '', [], VALUE);
  t.match(await connection.outcomes(6), ['1', '', '2', { rows: [['3']] }, '5', '']);
});

t.test('its result is dropped, whatever it is', async (t) => {
  const connection = await connect(t);
  const { pipeline } = connection;
  const before = ['SELECT 1 WHERE false', 'VALUES (1), (2)', `SELECT repeat('x', 200000)`, ''];
  for (const sql of [...before, '-- nothing', 'SELECT', 'SET a.c = 1']) {
    pipeline.precede('', sql, []);
    pipeline.send('', `SELECT 'mine'`, [], VALUE);
    pipeline.precede('', sql, []);
    pipeline.send('', 'DELETE FROM pg_class WHERE false', [], ROWS);
    t.strictSame(await connection.outcomes(2), ['mine', 'DELETE 0'], sql);
  }
});

t.test('its command tag is reported where that is wanted', async (t) => {
  const connection = await connect(t);
  const { pipeline } = connection;
  pipeline.precede('', 'SET a.d = 1', []);
  pipeline.prepare('tags', 'SELECT 1');
  pipeline.precede('tags', '', [], true);
  pipeline.precede('', 'SET a.e = 1', [], true);
  pipeline.precede('', 'DELETE FROM pg_class WHERE false', [], true);
  pipeline.prepare('last', 'DELETE FROM pg_class WHERE false');
  pipeline.precede('', 'LISTEN x', [], false);
  pipeline.send('last', '', [], ROWS);
  pipeline.precede('', 'SET a.d = 1', [], true);
  pipeline.send('', `SELECT 'value'`, [], VALUE);
  pipeline.precede('', 'SELECT 1', [], true);
  pipeline.send('', 'UNLISTEN x', [], ROWS);
  pipeline.precede('', 'SET a.d = 1', [], true);
  pipeline.send('', 'SELECT 1 / 0', [], ROWS);
  pipeline.send('', 'SELECT 2', [], ROWS);
  const [reported, value, none, failed, next] = await connection.outcomes(5);
  t.strictSame(reported, { tags: ['SET', 'LISTEN'], tag: 'DELETE 0' });
  t.equal(value, 'value');
  t.equal(none, 'UNLISTEN');
  t.match(failed, { failure: { sqlState: '22012' }, tags: undefined });
  t.match(next, { tag: 'SELECT 1', tags: undefined });
});

t.test('the position of a failure in a segment', async (t) => {
  const connection = await connect(t);
  const { pipeline } = connection;
  const good = 'SELECT 1';
  const bad = 'SELEC 1';
  const fails = 'SELECT 1 / $1::int';
  let n = 0;
  const cases: [what: string, texts: [string, string], value: string, outcome: unknown][] = [
    ['no failure', [good, good], '0', '1'],
    ['the Parse of the preceding statement', [bad, good], '0', failure('42601', 3)],
    ['the preceding statement', [fails, good], '0', failure('22012', 2)],
    ["the statement's Parse", [good, bad], '0', failure('42601', 1)],
    ['the statement', [good, fails], '0', failure('22012', undefined)],
  ];
  for (const [what, [first, second], value, outcome] of cases) {
    const values = (sql: string) => (sql === fails ? [value] : []);
    pipeline.send('', `SELECT 'before'`, [], VALUE);
    pipeline.prepare(`f${++n}`, first);
    pipeline.precede(`f${n}`, '', values(first));
    pipeline.prepare(`s${n}`, second);
    pipeline.send(`s${n}`, '', values(second), VALUE);
    pipeline.send('', `SELECT 'behind'`, [], VALUE);
    t.match(await connection.outcomes(3), ['before', outcome, 'behind'], what);
  }
});

t.test('a lost connection does not end the segment', async (t) => {
  const connection = await connect(t);
  const { pipeline } = connection;
  pipeline.precede('', 'SELECT pg_terminate_backend(pg_backend_pid())', []);
  pipeline.send('', `SELECT 'behind'`, [], VALUE);
  t.match(await connection.outcomes(1), [{ lost: true, failure: { sqlState: '57P01' } }]);
});

t.test('a statement is not sent when one that precedes it cannot be sent', async (t) => {
  const wrong = (pipeline: Pipeline) => {
    const precede = pipeline.precede.bind(pipeline) as (...values: unknown[]) => boolean;
    for (const values of [[], ['', 'SELECT 1'], ['', 1, []], [1, '', []], ['', SET, [1]]])
      t.throws(() => precede(...values), TypeError, JSON.stringify(values));
  };
  const alone = await connect(t);
  wrong(alone.pipeline);
  alone.pipeline.send('', GET, [], VALUE);
  t.strictSame(await alone.outcomes(1), [null], 'nothing of it was sent');
  const behind = await connect(t);
  behind.pipeline.send('', `SELECT 'before'`, [], VALUE);
  behind.pipeline.prepare('set', SET);
  wrong(behind.pipeline);
  t.equal(behind.pipeline.precede('set', '', ['1']), false);
  t.equal(behind.pipeline.prepare('get', GET), false);
  t.equal(behind.pipeline.send('', GET, [], VALUE), false);
  t.strictSame(await behind.outcomes(1), ['before'], 'the segment before it has its result');
  behind.pipeline.close();
  t.throws(() => behind.pipeline.precede('', SET, ['1']), /closed/);
});
