/**
 * The table of scripts of pREST: what it holds, and its rows in a table of this service. Rows are numbered anew there;
 * who made them and when stays.
 */
import { rowsOf, type Asked } from '../pg/asked.js';
import { qualifiedName } from '../pg/quote.js';
import type { ScriptsTable } from '../protocol.js';
import { CONTENT, KEY, STATE } from '../registry/columns.js';
import { ScriptStorage } from '../registry/storage.js';
import { VERBS, type Verb } from '../script/verb.js';
import type { Draft } from './draft.js';
import type { StoredText } from './script-findings.js';
import { columnsOf, copyStatement, type Copied } from './table-copy.js';

const COLUMNS = [...STATE, 'created_at', 'updated_at'];

/** PrestQueries is the table of scripts as pREST knows it. */
export class PrestQueries {
  readonly name: string;
  readonly #qualified: string;
  readonly #database: Asked;

  constructor(table: ScriptsTable, database: Asked) {
    this.name = `${table.schema}.${table.table}`;
    this.#qualified = qualifiedName(table);
    this.#database = database;
  }

  /** exists tells whether the table is there, and says what it lacks. */
  async exists(draft: Draft): Promise<boolean> {
    const columns = await columnsOf(this.#database, this.#qualified);
    if (columns.size === 0) return false;
    const missing = COLUMNS.filter((name) => !columns.has(name));
    if (missing.length > 0)
      draft.problems.push(`${this.name}: there is no column ${missing.join(', ')}`);
    return missing.length === 0;
  }

  /** texts gives all texts there are, by database, location and name. Rejects with StatementFailure. */
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

  /** copyTo gives the copy into another table. Rejects with StatementFailure. */
  async copyTo(target: ScriptsTable, draft: Draft): Promise<Copied | undefined> {
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
    return copyStatement(
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
        make: async () => {
          await new ScriptStorage(target, this.#database).make();
        },
      },
    );
  }
}
