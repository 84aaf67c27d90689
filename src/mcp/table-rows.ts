/**
 * Rows of one table, as a select asks for them. Refuses what the table does not have. Where the table has changed in the
 * meantime, it is looked at anew, once.
 */
import type { Logger } from '../log.js';
import type { Call } from './call.js';
import { failureText, mayBeChange } from './failure-text.js';
import { logFailure, type Failure } from './failure.js';
import { KnownStatements } from './known-statements.js';
import type { ReadOnly, ReadOutcome } from './read-only.js';
import { Refusal } from './refusal.js';
import { selectionOf, type Selection } from './select-arguments.js';
import { selectJson, selectText } from './select-statement.js';
import type { Table } from './table.js';
import type { Arguments, ToolOutcome } from './tool.js';

/** Finds the same table again, as it is now; undefined when the caller may not read it any more. */
export type Renewed = () => Promise<Table | undefined>;

/** What came of a try. */
interface Attempt {
  readonly outcome: ToolOutcome;
  /** Whether it would have come to something else, had the table not changed in the meantime. */
  readonly uncertain: boolean;
  readonly failure: Failure | undefined;
}

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

  /** select gives the rows, undefined when the table is not there any more. */
  async select(
    call: Call,
    table: Table,
    args: Arguments,
    renewed: Renewed,
  ): Promise<ToolOutcome | undefined> {
    let attempt = await this.#try(call, table, args);
    if (attempt.uncertain) {
      const found = await renewed();
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

  async #try(call: Call, table: Table, args: Arguments): Promise<Attempt> {
    let selection: Selection;
    try {
      selection = selectionOf(args, table);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { outcome: { error: error.message }, uncertain: error.uncertain, failure: undefined };
    }
    const { result, failure } = await this.#read(call, table, selection);
    if (failure !== undefined) {
      const error = failureText(failure, this.#maxResult, selection);
      return { outcome: { error }, uncertain: mayBeChange(failure), failure };
    }
    const { value } = result;
    const text = typeof value === 'object' && value !== null ? value.text() : value!;
    const json = selectJson(table, selection, text);
    return { outcome: { json }, uncertain: false, failure: undefined };
  }

  #read(call: Call, table: Table, selection: Selection): Promise<ReadOutcome> {
    const { sql, values } = selectText(table, selection, this.#maxResult);
    // A statement that is prepared keeps the types that its parameters had.
    const types = selection.filters.map(({ column }) => column.type).join();
    const known = this.#known.of(table.alias, sql, types);
    return this.#readOnly.read(table.alias, { ...known, values, form: 'value' }, call);
  }
}
