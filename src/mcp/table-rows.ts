/**
 * Selects rows of a table. If a select fails and the cause may be that the table has changed, the catalog is refreshed
 * and the select is tried once more.
 */
import type { Logger } from '../log.js';
import { ScriptCost } from '../pg/script-cost.js';
import { Recent, type RecentBounds } from '../recent.js';
import type { McpCall } from './call.js';
import { selectFailureText, mayBeStale } from './select-failure.js';
import { logFailure, type ToolFailure } from './tool-failure.js';
import type { Reading, ReadOnly, ReadOutcome } from './read-only.js';
import { ArgumentError } from './argument-error.js';
import { selectionOf, type Selection } from './select-arguments.js';
import { selectJson, selectText } from './select-statement.js';
import type { Table } from './table.js';
import type { Arguments, ToolOutcome } from './tool.js';

/** Bounds of the recent statements of all databases. */
const RECENT: RecentBounds = { entries: 500, characters: 1_000_000 };

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
  /** The same text is the same statement, so that it is prepared when it is repeated, and has one cost. */
  readonly #recent = new Recent<{ statement: { sql: string; recurs: boolean }; cost: ScriptCost }>(
    RECENT,
  );

  /** `maxResult` limits the JSON of a result, bytes. */
  constructor(readOnly: ReadOnly, maxResult: number, log: Logger) {
    this.#readOnly = readOnly;
    this.#maxResult = maxResult;
    this.#log = log;
  }

  /** select returns the rows; undefined if `refreshed`, which reads the table again, finds that it no longer exists. */
  async select(
    call: McpCall,
    table: Table,
    args: Arguments,
    refreshed: () => Promise<Table | undefined>,
  ): Promise<ToolOutcome | undefined> {
    let attempt = await this.#try(call, table, args);
    if (attempt.uncertain) {
      const found = await refreshed();
      if (found === undefined) return undefined;
      if (found !== table) attempt = await this.#try(call, found, args);
    }
    const { outcome, failure } = attempt;
    if (failure !== undefined && !call.abandoned) {
      const { requestId } = call.request;
      const { alias, schema, name } = table;
      logFailure(this.#log, failure, { requestId, alias, schema, table: name });
    }
    return outcome;
  }

  async #try(call: McpCall, table: Table, args: Arguments): Promise<Attempt> {
    let selection: Selection;
    try {
      selection = selectionOf(args, table);
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      return { outcome: { error: error.message }, uncertain: error.uncertain, failure: undefined };
    }
    const { result, failure } = await this.#read(call, table, selection);
    if (failure !== undefined) {
      const error = selectFailureText(failure, this.#maxResult, selection);
      return { outcome: { error }, uncertain: mayBeStale(failure), failure };
    }
    const { value } = result;
    const text = typeof value === 'object' && value !== null ? value.text() : value!;
    const json = selectJson(table, selection, text);
    return { outcome: { json }, uncertain: false, failure: undefined };
  }

  #read(call: McpCall, table: Table, selection: Selection): Promise<ReadOutcome> {
    const { sql, values } = selectText(table, selection, this.#maxResult);
    // A prepared statement keeps the types of its parameters.
    const types = selection.filters.map(({ column }) => column.type).join();
    const known = this.#statement(table.alias, types, sql);
    return this.#readOnly.read(table.alias, { ...known, values, form: 'value' }, call);
  }

  #statement(alias: string, types: string, sql: string): Pick<Reading, 'statement' | 'cost'> {
    const key = `${alias}\n${types}\n${sql}`;
    let known = this.#recent.get(key);
    if (known === undefined) {
      known = { statement: { sql, recurs: false }, cost: new ScriptCost() };
      this.#recent.set(key, known);
    } else known.statement.recurs = true;
    return known;
  }
}
