/**
 * Writes the scripts of a folder into the table in one statement: all of them or none. Records that are equal already are
 * not touched. With the policy `error` nothing is written when the table has a script with another text.
 */
import {
  rowsOf,
  StatementFailure,
  type Queryable,
  type Rows,
} from '../../postgres/statement/queryable.js';
import { arrayLiteral, qualifiedName } from '../../base/quote.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { VERBS } from '../../script/verb.js';
import { RowVersions, type RowVersion } from './row-versions.js';
import { KEY } from './scripts-table.js';
import type { FolderScript } from './folder.js';
import { list } from './table-names.js';
import { editorOf } from '../registry/statements.js';

/** The editor of imported scripts in the history. */
const IMPORTER = 'filesystem-import';

/** How to treat a script that the table has with another text. */
export type ImportPolicy = 'skip' | 'update' | 'error';

export interface ImportedScript {
  readonly location: string;
  readonly name: string;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'skipped';
}

/** ImportConflict: nothing was written, because the table has these scripts with other texts. */
export class ImportConflict extends Error {
  override readonly name = 'ImportConflict';
  readonly scripts: readonly string[];

  constructor(scripts: readonly string[]) {
    super(`these scripts are stored with another text: ${scripts.join(', ')}`);
    this.scripts = scripts;
  }
}

export interface ImportOptions {
  readonly table: ScriptsTable;
  /** Alias of the database of the scripts; empty for all databases. */
  readonly database: string;
  readonly policy: ImportPolicy;
  /** Whether the outcomes are only computed, and nothing is written. */
  readonly dryRun?: boolean;
}

/** Attempts when scripts are changed during the import. */
const ATTEMPTS = 3;

/** A division by zero: how the statement ends itself. */
const ENDED = '22012';

/** importScripts gives the outcome for each script. Rejects with ImportConflict and StatementFailure. */
export async function importScripts(
  database: Queryable,
  scripts: readonly FolderScript[],
  options: ImportOptions,
): Promise<ImportedScript[]> {
  const { policy, dryRun = false } = options;
  const versions = new RowVersions((version) => statementOf(options, version));
  const run = (name: 'compare' | 'write', given: (string | null)[]): Promise<Rows> =>
    versions.run((sql) => rowsOf(database, sql[name], given));
  const columns = [
    scripts.map(({ location }) => location),
    scripts.map(({ name }) => name),
    ...VERBS.map((verb) => scripts.map(({ texts }) => texts[verb] ?? '')),
  ];
  const values = [options.database, ...columns.map(arrayLiteral)];
  for (let attempt = 1; ; attempt++) {
    const conflict = async (): Promise<void> => {
      const conflicts = (await run('compare', values)).filter(differs).map(pathOf);
      if (conflicts.length > 0) throw new ImportConflict(conflicts);
    };
    if (policy === 'error' && dryRun) await conflict();
    try {
      const rows = dryRun
        ? await run('compare', values)
        : await run('write', [...values, IMPORTER]);
      return rows.map((row) => importedOf(row, policy, dryRun));
    } catch (error) {
      if (!(error instanceof StatementFailure) || error.state !== ENDED) throw error;
      await conflict();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

type Row = Rows[number];

/** Rows of location, name, whether the script exists, whether it is the same, whether it was created (t) or updated (f). */
function importedOf(row: Row, policy: ImportPolicy, dryRun: boolean): ImportedScript {
  const [location, name, there, same, created] = row;
  const script = { location: location!, name: name! };
  if (created === 't' || (dryRun && there === 'f')) return { ...script, outcome: 'created' };
  if (created === 'f') return { ...script, outcome: 'updated' };
  if (same === 't') return { ...script, outcome: 'unchanged' };
  if (policy === 'skip') return { ...script, outcome: 'skipped' };
  // A script that was not written was changed to the same text meanwhile.
  return { ...script, outcome: dryRun ? 'updated' : 'unchanged' };
}

function differs([, , there, same]: Row): boolean {
  return there === 't' && same === 'f';
}

function pathOf([location, name]: Row): string {
  return `${location}/${name}`;
}

/** $1 database, $2 locations, $3 names, $4 to $7 texts, and for writing $8 editor. */
function statementOf(
  { table, policy }: ImportOptions,
  versions: RowVersion,
): { compare: string; write: string } {
  const target = qualifiedName(table);
  const texts = VERBS.map((verb) => `${verb}_sql`);
  const isSame = (row: string, other: string): string =>
    texts
      .map((name) => `coalesce(${row}.${name}, '') = coalesce(${other}.${name}, '')`)
      .join(' AND ');
  const compared = `compared AS (
  SELECT f.*, t.id IS NOT NULL AS there, t.id IS NOT NULL AND ${isSame('t', 'f')} AS same
  FROM unnest(${[2, 3, 4, 5, 6, 7].map((n) => `$${n}::text[]`).join(', ')})
    AS f (location, name, ${texts.join(', ')})
  LEFT JOIN ${target} t
    ON t.database_alias = $1::text AND t.location = f.location AND t.name = f.name)`;
  const order = 'ORDER BY c.location COLLATE "C", c.name COLLATE "C"';
  // A change since the comparison wins; of two equal imports at the same time, the second has nothing to do.
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
  RETURNING t.location, t.name, ${versions.isNew('t')} AS created)
SELECT c.location, c.name, c.there, c.same, w.created
FROM compared c LEFT JOIN written w ON w.location = c.location AND w.name = c.name ${order}`,
  };
}
