/**
 * Scripts of a folder written into the table, all in one statement: whatever ends it, the table is as before or as
 * after. What is equal already is not touched. With the policy `error` it refuses to write anything when a script is
 * there with another text.
 */
import { arrayLiteral } from '../pg/array-literal.js';
import { rowsOf, StatementFailure, type Asked, type Rows } from '../pg/asked.js';
import { qualifiedName } from '../pg/quote.js';
import type { ScriptsTable } from '../protocol.js';
import { VERBS } from '../script/verb.js';
import { KEY } from './columns.js';
import type { FolderScript } from './folder.js';
import { list } from './names.js';
import { editorOf } from './statements.js';

/** IMPORTER is who made what was imported. */
const IMPORTER = 'filesystem-import';

/** What is done with a script that is there with another text. */
export type ImportPolicy = 'skip' | 'update' | 'error';

/** What became of a script. */
export interface ImportedScript {
  readonly location: string;
  readonly name: string;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'skipped';
}

/** ImportConflict is an import that wrote nothing, for these scripts are there with another text. */
export class ImportConflict extends Error {
  override readonly name = 'ImportConflict';
  readonly scripts: readonly string[];

  constructor(scripts: readonly string[]) {
    super(`these scripts are stored with another text: ${scripts.join(', ')}`);
    this.scripts = scripts;
  }
}

/** Where scripts are imported to, and how. */
export interface ImportOptions {
  readonly table: ScriptsTable;
  /** Alias of the database that they are for; empty for all. */
  readonly database: string;
  readonly policy: ImportPolicy;
  /** Whether it is only told what would be done. */
  readonly dryRun?: boolean;
}

/** Attempts at an import when scripts come and go meanwhile. */
const ATTEMPTS = 3;

/** A division by zero: how the statement ends itself. */
const ENDED = '22012';

/**
 * importScripts writes scripts into the table and tells what became of each. Rejects with ImportConflict and
 * StatementFailure.
 */
export async function importScripts(
  asked: Asked,
  scripts: readonly FolderScript[],
  options: ImportOptions,
): Promise<ImportedScript[]> {
  const { policy, database, dryRun = false } = options;
  const sql = statementOf(options);
  const columns = [
    scripts.map(({ location }) => location),
    scripts.map(({ name }) => name),
    ...VERBS.map((verb) => scripts.map(({ texts }) => texts[verb] ?? '')),
  ];
  const values = [database, ...columns.map(arrayLiteral)];
  for (let attempt = 1; ; attempt++) {
    const conflict = async (): Promise<void> => {
      const conflicts = (await rowsOf(asked, sql.compare, values)).filter(differs).map(pathOf);
      if (conflicts.length > 0) throw new ImportConflict(conflicts);
    };
    if (policy === 'error' && dryRun) await conflict();
    try {
      const rows = dryRun
        ? await rowsOf(asked, sql.compare, values)
        : await rowsOf(asked, sql.write, [...values, IMPORTER]);
      return rows.map((row) => importedOf(row, policy, dryRun));
    } catch (error) {
      if (!(error instanceof StatementFailure) || error.state !== ENDED) throw error;
      await conflict();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

type Row = Rows[number];

/** Rows of location, name, whether it is there, whether it is the same, whether it was made (t) or replaced (f). */
function importedOf(row: Row, policy: ImportPolicy, dryRun: boolean): ImportedScript {
  const [location, name, there, same, created] = row;
  const outcome = (): ImportedScript['outcome'] => {
    if (created === 't' || (dryRun && there === 'f')) return 'created';
    if (created === 'f') return 'updated';
    if (same === 't') return 'unchanged';
    if (policy === 'skip') return 'skipped';
    // What was not written was made the same by somebody else meanwhile.
    return dryRun ? 'updated' : 'unchanged';
  };
  return { location: location!, name: name!, outcome: outcome() };
}

function differs([, , there, same]: Row): boolean {
  return there === 't' && same === 'f';
}

function pathOf([location, name]: Row): string {
  return `${location}/${name}`;
}

/** $1 database, $2 locations, $3 names, $4 to $7 texts, and for writing $8 who. */
function statementOf({ table, policy }: ImportOptions): { compare: string; write: string } {
  const target = qualifiedName(table);
  const texts = VERBS.map((verb) => `${verb}_sql`);
  const isSame = (row: string, other: string): string =>
    texts
      .map((name) => `coalesce(${row}.${name}, '') = coalesce(${other}.${name}, '')`)
      .join(' AND ');
  const compared = `compared AS MATERIALIZED (
  SELECT f.*, t.id IS NOT NULL AS there, t.id IS NOT NULL AND ${isSame('t', 'f')} AS same
  FROM unnest(${[2, 3, 4, 5, 6, 7].map((n) => `$${n}::text[]`).join(', ')})
    AS f (location, name, ${texts.join(', ')})
  LEFT JOIN ${target} t
    ON t.database_alias = $1::text AND t.location = f.location AND t.name = f.name)`;
  const order = 'ORDER BY c.location COLLATE "C", c.name COLLATE "C"';
  // Whoever came first since the comparison decides; of two who import the same, the second finds it done.
  const update = `UPDATE SET ${texts.map((name) => `${name} = excluded.${name}`).join(', ')}, updated_at = now()
    WHERE NOT (${isSame('t', 'excluded')})`;
  const end = `UPDATE SET name = t.name
    WHERE 1 / CASE WHEN ${isSame('t', 'excluded')} THEN 1 ELSE 0 END = 0`;
  const conflict = { skip: 'NOTHING', update, error: end }[policy];
  return {
    compare: `WITH ${compared}
SELECT c.location, c.name, c.there, c.same, NULL FROM compared c ${order}`,
    write: `${editorOf('$8')}, ${compared},
written AS (
  INSERT INTO ${target} AS t (${list([...KEY, ...texts, 'created_by'])})
  SELECT $1::text, c.location, c.name, ${texts.map((name) => `nullif(c.${name}, '')`).join(', ')}, editor.name
  FROM compared c, editor WHERE NOT c.same ${order}
  ON CONFLICT (${list(KEY)}) DO ${conflict}
  RETURNING t.location, t.name, t.xmax::text = '0' AS created)
SELECT c.location, c.name, c.there, c.same, w.created
FROM compared c LEFT JOIN written w ON w.location = c.location AND w.name = c.name ${order}`,
  };
}
