/**
 * The scripts table of pREST: its content, and the copy into a table of this service. Copied rows get new ids, and keep
 * their author and times.
 */
import { rowsOf, type Queryable } from '../../postgres/statement/queryable.js';
import { qualifiedName } from '../../base/quote.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { CONTENT, KEY, STATE } from '../../stored/scripts/scripts-table.js';
import { ScriptsDdl } from '../../stored/scripts/ddl.js';
import { VERBS, type Verb } from '../../script/verb.js';
import type { Draft } from './draft.js';
import type { StoredText } from './script-findings.js';
import { columnsOf, prepareCopy, type TableCopy } from './table-copy.js';

const COLUMNS = [...STATE, 'created_at', 'updated_at'];

export class PrestQueries {
  readonly name: string;
  readonly #qualified: string;
  readonly #database: Queryable;

  constructor(table: ScriptsTable, database: Queryable) {
    this.name = `${table.schema}.${table.table}`;
    this.#qualified = qualifiedName(table);
    this.#database = database;
  }

  /** exists tells whether the table exists, and reports missing columns. */
  async exists(draft: Draft): Promise<boolean> {
    const columns = await columnsOf(this.#database, this.#qualified);
    if (columns.size === 0) return false;
    const missing = COLUMNS.filter((name) => !columns.has(name));
    if (missing.length > 0)
      draft.problems.push(`${this.name}: there is no column ${missing.join(', ')}`);
    return missing.length === 0;
  }

  /** texts resolves to all texts, ordered by database, location and name. Rejects with StatementFailure. */
  async texts(): Promise<StoredText[]> {
    const columns = VERBS.map((verb) => `${verb}_sql`).join(', ');
    const rows = await rowsOf(
      this.#database,
      `SELECT database_alias, location, name, ${columns} FROM ${this.#qualified}
ORDER BY database_alias, location, name`,
    );
    return rows.flatMap(([database, location, name, ...texts]) =>
      VERBS.flatMap((verb: Verb, i): StoredText[] => {
        const text = texts[i] ?? '';
        if (text === '') return [];
        return [{ database: database!, location: location!, name: name!, verb, text }];
      }),
    );
  }

  /** copyTo prepares the copy into another table; undefined, with a problem in `draft`, when it is impossible. */
  async copyTo(target: ScriptsTable, draft: Draft): Promise<TableCopy | undefined> {
    const to = qualifiedName(target);
    const theirs = await columnsOf(this.#database, to);
    const missing = theirs.size === 0 ? [] : COLUMNS.filter((name) => !theirs.has(name));
    if (missing.length > 0) {
      draft.problems.push(
        `${target.schema}.${target.table}: it is there, without ${missing.join(', ')}`,
      );
      return undefined;
    }
    const texts = CONTENT.map((name) => `nullif(${name}, '') AS ${name}`).join(', ');
    return prepareCopy(
      this.#database,
      {
        to,
        columns: COLUMNS,
        key: KEY,
        compared: CONTENT,
        label: "concat_ws('/', nullif(s.database_alias, ''), s.location, s.name)",
        source: `SELECT ${KEY.join(', ')}, ${texts}, created_by, created_at, updated_at FROM ${this.#qualified}`,
        numbered: undefined,
      },
      {
        from: this.name,
        to: `${target.schema}.${target.table}`,
        exists: theirs.size > 0,
        create: () => new ScriptsDdl(target, this.#database).make(),
      },
    );
  }
}
