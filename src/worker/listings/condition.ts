/**
 * One condition of a request, `column=$operator.value`, as SQL. The column is looked up in the listing, the operator in
 * the tables below, and the value is bound. Rejects anything else.
 */
import { ServiceError } from '../../base/errors.js';
import { isSqlName } from '../../base/identifier.js';
import { arrayLiteral } from '../../base/quote.js';
import { columnSql } from './listing.js';

/** Bind adds a value to a statement and returns its placeholder. */
export type Bind = (value: string) => string;

/** Operators that compare with one value. */
const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ['eq', '='],
  ['ne', '<>'],
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
  ['like', 'LIKE'],
  ['ilike', 'ILIKE'],
  ['nlike', 'NOT LIKE'],
  ['nilike', 'NOT ILIKE'],
]);

/** Operators that compare with a comma-separated list, which is bound as one array: one statement for any length. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['in', '= ANY'],
  ['nin', '<> ALL'],
  ['any', '= ANY'],
  ['some', '= ANY'],
  ['all', '= ALL'],
]);

/** Operators that take no value. */
const TESTS: ReadonlyMap<string, string> = new Map([
  ['null', 'IS NULL'],
  ['notnull', 'IS NOT NULL'],
  ['true', 'IS TRUE'],
  ['nottrue', 'IS NOT TRUE'],
  ['false', 'IS FALSE'],
  ['notfalse', 'IS NOT FALSE'],
]);

/** The beginning of an operator; an operator, separated by a dot from its value. */
const LIKE_OPERATOR = /^\$[a-z]/;
const OPERATOR = /^\$([a-z]+)(?:\.(.*))?$/s;

/**
 * conditionSql writes the condition that `text` puts on a column; without an operator it is equality. Throws
 * ServiceError `invalid_listing`: for an invalid operator or identifier its message begins with `prefix`, for an unknown
 * column or an invalid pattern it does not.
 */
export function conditionSql(
  columns: ReadonlyMap<string, string>,
  name: string,
  text: string,
  prefix: string,
  bind: Bind,
): string {
  if (text === '') throw invalid(prefix + INVALID_OPERATOR);
  const [, operator = 'eq', value] = LIKE_OPERATOR.test(text)
    ? (OPERATOR.exec(text) ?? ['', ''])
    : ['', 'eq', text];
  const test = TESTS.get(operator);
  const comparison = COMPARISONS.get(operator);
  const list = LISTS.get(operator);
  if (test === undefined && ((comparison ?? list) === undefined || value === undefined))
    throw invalid(prefix + INVALID_OPERATOR);
  if (!isSqlName(name)) throw invalid(`${prefix}${name}: invalid identifier`);
  const column = columnSql(columns, name);
  if (test !== undefined) return `${column} ${test}`;
  // PostgreSQL reports it only if a row has matched that far: the response must not depend on the rows.
  if (comparison?.endsWith('LIKE') && UNFINISHED.test(value!)) throw invalid(UNFINISHED_PATTERN);
  if (comparison !== undefined) return `${column} ${comparison} ${bind(value!)}`;
  return `${column} ${list!} (${bind(arrayLiteral(value!.split(',')))})`;
}

const INVALID_OPERATOR = 'invalid operator';

/** A pattern that ends in an odd number of backslashes: the last one escapes nothing. */
const UNFINISHED = /(?<!\\)(?:\\\\)*\\$/;
const UNFINISHED_PATTERN = 'LIKE pattern must not end with escape character';

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_listing', message);
}
