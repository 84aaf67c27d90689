/**
 * Trees of PostgreSQL 14, which names no joins that null a column, and has other names for nodes. The vectors are what
 * CATALOG_FACTS returned there for each statement, with `!` for each column that is NOT NULL and `?` for one that can be NULL.
 */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { analysisOf } from '#app/analysis/analysis.js';

interface Vector {
  readonly sql: string;
  readonly columns: string;
  readonly facts: object;
}

t.test('agrees with every vector', (t) => {
  const file = new URL('../../../test/vectors/older-trees.jsonl', import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  for (const line of lines) {
    const { sql, columns, facts } = JSON.parse(line) as Vector;
    const analysis = analysisOf(JSON.stringify(facts));
    const found = analysis?.columns.map(({ nullable }) => (nullable ? '?' : '!')).join('');
    t.equal(found, columns, sql);
    t.ok(analysis!.relations.length > 0);
  }
  t.end();
});
