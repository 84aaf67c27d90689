/**
 * Trees of PostgreSQL 14, which names no joins that null a column, and has other names for nodes. The vectors are the
 * tree and the facts of each statement there, with `!` for each column that is NOT NULL and `?` for one that can be NULL.
 */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { analysisOf } from '#app/proof/analysis/analysis.js';
import { readFacts } from '#app/proof/analysis/catalog-facts.js';

interface Vector {
  readonly sql: string;
  readonly columns: string;
  readonly facts: { readonly tree: string };
}

t.test('agrees with every vector', (t) => {
  const file = new URL('../../../../test/vectors/older-trees.jsonl', import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  for (const line of lines) {
    const { sql, columns, facts } = JSON.parse(line) as Vector;
    const analysis = analysisOf({
      ...readFacts(JSON.stringify(facts)),
      tree: facts.tree,
      objects: [],
    });
    const found = analysis?.columns.map(({ nullable }) => (nullable ? '?' : '!')).join('');
    t.equal(found, columns, sql);
    t.ok(analysis!.relations.length > 0);
  }
  t.end();
});
