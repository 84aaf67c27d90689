/**
 * Converts the arguments of an aggregation: groups by columns or by spans of time, and functions over each group. Conditions
 * (`having`) and the order name the columns of the result. Groups, functions and filters also take columns of referenced
 * tables, by paths. Throws ArgumentError. A column that the caller may not read is reported as unknown.
 */
import { isObject } from '../../base/json.js';
import { ArgumentError, describeValue, listNames, shorten } from '../arguments/argument-error.js';
import {
  argument,
  isCutName,
  listArgument,
  LONGEST_NAME,
  nameListArgument,
  textArgument,
} from '../arguments/checked-arguments.js';
import type { Order } from './conditions.js';
import { columnOf, filtersOf, type Columns, type Filter } from './filters.js';
import { orderOf } from './order-argument.js';
import { pageOf, TABLE_ARGUMENTS } from './select-arguments.js';
import { PathColumns, type Join } from './path-columns.js';
import type { Column, Table, TableKeys } from '../tables/table.js';
import type { Arguments } from '../arguments/tool.js';

export const SPANS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export const FUNCTIONS = ['count', 'count_distinct', 'sum', 'avg', 'min', 'max'] as const;

/** Group is a column of the result by which rows are grouped. */
export interface Group {
  readonly name: string;
  readonly column: Column;
  /** Undefined for its values themselves. */
  readonly by: (typeof SPANS)[number] | undefined;
  /** The time zone in which spans begin; undefined for the database's. */
  readonly zone: string | undefined;
}

/** Aggregate is a column of the result that a function computes. */
export interface Aggregate {
  readonly name: string;
  readonly function: (typeof FUNCTIONS)[number];
  /** Undefined to count rows. */
  readonly column: Column | undefined;
}

export interface Aggregation {
  /** The tables of columns along foreign keys. */
  readonly joins: readonly Join[];
  readonly groups: readonly Group[];
  readonly aggregates: readonly Aggregate[];
  readonly filters: readonly Filter[];
  readonly having: readonly Filter[];
  readonly order: readonly Order[];
  readonly limit: number;
  readonly offset: number;
}

export const AGGREGATE_ARGUMENTS = [
  ...TABLE_ARGUMENTS,
  'group_by',
  'aggregates',
  'filters',
  'having',
  'order_by',
  'limit',
  'offset',
];

/** Maximum of groups' columns, and of functions. */
const MAX_GROUPS = 10;
const MAX_AGGREGATES = 30;

/** aggregationOf reads the arguments; `keysOf` gives the foreign keys that the caller may follow. */
export function aggregationOf(
  args: Arguments,
  table: Table,
  keysOf: (table: Table) => TableKeys,
): Aggregation {
  const page = pageOf(args);
  const columns = new PathColumns(table, 't', keysOf);
  const groups = groupsOf(args, columns);
  const aggregates = aggregatesOf(args, columns);
  const result = resultOf([...groups.map(groupColumn), ...aggregates.map(aggregateColumn)]);
  const filters = filtersOf(args, 'filters', columns);
  const having = filtersOf(args, 'having', result);
  const sent = orderOf(args, result, MAX_GROUPS + MAX_AGGREGATES);
  const order = [...sent, ...usualOrder(groups, aggregates, result, sent)];
  return { joins: columns.joins, groups, aggregates, filters, having, order, ...page };
}

function groupsOf(args: Arguments, columns: Columns): Group[] {
  const list = groupList(args, columns);
  return list.map((one, i) => {
    const where = `group_by[${i}]`;
    if (typeof one === 'string') {
      const column = columnOf(columns, one, 'group_by');
      return { name: one, column, by: undefined, zone: undefined };
    }
    const options = objectOf(one, where, ['column', 'by', 'time_zone', 'as']);
    const sent = requiredColumn(options, where);
    const column = columnOf(columns, sent, where);
    const by = oneOf(options, 'by', SPANS, where);
    const zone = zoneOf(options, where);
    if (by !== undefined && column.kind !== 'date' && column.kind !== 'date-time')
      throw new ArgumentError(
        `${where}: "by" is for columns of dates and timestamps; ${shorten(column.name)} is of the type ${shorten(column.type)}.`,
      );
    if (zone !== undefined && (by === undefined || !column.type.endsWith('with time zone')))
      throw new ArgumentError(
        `${where}: "time_zone" is for "by" with a column of the type timestamp with time zone.`,
      );
    return { name: nameOf(options, where) ?? sent, column, by, zone };
  });
}

function groupList(args: Arguments, { byName }: Columns): readonly unknown[] {
  const sent = argument(args, 'group_by');
  const isName = (name: string): boolean => byName.has(name);
  if (typeof sent === 'string' && !/^\s*[[{]/.test(sent))
    return nameListArgument(args, 'group_by', MAX_GROUPS, isName);
  const form = 'a list of column names, or of {"column": …, "by": "month"}';
  return listArgument(isObject(sent) ? { group_by: [sent] } : args, 'group_by', form, MAX_GROUPS);
}

function aggregatesOf(args: Arguments, columns: Columns): Aggregate[] {
  const form = 'a list of functions, as {"function": "sum", "column": …}';
  const list = listArgument(args, 'aggregates', form, MAX_AGGREGATES);
  if (list.length === 0) return [{ name: 'count', function: 'count', column: undefined }];
  return list.map((one, i) => {
    const where = `aggregates[${i}]`;
    const options = one === 'count' ? { function: 'count' } : one;
    const sent = objectOf(options, where, ['function', 'column', 'as']);
    const name = oneOf(sent, 'function', FUNCTIONS, where);
    if (name === undefined)
      throw new ArgumentError(`${where} needs a "function": one of ${listNames(FUNCTIONS)}.`);
    const column = aggregated(sent, name, columns, where);
    const usual = column === undefined ? name : `${name}_${requiredColumn(sent, where)}`;
    return { name: nameOf(sent, where) ?? usual, function: name, column };
  });
}

/** The column of a function; undefined to count rows. */
function aggregated(
  sent: Arguments,
  name: Aggregate['function'],
  columns: Columns,
  where: string,
): Column | undefined {
  const isAll = [undefined, null, '', '*'].includes(sent['column'] as string);
  if (name === 'count' && isAll && !columns.byName.has('*')) return undefined;
  const column = columnOf(columns, requiredColumn(sent, where), where);
  if ((name === 'sum' || name === 'avg') && !isSummable(column))
    throw new ArgumentError(
      `${where}: "${name}" is for numbers; ${shorten(column.name)} is of the type ${shorten(column.type)}.`,
    );
  return column;
}

/** Domains over these types have names of their own, but the kind of the type. */
function isSummable({ kind, type }: Column): boolean {
  return kind === 'integer' || kind === 'number' || /^(?:interval|money)\b/.test(type);
}

function objectOf(value: unknown, where: string, names: readonly string[]): Arguments {
  if (!isObject(value))
    throw new ArgumentError(
      `${where} must be an object of ${names.join(', ')}, not ${describeValue(value)}.`,
    );
  for (const name of Object.keys(value))
    if (!names.includes(name))
      throw new ArgumentError(`${where}: unknown: ${shorten(name)}. It takes ${names.join(', ')}.`);
  return value;
}

function requiredColumn(options: Arguments, where: string): string {
  const name = textArgument(options, 'column');
  if (name === undefined) throw new ArgumentError(`${where} needs a "column".`);
  return name;
}

function oneOf<Name extends string>(
  options: Arguments,
  name: string,
  allowed: readonly Name[],
  where: string,
): Name | undefined {
  const value = argument(options, name);
  if (value === undefined) return undefined;
  const lower = typeof value === 'string' ? value.toLowerCase() : value;
  const found = allowed.find((one) => one === lower);
  if (found !== undefined) return found;
  throw new ArgumentError(
    `${where}: "${name}" must be one of ${listNames(allowed)}, not ${describeValue(value)}.`,
  );
}

/** The name of a time zone. Offsets are refused, because PostgreSQL reads their sign the other way round. */
function zoneOf(options: Arguments, where: string): string | undefined {
  const zone = textArgument(options, 'time_zone');
  if (zone === undefined || (/^[A-Za-z][\w/+-]{0,63}$/.test(zone) && isZone(zone))) return zone;
  throw new ArgumentError(
    `${where}: "time_zone" must be the name of a time zone, as "Europe/Berlin" or "UTC", not ${describeValue(zone)}.`,
  );
}

function isZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The name that a column of the result is given. */
function nameOf(options: Arguments, where: string): string | undefined {
  const name = textArgument(options, 'as');
  if (name === undefined) return undefined;
  if (name === '' || name.includes('\0') || !name.isWellFormed() || isCutName(name))
    throw new ArgumentError(`${where}: "as" must be a name of 1 to ${LONGEST_NAME} bytes.`);
  return name;
}

/** The columns of the result, which conditions and the order may name. */
function resultOf(columns: readonly Column[]): Columns {
  const byName = new Map<string, Column>();
  for (const column of columns) {
    const { name } = column;
    if (isCutName(name))
      throw new ArgumentError(`the name ${shorten(name)} is too long: give another one with "as".`);
    if (byName.has(name))
      throw new ArgumentError(
        `two columns of the result are called ${shorten(name)}: give one another name with "as".`,
      );
    byName.set(name, column);
  }
  return { columns, byName };
}

function groupColumn({ name, column, by }: Group): Column {
  if (by === undefined) return resultColumn(column, name);
  const [type, kind] = by === 'hour' ? [column.type, column.kind] : (['date', 'date'] as const);
  return { ...resultColumn(column, name), type, kind, nullable: true };
}

function aggregateColumn({ name, function: of, column }: Aggregate): Column {
  if (column === undefined || of === 'count' || of === 'count_distinct') return { ...COUNT, name };
  if (of === 'avg' && column.kind !== 'string') return { ...COUNT, ...AVERAGE, name };
  // Only aggregates of PostgreSQL's own types are used.
  return { ...resultColumn(column, name), nullable: true, operators: undefined };
}

/** A column of the result, whatever table its values come from. */
function resultColumn(column: Column, name: string): Column {
  return { ...column, name, relation: undefined };
}

const COUNT: Column = {
  name: 'count',
  type: 'bigint',
  kind: 'integer',
  labels: undefined,
  position: 0,
  nullable: false,
  maxLength: undefined,
  identity: undefined,
  generated: undefined,
  defaultValue: undefined,
  description: undefined,
};

const AVERAGE = { type: 'double precision', kind: 'number', nullable: true } as const;

/**
 * The order after the one that was sent: spans of time as they follow each other, otherwise the largest groups first. All
 * groups are in it, so that pages are complete.
 */
function usualOrder(
  groups: readonly Group[],
  [aggregate]: readonly Aggregate[],
  { byName }: Columns,
  sent: readonly Order[],
): Order[] {
  const ordered = (name: string, descends: boolean): Order => ({
    column: byName.get(name)!,
    descends,
  });
  const byGroup = groups.map(({ name }) => ordered(name, false));
  const isTimeline = groups.some(({ by }) => by !== undefined);
  const first = sent.length > 0 || isTimeline || groups.length === 0 ? [] : [aggregate!.name];
  const all = [...first.map((name) => ordered(name, true)), ...byGroup];
  return all.filter(({ column }) => sent.every((one) => one.column !== column));
}
