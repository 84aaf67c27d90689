/** Rows in the JSON of a single value: as many as PostgreSQL put into it, whatever they hold. */
import t from 'tap';
import { BODY, ROWS, VALUE } from '#app/native/pipeline.js';
import { Pipelined } from '../support/pipelined.js';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const { url } = await startPostgres(t);

interface Case {
  readonly sql: string;
  readonly form?: number;
  readonly rows: number;
}

const list = (select: string, aggregate = 'json_agg'): string =>
  `SELECT ${aggregate}(s.*)::text FROM (${select}) s`;

/** Values that look like the text between two rows, or have arrays and objects of their own. */
const VALUES = [
  `1`,
  `NULL::int`,
  String.raw`E'}, \n {'::text`,
  `'}, {'::text`,
  String.raw`E'[{}, \n {}]\\"'::text`,
  `ARRAY['a', '}, {']`,
  `ARRAY[[1, 2], [3, 4]]`,
  `'{"a": {"b": 1}, \n "c": {}}'::json`,
  String.raw`E'[{"a": 1}, \n {"a": 2}]'::json`,
  String.raw`E'{"a":\t{}\n}'::json`,
  `'[{"a": 1}, {"a": 2}]'::jsonb`,
  `(SELECT json_agg(x) FROM (SELECT 1 UNION SELECT 2) x)`,
  `(SELECT ARRAY[a, a] FROM (SELECT 1 AS b, '{}'::text) a)`,
];

const CASES: Case[] = [
  { sql: `SELECT 'a'`, form: ROWS, rows: 0 },
  { sql: `SELECT 1 / 0`, rows: 0 },
  { sql: `SELECT NULL::text`, rows: 0 },
  { sql: `SELECT ''`, rows: 0 },
  { sql: `SELECT 'a' WHERE false`, rows: 0 },
  { sql: `SELECT 12`, rows: 1 },
  { sql: `SELECT row_to_json(s) FROM (SELECT 1 AS a, ARRAY[1, 2] AS b) s`, rows: 1 },
  { sql: list('SELECT 1 WHERE false'), rows: 0 },
  { sql: list('SELECT'), rows: 1 },
  { sql: list('SELECT FROM generate_series(1, 3)'), rows: 3 },
  { sql: list('SELECT 1 FROM generate_series(1, 50000)'), rows: 50_000 },
  { sql: list('SELECT ARRAY[n] AS a FROM generate_series(1, 50000) n'), rows: 50_000 },
];
for (const aggregate of ['json_agg', 'jsonb_agg'])
  for (const value of VALUES)
    for (const rows of [1, 2, 7])
      CASES.push({
        sql: list(`SELECT n, ${value} AS v FROM generate_series(1, ${rows}) n`, aggregate),
        rows,
      });

for (const [name, all] of [
  ['VALUE', VALUE],
  ['BODY', BODY],
] as const)
  t.test(name, async (t) => {
    const connection = await Pipelined.connect(url, 1 << 24);
    t.teardown(() => connection.pq.finish());
    for (const { sql, form = all, rows } of CASES) {
      connection.pipeline.send('', sql, [], form);
      connection.pipeline.flush();
      const found = [-1];
      await until(() => connection.pipeline.receive(found).length > 0, 1);
      t.strictSame(found, [rows], sql);
    }
  });

t.test('several outcomes of one call', async (t) => {
  const { pq, pipeline } = await Pipelined.connect(url);
  t.teardown(() => pq.finish());
  const numbers = Array.from({ length: 20 }, (_, i) => i);
  for (const n of numbers)
    pipeline.send('', list(`SELECT 1 FROM generate_series(1, ${n})`), [], VALUE);
  pipeline.flush();
  const all: number[] = [];
  await until(() => {
    const rows: number[] = [];
    const { length } = pipeline.receive(rows);
    t.equal(rows.length, length);
    all.push(...rows);
    return all.length === numbers.length;
  }, 1);
  t.strictSame(all, numbers);
});

t.test('a connection that is lost behind a result', async (t) => {
  const { pq, pipeline } = await Pipelined.connect(url);
  t.teardown(() => pq.finish());
  pipeline.send('', list('SELECT 1 FROM generate_series(1, 3)'), [], VALUE);
  pipeline.send('', 'SELECT pg_terminate_backend(pg_backend_pid())', [], VALUE);
  pipeline.flush();
  const all: number[] = [];
  await until(() => {
    const rows: number[] = [];
    const outcomes = pipeline.receive(rows);
    t.equal(rows.length, outcomes.length);
    all.push(...rows);
    return outcomes.some((one) => typeof one === 'object' && one !== null && 'lost' in one);
  }, 1);
  t.strictSame(all, [3, 0]);
});
