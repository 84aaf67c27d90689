/**
 * One condition of a request, `column=$operator.value`, as SQL: the column is one of the listing's, the operator one of
 * the table below, and the value is bound. Refuses anything else.
 */
import { ServiceError } from '../errors.js';
import { arrayLiteral } from '../pg/array-literal.js';
import { columnOf, isIdentifier } from './column-name.js';

/** Bind takes a value that a statement is to have and gives its placeholder. */
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

/** Operators that compare with a list, its items parted by commas: bound as one array, so that its length is no matter. */
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

/** What begins like an operator, and what is one: a dot parts it from its value. */
const LIKE_OPERATOR = /^\$[a-z]/;
const OPERATOR = /^\$([a-z]+)(?:\.(.*))?$/s;

/**
 * conditionOf makes SQL of a column's name and of what it is to be. Without operator that is equality. Throws
 * ServiceError `invalid_listing`, its message after `prefix`, for an operator or identifier that is none; without the
 * prefix for a column or pattern that is none.
 */
export function conditionOf(
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
  if (!isIdentifier(name)) throw invalid(`${prefix}${name}: invalid identifier`);
  const column = columnOf(columns, name);
  if (test !== undefined) return `${column} ${test}`;
  // PostgreSQL tells only once a row has matched as far as that: an answer must not depend on which rows there are.
  if (comparison?.endsWith('LIKE') && UNFINISHED.test(value!)) throw invalid(UNFINISHED_PATTERN);
  if (comparison !== undefined) return `${column} ${comparison} ${bind(value!)}`;
  return `${column} ${list!} (${bind(arrayLiteral(value!.split(',')))})`;
}

const INVALID_OPERATOR = 'invalid operator';

/** A pattern that ends in a backslash which nothing follows that it could escape: in an odd number of them. */
const UNFINISHED = /(?<!\\)(?:\\\\)*\\$/;
const UNFINISHED_PATTERN = 'LIKE pattern must not end with escape character';

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_listing', message);
}
