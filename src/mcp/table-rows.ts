/**
 * Rows of one table, as a select asks for them. Refuses what the table does not have. Where the table has changed in the
 * meantime, it is looked at anew, once.
 */
import type { Logger } from '../log.js';
import type { Call } from './call.js';
import { failureText, isChange, logFailure } from './failure-text.js';
import { KnownStatements } from './known-statements.js';
import type { ReadOnly, ReadOutcome } from './read-only.js';
import { Refusal } from './refusal.js';
import { selectionOf, type Selection } from './select-arguments.js';
import { selectJson, selectText } from './select-statement.js';
import type { Table } from './table.js';
import type { Arguments, ToolOutcome } from './tool.js';

/** Finds the same table again, as it is now; undefined when the caller may not read it any more. */
export type Renewed = () => Promise<Table | undefined>;

export class TableRows {
  readonly #readOnly: ReadOnly;
  readonly #maxResult: number;
  readonly #log: Logger;
  readonly #known = new KnownStatements();

  /** `maxResult` is how many bytes the rows of one call may have as JSON. */
  constructor(readOnly: ReadOnly, maxResult: number, log: Logger) {
    this.#readOnly = readOnly;
    this.#maxResult = maxResult;
    this.#log = log;
  }

  /**
   * select gives the rows, undefined when the table is not there any more. Throws, or rejects with, Refusal for arguments
   * that are not right.
   */
  async select(
    call: Call,
    table: Table,
    args: Arguments,
    renewed: Renewed,
  ): Promise<ToolOutcome | undefined> {
    const outcome = await this.#try(call, table, args, false);
    if (outcome !== undefined) return outcome;
    const found = await renewed();
    return found && this.#try(call, found, args, true);
  }

  /** Undefined when the table may have changed, unless this is the last try. */
  async #try(
    call: Call,
    table: Table,
    args: Arguments,
    last: boolean,
  ): Promise<ToolOutcome | undefined> {
    let selection: Selection;
    try {
      selection = selectionOf(args, table);
    } catch (error) {
      if (!last && error instanceof Refusal && error.uncertain) return undefined;
      throw error;
    }
    const { result, failure } = await this.#read(call, table, selection);
    if (failure !== undefined) {
      if (!last && isChange(failure)) return undefined;
      logFailure(this.#log, failure, call, table);
      return { error: failureText(failure, this.#maxResult, selection) };
    }
    const { value } = result;
    const text = typeof value === 'object' && value !== null ? value.text() : value!;
    return { json: selectJson(table, selection, text) };
  }

  #read(call: Call, table: Table, selection: Selection): Promise<ReadOutcome> {
    const { sql, values } = selectText(table, selection, this.#maxResult);
    const known = this.#known.of(table.alias, sql);
    return this.#readOnly.read(table.alias, { ...known, values, form: 'value' }, call);
  }
}
