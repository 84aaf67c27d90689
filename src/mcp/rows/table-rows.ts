/**
 * Reads rows of a table, or groups of them. If that fails and the cause may be that the table has changed, the catalog is
 * refreshed and the call is tried once more.
 */
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { ScriptCost } from '../../postgres/statement/script-cost.js';
import { recent, type RecentBounds } from '../../base/recent.js';
import type { McpCall } from '../arguments/call.js';
import { selectFailureText, mayBeStale } from './select-failure.js';
import { logFailure, type ToolFailure } from '../arguments/tool-failure.js';
import type { Reading, ReadOnly, ReadOutcome } from '../tables/read-only.js';
import { ArgumentError } from '../arguments/argument-error.js';
import { countedRows, fittingRows, isTooLarge, readCounted } from './counted-rows.js';
import type { QueryKind, RowQuery } from './row-query.js';
import type { Table, VisibleTables } from '../tables/table.js';
import type { Arguments, ToolOutcome } from '../arguments/tool.js';

/** Bounds of the recent statements of all databases. */
const RECENT: RecentBounds = { entries: 1_000, characters: 2_000_000 };

/** The statements of a query: all of its rows, or as many as fit. */
const FORMS = { all: countedRows, fitting: fittingRows };
type Form = keyof typeof FORMS;

interface Attempt {
  readonly outcome: ToolOutcome;
  /** Whether it may have failed because the table has changed. */
  readonly uncertain: boolean;
  readonly failure: ToolFailure | undefined;
}

export class TableRows {
  readonly #readOnly: ReadOnly;
  readonly #maxResult: number;
  readonly #log: Logger;
  /** The same query is the same statement, so that it is prepared when it is repeated, and has one cost. */
  readonly #recent = recent<{ statement: { sql: string; recurs: boolean }; cost: ScriptCost }>(
    RECENT,
  );

  /** `maxResult` limits the JSON of a result, bytes. */
  constructor(readOnly: ReadOnly, maxResult: number, log: Logger) {
    this.#readOnly = readOnly;
    this.#maxResult = maxResult;
    this.#log = log;
  }

  /**
   * read returns the rows; undefined if `renewed`, which reads the tables again, finds that the table no longer exists.
   * `tables` are those that the caller may read.
   */
  async read(
    call: McpCall,
    kind: QueryKind,
    [table, tables]: readonly [Table, VisibleTables],
    args: Arguments,
    renewed: () => Promise<VisibleTables>,
  ): Promise<ToolOutcome | undefined> {
    let attempt = await this.#try(call, kind, table, tables, args);
    if (attempt.uncertain) {
      const now = await renewed();
      const found = now.find(table.schema, table.name);
      if (found === undefined) return undefined;
      if (now !== tables) attempt = await this.#try(call, kind, found, now, args);
    }
    const { outcome, failure } = attempt;
    if (failure !== undefined && !call.abandoned) {
      const { alias, schema, name } = table;
      logFailure(this.#log, failure, { ...call.ids, alias, schema, table: name });
    }
    return outcome;
  }

  async #try(
    call: McpCall,
    kind: QueryKind,
    table: Table,
    tables: VisibleTables,
    args: Arguments,
  ): Promise<Attempt> {
    let query: RowQuery;
    try {
      query = kind(args, table, tables, this.#maxResult);
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      return { outcome: { error: error.message }, uncertain: error.uncertain, failure: undefined };
    }
    let read = await this.#read(call, table, query, 'all');
    if (isTooLarge(read)) read = await this.#read(call, table, query, 'fitting');
    const { result, failure } = read;
    const textOf = (why: ToolFailure): string => selectFailureText(why, this.#maxResult, query);
    if (failure !== undefined)
      return { outcome: { error: textOf(failure) }, uncertain: mayBeStale(failure), failure };
    const counted = readCounted(result.value, query.limit);
    const outcome =
      counted === undefined
        ? { error: textOf(new ServiceError('result_too_large')) } // not even one row fits
        : { json: query.json(counted) };
    return { outcome, uncertain: false, failure: undefined };
  }

  #read(call: McpCall, table: Table, query: RowQuery, form: Form): Promise<ReadOutcome> {
    const { alias, schema, name } = table;
    const { statement, cost } = this.#statement(alias, query, form);
    const { values } = query.text;
    const named = { script: `/_mcp/${schema}.${name}`, rendered: undefined };
    return this.#readOnly.read(alias, { statement, cost, values, form: 'value', named }, call);
  }

  #statement(
    alias: string,
    { text, filters }: RowQuery,
    form: Form,
  ): Pick<Reading, 'statement' | 'cost'> {
    // A prepared statement keeps the types of its parameters.
    let types = '';
    for (const { column } of filters) types += `${column.type},`;
    // The addition to the query is the same in each statement of a form, so that it need not be compared.
    const key = `${form}\n${alias}\n${types}\n${text.wanted}\n${text.total ?? ''}\n${text.rows}`;
    let known = this.#recent.get(key);
    if (known === undefined) {
      const statement = { sql: FORMS[form](text, this.#maxResult), recurs: false };
      known = { statement, cost: new ScriptCost() };
      this.#recent.set(key, known);
    } else known.statement.recurs = true;
    return known;
  }
}
