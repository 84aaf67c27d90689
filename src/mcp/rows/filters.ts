/**
 * Conditions on columns as a call sends them: a value, a list, null, or an object of operators. Values become text that
 * PostgreSQL parses as the type of the column. Throws ArgumentError for anything else. A column that the caller may not
 * read is reported as unknown.
 */
import { isObject } from '../../base/json.js';
import { arrayLiteral } from '../../base/quote.js';
import { checkLength, objectArgument } from '../arguments/checked-arguments.js';
import {
  ArgumentError,
  describeValue,
  listNames,
  nearestHint,
  shorten,
} from '../arguments/argument-error.js';
import type { Column, Table } from '../tables/table.js';
import type { Arguments } from '../arguments/tool.js';

export interface Filter {
  /** Its place among the arguments, for messages: `filters.total`. */
  readonly where: string;
  readonly column: Column;
  readonly operator: '=' | '<' | '<=' | '>' | '>=' | 'LIKE' | 'ILIKE' | '@>' | '= ANY' | 'IS NULL';
  readonly negated: boolean;
  /** The bound value; undefined for IS NULL. */
  readonly value: string | undefined;
  /** The values that were sent, as text. */
  readonly sent: readonly string[];
  /** Whether it was sent without an operator. */
  readonly isBare: boolean;
}

export interface Columns extends Pick<Table, 'columns' | 'byName'> {
  /** along finds a column of another table by a path; undefined if the text is not a path. Throws ArgumentError. */
  along?(path: string, where: string): Column | undefined;
}

/** Maximum of conditions, of values in a list, and of levels of a JSON value. */
const MAX_CONDITIONS = 2_000;
const MAX_VALUES = 1_000;
const MAX_DEPTH = 100;

const COMPARISONS = ['<', '<=', '>', '>='] as const;
const PATTERNS = ['like', 'not like', 'ilike', 'not ilike'] as const;

/** Other spellings of operators. A `jsonb` value may have members of the names among them. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['==', '='],
  ['<>', '!='],
  ['eq', '='],
  ['ne', '!='],
  ['neq', '!='],
  ['lt', '<'],
  ['lte', '<='],
  ['gt', '>'],
  ['gte', '>='],
  ['is', '='],
  ['is not', '!='],
  ['not_in', 'not in'],
  ['not_like', 'not like'],
  ['not_ilike', 'not ilike'],
]);

/** filtersOf reads the argument `name`: an object of columns and conditions, which all hold; `place` is for messages. */
export function filtersOf(
  args: Arguments,
  name: string,
  columns: Columns,
  place = name,
): readonly Filter[] {
  const filters = objectArgument(
    args,
    name,
    () => `an object of column names and values, as {"${shorten(columns.columns[0]!.name)}": …}`,
  );
  if (filters === undefined) return [];
  const conditions: Filter[] = [];
  for (const [column, value] of Object.entries(filters))
    conditions.push(
      ...conditionsOf(columnOf(columns, column, place), value, `${place}.${shorten(column)}`),
    );
  // Each has a placeholder, of which a statement has at most 65,535.
  checkLength(place, conditions, MAX_CONDITIONS);
  return conditions;
}

/** columnOf finds a column; `where` is the argument that names it. */
export function columnOf(columns: Columns, name: string, where: string): Column {
  const column = columns.byName.get(name) ?? columns.along?.(name, where);
  if (column !== undefined) return column;
  const names = columns.columns.map((one) => one.name);
  throw new ArgumentError(
    `unknown column: ${shorten(name)} (in ${where}).${nearestHint(name, names)} The columns are: ${listNames(names)}.`,
    { uncertain: true },
  );
}

function conditionsOf(column: Column, value: unknown, where: string): Filter[] {
  if (!isObject(value)) return [{ ...plain(column, value, where), isBare: true }];
  const operators = Object.entries(value);
  const isNamed = ([name]: [string, unknown]): boolean => JSON_OPERATORS.includes(name);
  if (column.kind === 'json' && !(operators.length > 0 && operators.every(isNamed)))
    return [containment(column, value, where)];
  if (operators.length === 0)
    throw new ArgumentError(`${where} has no operator. ${acceptedBy(column)}`);
  return operators.map(([name, operand]) => condition(column, name, operand, where));
}

function condition(column: Column, name: string, operand: unknown, where: string): Filter {
  const operator = operatorOf(column, name, where);
  const place = `${where} ${operator}`;
  switch (operator) {
    case '=':
      return plain(column, operand, place);
    case '!=':
      return negation(plain(column, operand, place));
    case 'not': {
      if (!isObject(operand)) return negation(plain(column, operand, place));
      // Before the recursion, which is as deep as this is nested.
      const isNested = Object.keys(operand).some((one) => one.trim().toLowerCase() === 'not');
      const [inner, ...others] = isNested ? [] : conditionsOf(column, operand, place);
      if (inner === undefined || others.length > 0 || inner.negated)
        throw new ArgumentError(`${where}: "not" takes a value, a list, null, or one operator.`);
      return negation(inner);
    }
    case 'in':
    case 'not in': {
      if (!Array.isArray(operand))
        throw new ArgumentError(
          `${where}: "${operator}" takes a list of values, not ${describeValue(operand)}.`,
        );
      const any = plain(column, operand, place);
      return operator === 'in' ? any : negation(any);
    }
    case 'contains':
      return containment(column, operand, place);
    case 'like':
    case 'not like':
      return pattern(column, operator, operand, 'LIKE', place);
    case 'ilike':
    case 'not ilike':
      return pattern(column, operator, operand, 'ILIKE', place);
    default: {
      const text = valueOf(column, operand, place);
      return filterOf(column, operator, text, [text], place);
    }
  }
}

function filterOf(
  column: Column,
  operator: Filter['operator'],
  value: string | undefined,
  sent: readonly string[],
  where: string,
): Filter {
  return { where, column, operator, negated: false, value, sent, isBare: false };
}

function negation(filter: Filter): Filter {
  return { ...filter, negated: !filter.negated };
}

/** A condition without an operator: a value it equals, a list of which it equals one, or null. */
function plain(column: Column, value: unknown, where: string): Filter {
  if (value === null) return filterOf(column, 'IS NULL', undefined, [], where);
  const isArray = column.kind === 'array';
  if (!Array.isArray(value)) {
    if (isObject(value) && column.kind === 'json') {
      const text = jsonText(value, where);
      return filterOf(column, '=', text, [text], where);
    }
    const text = valueOf(column, value, where);
    if (isArray && !/^[{[].*\}$/s.test(text)) return containment(column, value, where);
    return filterOf(column, '=', text, [text], where);
  }
  checkLength(where, value, MAX_VALUES);
  if (value.length === 0 && !isArray)
    throw new ArgumentError(
      `filter array cannot be empty: ${shorten(column.name)}. Give at least one value, or leave the filter out.`,
    );
  const sent = value.map((one: unknown) => valueOf(column, one, where));
  // The value of an array column is itself a list.
  if (isArray) return filterOf(column, '=', arrayLiteral(sent), sent, where);
  if (sent.length === 1) return filterOf(column, '=', sent[0], sent, where);
  return filterOf(column, '= ANY', arrayLiteral(sent), sent, where);
}

/** An array contains values, JSON contains JSON, and a text contains a text. */
function containment(column: Column, value: unknown, where: string): Filter {
  if (column.kind === 'json') {
    const text = jsonText(value, where);
    return filterOf(column, '@>', text, [text], where);
  }
  if (column.kind === 'array') {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    checkLength(where, list, MAX_VALUES);
    const sent = list.map((one) => valueOf(column, one, where));
    return filterOf(column, '@>', arrayLiteral(sent), sent, where);
  }
  const text = valueOf(column, value, where);
  const escaped = text.replaceAll(/[\\%_]/g, '\\$&');
  return filterOf(column, 'ILIKE', `%${escaped}%`, [text], where);
}

function pattern(
  column: Column,
  name: string,
  operand: unknown,
  operator: 'LIKE' | 'ILIKE',
  where: string,
): Filter {
  if (typeof operand !== 'string')
    throw new ArgumentError(
      `${where} takes a pattern, a string with % for any characters, not ${describeValue(operand)}.`,
    );
  const text = valueOf(column, operand, where);
  return { ...filterOf(column, operator, text, [text], where), negated: name.startsWith('not') };
}

type Operator =
  | '='
  | '!='
  | 'not'
  | 'in'
  | 'not in'
  | 'contains'
  | (typeof COMPARISONS)[number]
  | (typeof PATTERNS)[number];

const JSON_OPERATORS: readonly string[] = ['=', '!=', 'contains', 'not'];

function operatorsOf(column: Column): readonly Operator[] {
  switch (column.kind) {
    case 'array':
    case 'json':
      return ['=', '!=', 'contains', 'not'];
    case 'boolean':
      return ['=', '!=', 'in', 'not in', 'not'];
  }
  const ordered: Operator[] = ['=', '!=', ...COMPARISONS, 'in', 'not in'];
  return isText(column) ? [...ordered, ...PATTERNS, 'contains', 'not'] : [...ordered, 'not'];
}

/** Types whose values are strings in JSON, but no text to search in. */
const NO_TEXT =
  /range$|^(?:bytea|bit|point|line|lseg|box|path|polygon|circle|tsvector|tsquery|money|interval|oid|xid8?|cid|tid|pg_lsn)\b/;

function isText({ kind, type }: Column): boolean {
  return kind === 'enum' || kind === 'uuid' || (kind === 'string' && !NO_TEXT.test(type));
}

function operatorOf(column: Column, name: string, where: string): Operator {
  const lower = name.trim().toLowerCase();
  const known = SPELLINGS.get(lower) ?? lower;
  const operator = operatorsOf(column).find((one) => one === known);
  if (operator !== undefined) return operator;
  throw new ArgumentError(
    `${where}: "${shorten(name)}" is no operator for a column of type ${shorten(column.type)}. ${acceptedBy(column)}`,
  );
}

function acceptedBy(column: Column): string {
  const operators = operatorsOf(column).map((one) => `"${one}"`);
  const others = column.kind === 'json' ? ', or an object that the value contains' : '';
  return `It takes a value, a list, null${others}, or an object of ${operators.join(', ')}.`;
}

/** A value as text, which PostgreSQL parses as the column's type. */
function valueOf(column: Column, value: unknown, where: string): string {
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      return numberText(column, value, where);
    case 'string':
      return checkedText(value, where);
    default:
      throw new ArgumentError(
        `${where} must be a string, a number, true or false, a list of these, or null alone, not ${Array.isArray(value) ? 'a list in a list' : describeValue(value)}.`,
      );
  }
}

function checkedText(text: string, where: string): string {
  if (text.includes('\0') || !text.isWellFormed())
    throw new ArgumentError(`${where} holds a character that no text in the database can have.`);
  return text;
}

/** JSON.parse has already rounded a number with too many digits; types of floating point round it in any case. */
function numberText({ type }: Pick<Column, 'type'>, value: number, where: string): string {
  const text = String(value);
  const isFloat = type === 'double precision' || type === 'real';
  const isExact = Number.isInteger(value)
    ? Number.isSafeInteger(value)
    : text.replaceAll(/e.*$|^-?0*\.?0*|\./g, '').length <= DIGITS;
  if (Number.isFinite(value) && (isFloat || isExact)) return text;
  throw new ArgumentError(`${where}: this number is not exact any more. Send it as a string.`);
}

/** A number that a double holds has at most 17 digits, and one with fewer was not rounded to get there. */
const DIGITS = 16;

/** The text of a JSON value. */
function jsonText(value: unknown, where: string): string {
  checkJson(value, where, MAX_DEPTH);
  return JSON.stringify(value);
}

function checkJson(value: unknown, where: string, levels: number): void {
  if (typeof value === 'number') numberText({ type: 'jsonb' }, value, where);
  if (typeof value === 'string') checkedText(value, where);
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new ArgumentError(`${where} is nested too deeply.`);
  for (const [name, one] of Object.entries(value)) {
    checkedText(name, where);
    checkJson(one, where, levels - 1);
  }
}

/** patternHint tells how to search for a pattern if a text with % was compared as it is; undefined if none was. */
export function patternHint(filters: readonly Filter[]): string | undefined {
  for (const { where, column, operator, isBare, sent } of filters) {
    const found = isBare && operator.startsWith('=') && sent.find((one) => one.includes('%'));
    if (typeof found === 'string' && column.kind === 'string' && isText(column))
      return `${where} was compared with the text itself, % included. For a pattern send {"ilike": ${JSON.stringify(shorten(found))}}.`;
  }
  return undefined;
}
