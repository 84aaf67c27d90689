/** Columns may have any name: those of the rows, of the alias that a read is wrapped in, and of both. */
import t from 'tap';
import { databaseSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';
import { TestRunner } from '../support/query-runner.js';

const postgres = await startPostgres(t);
const database = databaseSettings('test', postgres);

t.test('columns', async (t) => {
  const scripts = {
    'c/s.read.sql': 'SELECT 1 AS s, 2 AS b',
    'c/only.read.sql': "SELECT 'x' AS s",
    'c/row.read.sql': 'SELECT s, 3 AS a FROM (SELECT 1 AS x) s',
    'c/twice.read.sql': 'SELECT 1 AS s, 2 AS s',
    'c/quoted.read.sql': 'SELECT 1 AS "s.*", 2 AS "S", 3 AS "?column?"',
    'c/none.read.sql': 'SELECT',
    'c/empty.read.sql': 'SELECT 1 AS s WHERE false',
  };
  const expected = {
    s: '[{"s":1,"b":2}]',
    only: '[{"s":"x"}]',
    row: '[{"s":{"x":1},"a":3}]',
    twice: '[{"s":1,"s":2}]',
    quoted: '[{"s.*":1,"S":2,"?column?":3}]',
    none: '[{}]',
    empty: '[]',
  };
  const runner = new TestRunner(t, { database, scripts });
  for (const [script, rows] of Object.entries(expected))
    t.equal(await runner.ask(`c/${script}`), `200 ${rows}`, script);
  const settings = { aggregate: 'jsonb_agg' as const };
  const jsonb = new TestRunner(t, { database, scripts, settings });
  t.equal(await jsonb.ask('c/s'), '200 [{"b": 2, "s": 1}]');
  t.equal(await jsonb.ask('c/only'), '200 [{"s": "x"}]');
});
