/** Every function and operator that is said never to return NULL for values, called with values that make others do so. */
import t, { type Test } from 'tap';
import type { FunctionFacts } from '#app/proof/analysis/catalog-facts.js';
import { isTotal, neverNull } from '#app/proof/analysis/known-functions.js';
import { startPostgres } from '../../support/postgres.js';

/** Values of each type: the smallest, empty ones, infinite ones, those with NULL inside. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  boolean: ['true', 'false'],
  smallint: ['0', '1', '-1'],
  integer: ['0', '1', '-1', '2147483647'],
  bigint: ['0', '1', '-1', '9223372036854775807'],
  numeric: ['0', '1.5', 'NaN', 'Infinity', '-1'],
  real: ['0', '1', 'NaN', 'Infinity'],
  'double precision': ['0', '1', 'NaN', 'Infinity', '-Infinity'],
  text: ['', 'a', ' ', 'hour', 'a,b', '\\x', '%', 'null', '[]', 'UTC', 'hex', 'g'],
  'character varying': ['', 'a'],
  character: ['', 'a'],
  name: ['', 'a'],
  bytea: ['', '\\x00'],
  bit: ['0', '1'],
  date: ['infinity', '-infinity', '2000-01-01'],
  'timestamp without time zone': ['infinity', '-infinity', '2000-01-01'],
  'timestamp with time zone': ['infinity', '-infinity', '2000-01-01'],
  'time without time zone': ['00:00', '24:00'],
  'time with time zone': ['00:00', '24:00+1'],
  interval: ['0', '1 day', '-1 month'],
  json: ['null', '{}', '[]', '[null]', '{"a":null}'],
  jsonb: ['null', '{}', '[]', '[null]', '{"a":null}', '1'],
  anyarray: ['{}', '{NULL}', '{a,NULL}'],
  'text[]': ['{}', '{NULL}', '{a}'],
  anycompatiblearray: ['{}', '{NULL}', '{a}'],
  anycompatible: ['', 'a'],
  anyelement: ['', 'a'],
  inet: ['127.0.0.1', '::/0'],
  money: ['0', '1'],
  point: ['0,0', 'infinity,0'],
  box: ['0,0,0,0', '0,0,1,1'],
  lseg: ['0,0,0,0', '0,0,1,1'],
  path: ['((0,0),(1,1))', '[(0,0),(1,1)]', '[(0,0)]'],
  polygon: ['((0,0))', '((0,0),(1,1),(1,0))'],
  circle: ['<(0,0),0>', '<(0,0),1>'],
  anyrange: ['empty', '(,)', '[1,)'],
  anymultirange: ['{}', '{(,)}'],
  tsvector: ['', 'a'],
  tsquery: ['', 'a'],
  uuid: ['00000000-0000-0000-0000-000000000000'],
};

/** What stands for a polymorphic type. */
const ACTUAL: Readonly<Record<string, string>> = {
  anyarray: 'text[]',
  anycompatiblearray: 'text[]',
  anycompatible: 'text',
  anyelement: 'text',
  anyrange: 'int4range',
  anymultirange: 'int4multirange',
};

const server = await startPostgres(t, {
  setup: `CREATE FUNCTION is_null(expression text) RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE result boolean; BEGIN
      EXECUTE 'SELECT (' || expression || ') IS NOT DISTINCT FROM NULL' INTO result; RETURN result;
    EXCEPTION WHEN OTHERS THEN RETURN false; END $$`,
});

interface Called extends FunctionFacts {
  readonly types: readonly string[];
  readonly operator: string | null;
}

/** The expressions of calls with every combination of the samples, up to a number. */
function calls({ name, types, operator }: Called): readonly string[] {
  let lists: readonly (readonly string[])[] = [[]];
  for (const type of types) {
    const samples = (SAMPLES[type] ?? []).map((value) => `'${value}'::${ACTUAL[type] ?? type}`);
    lists = lists.flatMap((list) => samples.map((sample) => [...list, sample])).slice(0, 4_000);
  }
  return lists.map((list) =>
    operator === null
      ? `pg_catalog."${name}"(${list.join(', ')})`
      : list.length === 1
        ? `${operator} ${list[0]!}`
        : list.join(` ${operator} `),
  );
}

async function nullCalls(t: Test, all: readonly Called[]): Promise<readonly string[]> {
  const expressions = all.flatMap(calls);
  t.ok(expressions.length > 1_000, `${expressions.length} calls`);
  const rows = await server.sql<{ e: string }>(
    'SELECT e FROM unnest($1::text[]) e WHERE is_null(e)',
    [expressions],
  );
  return rows.map(({ e }) => e);
}

const FACTS = `p.oid::int, p.proname AS name, p.prosrc AS source, n.nspname AS schema, '' AS arguments,
  p.provolatile AS volatility, true AS "builtIn", ARRAY(SELECT format_type(a, NULL) FROM unnest(p.proargtypes) a) AS types`;
const FUNCTIONS = 'pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace';

t.test('functions', async (t) => {
  // Without repeat(), which is given more than PostgreSQL's memory.
  const rows = await server.sql<Called>(
    `SELECT ${FACTS}, NULL AS operator FROM ${FUNCTIONS} WHERE n.nspname = 'pg_catalog' AND p.prokind = 'f' ` +
      "AND NOT p.proretset AND p.oid < 16384 AND p.proname <> 'repeat' ORDER BY p.oid",
  );
  t.strictSame(
    await nullCalls(
      t,
      rows.filter((facts) => neverNull(facts, false) === 'all'),
    ),
    [],
  );
  const others = rows.filter(({ name }) => /^(?:substring|to_char|lower)$/.test(name));
  t.ok((await nullCalls(t, others)).length > 10, 'NULL is noticed');
});

t.test('operators', async (t) => {
  const rows = await server.sql<Called>(
    `SELECT ${FACTS}, o.oprname AS operator FROM pg_operator o JOIN ${FUNCTIONS} ON p.oid = o.oprcode ` +
      'WHERE o.oid < 16384 ORDER BY o.oid',
  );
  t.strictSame(
    await nullCalls(
      t,
      rows.filter((facts) => isTotal(facts.operator ?? '', facts)),
    ),
    [],
  );
});
