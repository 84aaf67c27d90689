/**
 * Rows of one table put into another in one statement, which never changes a row that is there. A row whose key is there
 * with another content, or whose number is that of another row, stops the copy and is named.
 */
import { rowsOf, type Asked } from '../pg/asked.js';
import { identifier, literal } from '../pg/quote.js';

/** What a copy is made of. Columns are names of the target; `source` gives them under those names. */
export interface CopySql {
  readonly to: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Columns that must be the same where the key is. */
  readonly compared: readonly string[];
  /** What names a row of the source `s`, as SQL. */
  readonly label: string;
  readonly source: string;
  /** A column of numbers that come from a sequence otherwise. */
  readonly numbered: string | undefined;
}

/** Where a copy goes. */
interface Places {
  readonly from: string;
  readonly to: string;
  /** Whether the target is there. */
  readonly exists: boolean;
  readonly make: () => Promise<void>;
}

/** Copied is a copy that can be made. */
export interface Copied {
  readonly from: string;
  readonly to: string;
  /** Names of rows that stop it, at most some of them. */
  readonly conflicts: readonly string[];
  /** How many rows there are to copy. */
  readonly rows: number;
  /** run makes the target and copies; it gives the number of rows, or what stopped it. Rejects with StatementFailure. */
  run(): Promise<number | readonly string[]>;
}

/** Most rows that are named. */
const NAMED = 20;

/** columnsOf gives the types of a table's columns by name; none when there is no table. `table` is quoted. */
export async function columnsOf(
  database: Asked,
  table: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf(
    database,
    `SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = to_regclass(${literal(table)}) AND attnum > 0 AND NOT attisdropped`,
  );
  return new Map(rows.map(([name = null, type = null]) => [name ?? '', type ?? '']));
}

/** copyStatement looks at both tables and gives the copy. Rejects with StatementFailure. */
export async function copyStatement(
  database: Asked,
  sql: CopySql,
  { from, to, exists, make }: Places,
): Promise<Copied> {
  const before = exists
    ? `WITH ${parts(sql)} SELECT (SELECT count(*) FROM missing), ${CONFLICTS}`
    : `SELECT count(*), NULL FROM (${sql.source}) s`;
  const [row] = await rowsOf(database, before);
  return {
    from,
    to,
    rows: Number(row![0]),
    conflicts: named(row![1]),
    run: async () => {
      if (!exists) await make();
      const [done] = await rowsOf(database, statementOf(sql));
      const conflicts = named(done![1]);
      return conflicts.length > 0 ? conflicts : Number(done![0]);
    },
  };
}

const CONFLICTS = `(SELECT json_agg(label) FROM (SELECT label FROM conflict ORDER BY label LIMIT ${NAMED}) c)`;

function named(json: string | null | undefined): string[] {
  return json === null || json === undefined ? [] : (JSON.parse(json) as string[]);
}

/** The rows that are in the way, and those that are not there yet. */
function parts({ to, key, compared, label, source, numbered }: CopySql): string {
  const same = key.map((name) => `t.${identifier(name)} = s.${identifier(name)}`).join(' AND ');
  // An empty text and none at all mean the same in every one of these columns.
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

function statementOf(sql: CopySql): string {
  const { to, columns, numbered } = sql;
  const names = columns.map(identifier).join(', ');
  const sequence = numbered && `pg_get_serial_sequence(${literal(to)}, ${literal(numbered)})`;
  // The numbers of later rows go on behind those that were copied.
  const advance =
    sequence === undefined
      ? 'NULL'
      : `(SELECT setval(${sequence}, greatest(max(${identifier(numbered!)}), nextval(${sequence}))) FROM copied HAVING count(*) > 0)`;
  return `WITH ${parts(sql)},
copied AS (INSERT INTO ${to} (${names}) SELECT ${names} FROM missing
  WHERE NOT EXISTS (SELECT 1 FROM conflict) RETURNING ${numbered === undefined ? '1' : identifier(numbered)})
SELECT (SELECT count(*) FROM copied), ${CONFLICTS}, ${advance}`;
}
