/**
 * Which columns of a result can be NULL: as PostgreSQL's tree says, and never NOT NULL for one that is NULL when the
 * statement runs over tables with many NULLs.
 */
import pg from 'pg';
import t from 'tap';
import { analyse } from '#app/proof/analysis/analysis.js';
import { TestDatabase } from '../../support/database.js';
import { startPostgres, versionOf } from '../../support/postgres.js';
import { CASES, SCHEMA } from './nullability-cases.js';

const server = await startPostgres(t, { setup: SCHEMA });
const { database } = new TestDatabase(t, server, { connections: 1 });
const client = new pg.Client({ connectionString: server.url });
await client.connect();
t.teardown(() => client.end());
const version = await versionOf(server);

for (const [topic, cases] of Object.entries(CASES))
  t.test(topic, async (t) => {
    for (const { sql, columns, parameters = [], since = 14, unrun } of cases) {
      if (since > version) continue;
      const analysis = await analyse(database, { sql, parameters }, 250_000);
      const found = analysis?.columns.map(({ nullable }) => (nullable ? '?' : '!')).join('');
      t.equal(found, columns, sql);
      if (unrun === true || found === undefined) continue;
      const nulls = await nullColumns(sql, parameters.length);
      t.strictSame(
        nulls.filter((column) => found[column] === '!'),
        [],
        `NULL in ${sql}`,
      );
    }
  });

/** The columns that are NULL in some row, with NULL for each parameter. */
async function nullColumns(text: string, parameters: number): Promise<number[]> {
  await client.query('BEGIN');
  const values = Array<null>(parameters).fill(null);
  // As PostgreSQL writes them: JSON's null is not NULL.
  const types = { getTypeParser: () => (value: string) => value };
  const query = { text, values, rowMode: 'array' as const, types };
  const { rows, fields } = await client.query<unknown[]>(query);
  await client.query('ROLLBACK');
  return fields.map((_, i) => i).filter((i) => rows.some((cells) => cells[i] === null));
}
