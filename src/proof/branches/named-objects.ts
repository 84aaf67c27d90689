/**
 * The relations and functions of a database by their names, each with a digest of what a statement can depend on: columns,
 * constraints, rules; arguments and results. Bodies of functions do not count, nor do temporary objects.
 */
import { rowsOf, type Queryable } from '../../postgres/statement/queryable.js';
import { FIRST_OWN, IS_TEMPORARY } from './catalog-version.js';

/** What has a name: the digest of each object by its kind and qualified name (`table public.item`). */
export type NamedObjects = ReadonlyMap<string, ReadonlyMap<string, string>>;

const KINDS = [
  ['r', 'table'],
  ['p', 'table'],
  ['v', 'view'],
  ['m', 'materialized view'],
  ['f', 'foreign table'],
  ['S', 'sequence'],
  ['c', 'type'],
] as const;

const KIND = `CASE c.relkind ${KINDS.map(([kind, name]) => `WHEN '${kind}' THEN '${name}'`).join(' ')} END`;

/** The digest of texts in any order. */
function digestOf(text: string): string {
  return `pg_catalog.concat(pg_catalog.count(*), '/', pg_catalog.sum(pg_catalog.hashtextextended(${text}, 0)::pg_catalog.numeric))`;
}

function textOf(...parts: readonly string[]): string {
  return `pg_catalog.concat_ws(' ', ${parts.join(', ')})`;
}

const RELATION = textOf("'relation'", 'c.relkind', 'c.reloptions');
const COLUMN = textOf(
  "'column'",
  ...['attnum', 'attname', 'atttypid', 'atttypmod', 'attcollation'].map((name) => `a.${name}`),
  ...['attnotnull', 'attidentity', 'attgenerated'].map((name) => `a.${name}`),
);
const CONSTRAINT = textOf(
  "'constraint'",
  ...['conname', 'contype', 'conkey', 'condeferrable', 'convalidated'].map((name) => `k.${name}`),
);
const RULE = textOf(
  "'rule'",
  ...['rulename', 'ev_type', 'is_instead', 'ev_enabled'].map((name) => `w.${name}`),
  'w.ev_qual::pg_catalog.text',
  'w.ev_action::pg_catalog.text',
);
const FUNCTION = textOf(
  ...['proargtypes', 'proallargtypes', 'proargmodes', 'proargnames', 'prorettype', 'proretset'].map(
    (name) => `p.${name}`,
  ),
  ...['provolatile', 'prokind', 'pronargdefaults', 'provariadic'].map((name) => `p.${name}`),
);

const STATEMENT = `WITH schema AS MATERIALIZED (
  SELECT oid, nspname FROM pg_catalog.pg_namespace WHERE nspname <> 'pg_toast' AND NOT ${IS_TEMPORARY}),
relation AS MATERIALIZED (
  SELECT c.oid, c.relname, c.relkind, c.reloptions, n.nspname FROM pg_catalog.pg_class c
  JOIN schema n ON n.oid = c.relnamespace
  WHERE c.oid >= ${FIRST_OWN} AND c.relkind IN (${KINDS.map(([kind]) => `'${kind}'`).join(', ')})),
part(oid, text) AS (
  SELECT c.oid, ${RELATION} FROM relation c
  UNION ALL SELECT c.oid, ${COLUMN} FROM relation c
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid WHERE a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT c.oid, ${CONSTRAINT} FROM relation c JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid
  UNION ALL SELECT c.oid, ${RULE} FROM relation c JOIN pg_catalog.pg_rewrite w ON w.ev_class = c.oid)
SELECT c.relname, ${KIND} || ' ' || pg_catalog.format('%I.%I', c.nspname, c.relname), ${digestOf('part.text')}
FROM relation c JOIN part ON part.oid = c.oid GROUP BY c.oid, c.nspname, c.relname, c.relkind
UNION ALL
SELECT p.proname, 'function ' || pg_catalog.format('%I.%I', n.nspname, p.proname), ${digestOf(FUNCTION)}
FROM pg_catalog.pg_proc p JOIN schema n ON n.oid = p.pronamespace
WHERE p.oid >= ${FIRST_OWN} GROUP BY n.nspname, p.proname`;

/** namedObjects rejects with StatementFailure. */
export async function namedObjects(database: Queryable): Promise<NamedObjects> {
  const objects = new Map<string, Map<string, string>>();
  for (const [name, label, digest] of await rowsOf(database, STATEMENT)) {
    const known = objects.get(name!);
    if (known === undefined) objects.set(name!, new Map([[label!, digest!]]));
    else known.set(label!, digest!);
  }
  return objects;
}
