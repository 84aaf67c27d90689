/**
 * Error messages for selects that failed: what to change. PostgreSQL's own messages are not passed on, and only values
 * that the caller sent are repeated.
 */
import { ServiceError } from '../../base/errors.js';
import type { SqlFailure } from '../../postgres/statement/sql-failure.js';
import {
  commonFailureText,
  PERMISSION_DENIED,
  type ToolFailure,
  type Remedies,
} from '../arguments/tool-failure.js';
import { shorten, listNames } from '../arguments/argument-error.js';
import type { Filter } from './filters.js';
import type { RowQuery } from './row-query.js';

/** States of a statement whose table or columns have changed. */
const CHANGED: ReadonlySet<string> = new Set(['42P01', '42703', '3F000', '42P10', '42804']);

/** States of a type without equality or order. */
const UNCOMPARABLE: ReadonlySet<string> = new Set(['42883', '42725', '0A000']);

/** mayBeStale tells whether a statement may have failed because its table has changed since the catalog was read. */
export function mayBeStale(failure: ToolFailure): boolean {
  if (failure instanceof ServiceError) return false;
  return CHANGED.has(failure.state) || UNCOMPARABLE.has(failure.state);
}

const REMEDIES: Remedies = {
  slow: 'the statement took too long and was stopped. Filter by a column that has an index, leave order_by out, or ask for a smaller limit or offset.',
  large: 'Name fewer columns.',
  writes:
    'writes are not possible here: the transaction can only read, and what was asked for (a view or a function in it) writes.',
  denied: PERMISSION_DENIED,
};

const GENERAL =
  'the database could not run the statement. Try other columns, filters or order_by; the reason is in the log of the service.';

/** selectFailureText is the message for the caller; `maxResult` is in bytes. */
export function selectFailureText(
  failure: ToolFailure,
  maxResult: number,
  { filters, compared, places }: Pick<RowQuery, 'filters' | 'compared' | 'places'>,
): string {
  const common = commonFailureText(failure, REMEDIES, maxResult);
  if (common !== undefined || failure instanceof ServiceError) return common ?? GENERAL;
  const { state } = failure;
  if (state.startsWith('22')) return valueText(failure, filters);
  if (UNCOMPARABLE.has(state) && compared().length > 0) {
    const columns = new Set(compared().map(({ name, type }) => `${name} (${type})`));
    return `a column has a type that cannot be compared. Leave it out of ${places}: ${listNames([...columns])}.`;
  }
  if (CHANGED.has(state))
    return 'the table has just changed. Look at its columns again, and send the call again.';
  return GENERAL;
}

/** The message for an invalid value; it names the filter if PostgreSQL's message shows which one it is. */
function valueText({ message }: SqlFailure, filters: readonly Filter[]): string {
  const repeated = (filter: Filter): string | undefined =>
    filter.sent.find((value) => quotes(message, value));
  // Any text is valid for a text column: the value in the message may be the same text in a row that is not shown.
  const guilty = filters.filter(
    (filter) => !TEXT.test(filter.column.type) && repeated(filter) !== undefined,
  );
  if (guilty.length === 1) {
    const [filter] = guilty as [Filter];
    const { labels } = filter.column;
    const allowed = labels === undefined ? '' : ` It is one of: ${listNames(labels)}.`;
    return `${filter.where}: ${JSON.stringify(shorten(repeated(filter)!))} is no value of its type, ${typeText(filter)}.${allowed}`;
  }
  if (filters.length === 0)
    return 'a value in the table, or computed by the view, is not valid there. Try other columns.';
  const types = filters.map((filter) => `${filter.column.name} (${typeText(filter)})`);
  return `a value is not valid for the type of its column. Look at the filters: ${listNames(types)}.`;
}

const TEXT = /^(?:text|character|name|citext|"char")/;

function typeText({ column: { type, kind } }: Filter): string {
  if (kind === 'json') return `${type} (send its text)`;
  return kind === 'array' ? `${type} (send a list)` : type;
}

/** Whether a message contains a text in quotation marks, of any language. */
function quotes(message: string, text: string): boolean {
  if (message.length > LONGEST) return false;
  for (
    let at = message.indexOf(text);
    at >= 0 && at < message.length;
    at = message.indexOf(text, at + 1)
  )
    if (QUOTE.test(message.charAt(at - 1)) && QUOTE.test(message.charAt(at + text.length)))
      return true;
  return false;
}

/** Longest message that is searched: there may be many values. */
const LONGEST = 2_000;

const QUOTE = /^["'«»„“”‘’`]$/;
