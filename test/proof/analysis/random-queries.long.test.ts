/** Random queries: no column that is said to be NOT NULL is NULL in a row. A failing query is made again by its seed. */
import t from 'tap';
import { analyse } from '#app/proof/analysis/analysis.js';
import { TestDatabase } from '../../support/database.js';
import { startPostgres } from '../../support/postgres.js';
import { SCHEMA } from './nullability-cases.js';
import { RandomQueries } from './random-queries.js';

/** More for a longer search: RANDOM_QUERIES=10000. */
const QUERIES = Number(process.env['RANDOM_QUERIES'] ?? 200);
const FIRST = Number(process.env['RANDOM_SEED'] ?? 1);

const server = await startPostgres(t, { setup: SCHEMA });
const { database } = new TestDatabase(t, server, { connections: 1 });

t.test('random queries', async (t) => {
  let filled = 0;
  let empty = 0;
  const wrong: string[] = [];
  for (let seed = FIRST; seed < FIRST + QUERIES; seed++) {
    const sql = new RandomQueries(seed).query(3);
    const { result, failure } = await database.query(`SELECT * FROM (${sql}) q LIMIT 20000`, [], {
      asScript: true,
    });
    // A merged column in a subquery beside GROUP BY is refused, by PostgreSQL's own limits.
    if (failure !== undefined && 'state' in failure && failure.state === '42803') continue;
    if (failure !== undefined) throw new Error(`${failure.message}: ${sql}`);
    const analysis = await analyse(database, { sql, parameters: [] }, 250_000);
    if (analysis === undefined) {
      wrong.push(`not analysed: ${sql}`);
      continue;
    }
    const certain = analysis.columns.flatMap(({ nullable }, i) => (nullable ? [] : [i]));
    filled += certain.length;
    const rows = result.rows ?? [];
    if (rows.length === 0) empty++;
    if (rows.some((row) => certain.some((column) => row[column] === null)))
      wrong.push(`NULL, seed ${seed}: ${sql}`);
  }
  t.strictSame(wrong, []);
  t.ok(filled > QUERIES / 2, `${filled} columns are NOT NULL`);
  t.ok(empty < QUERIES / 2, `${empty} queries without rows`);
});
