/**
 * Copies the rows of a table into another in one statement, which never changes an existing row. Rows whose key exists with
 * other content, or whose id belongs to another row, are conflicts: nothing is copied, and they are named.
 */
import { rowsOf, type Queryable } from '../../postgres/statement/queryable.js';
import { identifier, literal } from '../../base/quote.js';

/** The SQL of a copy. `source` is a query with the columns of the target. */
export interface CopySql {
  readonly to: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Columns that must be equal in rows with equal keys. */
  readonly compared: readonly string[];
  /** SQL expression for the name of a row of the source `s`. */
  readonly label: string;
  readonly source: string;
  /** A copied id column, which has a sequence in the target. */
  readonly numbered: string | undefined;
}

/** Names of the tables, and how the target is created. */
interface CopyTables {
  readonly from: string;
  readonly to: string;
  readonly exists: boolean;
  readonly create: () => Promise<unknown>;
}

export interface TableCopy {
  readonly from: string;
  readonly to: string;
  /** Names of conflicting rows, at most NAMED. */
  readonly conflicts: readonly string[];
  readonly rows: number;
  /** execute creates the target and copies; it resolves to the number of rows, or conflicts. Rejects with StatementFailure. */
  execute(): Promise<number | readonly string[]>;
}

/** Maximum number of conflicting rows that are named. */
const NAMED = 20;

/** columnsOf resolves to the types of a table's columns by name; empty when there is no table. `table` is quoted. */
export async function columnsOf(
  database: Queryable,
  table: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf(
    database,
    `SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = to_regclass(${literal(table)}) AND attnum > 0 AND NOT attisdropped`,
  );
  return new Map(rows.map(([name = null, type = null]) => [name ?? '', type ?? '']));
}

/** prepareCopy counts rows and conflicts of a copy. Rejects with StatementFailure. */
export async function prepareCopy(
  database: Queryable,
  sql: CopySql,
  { from, to, exists, create }: CopyTables,
): Promise<TableCopy> {
  const before = exists
    ? `WITH ${commonTables(sql)} SELECT (SELECT count(*) FROM missing), ${CONFLICTS}`
    : `SELECT count(*), NULL FROM (${sql.source}) s`;
  const [row] = await rowsOf(database, before);
  return {
    from,
    to,
    rows: Number(row![0]),
    conflicts: parseLabels(row![1]),
    execute: async () => {
      if (!exists) await create();
      const [done] = await rowsOf(database, insertStatement(sql));
      const conflicts = parseLabels(done![1]);
      return conflicts.length > 0 ? conflicts : Number(done![0]);
    },
  };
}

const CONFLICTS = `(SELECT json_agg(label) FROM (SELECT label FROM conflict ORDER BY label LIMIT ${NAMED}) c)`;

function parseLabels(json: string | null | undefined): string[] {
  return json === null || json === undefined ? [] : (JSON.parse(json) as string[]);
}

/** Common table expressions: the source, conflicting rows, and rows that the target does not have. */
function commonTables({ to, key, compared, label, source, numbered }: CopySql): string {
  const same = key.map((name) => `t.${identifier(name)} = s.${identifier(name)}`).join(' AND ');
  // In these columns an empty text is equivalent to NULL.
  const content = (side: string): string =>
    compared.map((name) => `nullif(${side}.${identifier(name)}::text, '')`).join(', ');
  const other = `(${content('t')}) IS DISTINCT FROM (${content('s')})`;
  const taken =
    numbered === undefined
      ? ''
      : ` OR (t.${identifier(numbered)} = s.${identifier(numbered)} AND NOT (${same}))`;
  return `source AS MATERIALIZED (${source}),
conflict AS MATERIALIZED (SELECT ${label} AS label FROM source s
  WHERE EXISTS (SELECT 1 FROM ${to} t WHERE (${same} AND ${other})${taken})),
missing AS (SELECT * FROM source s WHERE NOT EXISTS (SELECT 1 FROM ${to} t WHERE ${same}))`;
}

function insertStatement(sql: CopySql): string {
  const { to, columns, numbered } = sql;
  const names = columns.map(identifier).join(', ');
  const sequence = numbered && `pg_get_serial_sequence(${literal(to)}, ${literal(numbered)})`;
  // The sequence continues after the copied ids.
  const advance =
    sequence === undefined
      ? 'NULL'
      : `(SELECT setval(${sequence}, greatest(max(${identifier(numbered!)}), nextval(${sequence}))) FROM copied HAVING count(*) > 0)`;
  return `WITH ${commonTables(sql)},
copied AS (INSERT INTO ${to} (${names}) SELECT ${names} FROM missing
  WHERE NOT EXISTS (SELECT 1 FROM conflict) RETURNING ${numbered === undefined ? '1' : identifier(numbered)})
SELECT (SELECT count(*) FROM copied), ${CONFLICTS}, ${advance}`;
}
