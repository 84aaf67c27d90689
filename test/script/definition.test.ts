/** Statements on which those behind them depend, so that these cannot be parsed before it has run. */
import t from 'tap';
import { isDefinition } from '#app/script/definition.js';

const CASES: readonly (readonly [sql: string, wanted: boolean])[] = [
  ['CREATE TABLE a (b int)', true],
  ['SELECT 1 AS b INTO a', true],
  ['WITH c AS (SELECT 1 AS b) SELECT b INTO a FROM c', true],
  ["SELECT set_config('search_path', $1, true)", true],
  ["SELECT pg_catalog.set_config ( 'role', 'reader', true)", true],
  ['SELECT set_config($1, $2, true)', true],
  ["SELECT set_config('app.user', $1, true)", false],
  ['WITH c AS (INSERT INTO a VALUES (1) RETURNING b) SELECT b FROM c', false],
  ['WITH c AS (MERGE INTO a USING d ON true WHEN MATCHED THEN DELETE) SELECT 1', false],
  ["SELECT 'put into' -- into", false],
  ['INSERT INTO a SELECT 1', false],
];

for (const [sql, wanted] of CASES)
  t.test(sql, (t) => {
    t.equal(isDefinition(sql), wanted);
    t.end();
  });
