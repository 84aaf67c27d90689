/** PostgreSQL expects statements about the catalogs to cost little: above `jit_above_cost` it would compile them. */
import t from 'tap';
import { CATALOG_FACTS } from '#app/proof/analysis/catalog-facts.js';
import { DIGEST, LIST, READ } from '#app/mcp/tables/catalog-statements.js';
import { SECRET } from '#app/postgres/statement/secret-tables.js';
import { startPostgres } from '../support/postgres.js';

const postgres = await startPostgres(t, {
  setup: `DO $$ BEGIN FOR i IN 1..100 LOOP
    EXECUTE format('CREATE TABLE t%s (id int PRIMARY KEY, a text, b text)', i);
    EXECUTE format('CREATE VIEW v%s AS SELECT id, a || b AS c FROM t%1$s', i); END LOOP; END $$; ANALYZE`,
});
const ARRAY = "'{}'";

for (const [name, sql, values] of [
  ['CATALOG_FACTS', CATALOG_FACTS, [ARRAY, ARRAY, ARRAY, ARRAY]],
  ['SECRET', SECRET.sql, [ARRAY, ARRAY]],
  ['DIGEST', DIGEST.sql, ["''"]],
  ['LIST', LIST.sql, ['0', '500']],
  ['READ', READ.sql, [ARRAY]],
] as const)
  t.test(name, async (t) => {
    const plan = await postgres.sql<{ 'QUERY PLAN': string }>(
      `SET search_path = pg_catalog; SET plan_cache_mode = force_generic_plan; SET service.search_path = 'public';
      PREPARE asked AS ${sql}; EXPLAIN EXECUTE asked(${values.join(', ')})`,
    );
    const cost = Number(/\.\.([\d.]+)/.exec(plan[0]!['QUERY PLAN'])![1]);
    t.ok(cost < 10_000, String(cost));
  });
