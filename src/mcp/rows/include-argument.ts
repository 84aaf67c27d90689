/**
 * The argument `include`: rows of related tables, along foreign keys in one of both directions. A table or column that the
 * caller may not read is reported as unknown. Throws ArgumentError.
 */
import {
  argument,
  checkNames,
  integerArgument,
  isCutName,
  nameListArgument,
  objectArgument,
} from '../arguments/checked-arguments.js';
import {
  ArgumentError,
  describeValue,
  listNames,
  nearestHint,
  shorten,
} from '../arguments/argument-error.js';
import type { Order } from './conditions.js';
import { columnOf, filtersOf, type Filter } from './filters.js';
import { orderOf } from './order-argument.js';
import type { Column, Table, TableKeys } from '../tables/table.js';
import {
  choiceOf,
  inwardRelations,
  outwardRelations,
  type Relation,
} from '../tables/table-relations.js';
import type { Arguments } from '../arguments/tool.js';

/** Include describes the related rows of each row. */
export interface Include {
  /** The member of a row. */
  readonly name: string;
  /** The table of the related rows. */
  readonly table: Table;
  /** The columns that are equal: of the related table, and of the table whose rows are selected. */
  readonly theirs: readonly Column[];
  readonly ours: readonly Column[];
  readonly columns: readonly Column[];
  /** Set if each row has a list of them; otherwise it has one or none. */
  readonly list:
    | {
        /** The member that tells whether there are more. */
        readonly more: string;
        readonly filters: readonly Filter[];
        readonly order: readonly Order[];
        readonly limit: number;
      }
    | undefined;
}

/** Maximum of related tables, and of the rows of a list. */
const MAX_INCLUDES = 10;
const MAX_RELATED = 100;
const RELATED = 10;

export const MAX_NAMES = 2_000;

/** includeOf reads the argument; `selected` are the columns of the result. */
export function includeOf(
  args: Arguments,
  keys: () => TableKeys,
  selected: readonly Column[],
): readonly Include[] {
  const sent = argument(args, 'include');
  if (sent === undefined) return [];
  const wanted = Object.entries(
    objectArgument(
      args,
      'include',
      () => 'an object of related tables, as {"customer": ["name"]}',
    )!,
  );
  if (wanted.length > MAX_INCLUDES)
    throw new ArgumentError(
      `include names ${wanted.length} tables; ${MAX_INCLUDES} are allowed at one time.`,
    );
  const all = keys();
  const relations = [...outwardRelations(all), ...inwardRelations(all)];
  const taken = new Set(selected.map(({ name }) => name));
  return wanted.map(([name, options]) => {
    const include = included(relationOf(relations, name), name, options, taken);
    for (const member of [include.name, include.list?.more ?? []].flat()) {
      if (taken.has(member))
        throw new ArgumentError(
          `include.${shorten(name)}: the rows have a column "${shorten(member)}" already. Leave it out with "columns".`,
        );
      taken.add(member);
    }
    return include;
  });
}

function relationOf(relations: readonly Relation[], name: string): Relation {
  let found = relations.filter(({ names }) => names.includes(name));
  if (found.length === 0) found = relations.filter(({ also }) => also.includes(name));
  const [relation] = found;
  if (relation !== undefined && found.length === 1) return relation;
  const choices = (found.length === 0 ? relations : found).map((one) => choiceOf(one, relations));
  if (found.length > 0)
    throw new ArgumentError(
      `include: "${shorten(name)}" means several foreign keys. Name one of: ${listNames(choices)}.`,
    );
  const instead = nearestHint(name, choices);
  const list =
    choices.length === 0
      ? 'No foreign key connects this table with one that you may read.'
      : `The related tables are: ${listNames(choices)}.`;
  throw new ArgumentError(`unknown table in include: ${shorten(name)}.${instead} ${list}`, {
    uncertain: true,
  });
}

function included(
  { key, isList }: Relation,
  sent: string,
  options: unknown,
  taken: ReadonlySet<string>,
): Include {
  const table = isList ? key.table : key.referenced;
  const [theirs, ours] = isList ? [key.columns, key.references] : [key.references, key.columns];
  const where = `include.${shorten(sent)}`;
  const args = optionsOf(options, where, isList);
  const member = taken.has(sent) ? related(sent) : sent;
  const name = isCutName(member) ? table.name : member;
  const columns = columnsOf(args, table, `${where}.columns`);
  const common = { name, table, theirs, ours, columns };
  if (!isList) return { ...common, list: undefined };
  return {
    ...common,
    list: {
      more: isCutName(`${name}_truncated`) ? `truncated_${taken.size}` : `${name}_truncated`,
      filters: filtersOf(args, 'filters', table, `${where}.filters`),
      order: orderOf(args, table, MAX_NAMES, `${where}.order_by`),
      limit: Math.min(integerArgument(args, 'limit', 1, RELATED), MAX_RELATED),
    },
  };
}

/** The member for a row that is named by its foreign key, if the column has the same name. */
function related(name: string): string {
  return name.endsWith('_id') ? name.slice(0, -'_id'.length) : `${name}_row`;
}

/** The options of a related table; a list is one of columns, and true means all of them. */
function optionsOf(options: unknown, where: string, isList: boolean): Arguments {
  if (options === true || options === null || options === '*') return {};
  if (Array.isArray(options) || typeof options === 'string') return { columns: options };
  if (typeof options !== 'object')
    throw new ArgumentError(
      `${where} must be a list of column names, or an object of options, not ${describeValue(options)}.`,
    );
  const names = isList ? ['columns', 'filters', 'order_by', 'limit'] : ['columns'];
  try {
    checkNames(options as Arguments, names);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new ArgumentError(`${where}: ${error.message}`);
  }
  return options as Arguments;
}

/** columnsOf reads the argument `columns`; without it, and for `*`, it gives the array of the table itself. */
export function columnsOf(args: Arguments, table: Table, where: string): readonly Column[] {
  const names = nameListArgument(args, 'columns', MAX_NAMES, (name) => table.byName.has(name));
  if (names.length === 0 || isAll(names, table)) return table.columns;
  return names.map((name) => columnOf(table, name, where));
}

/** Whether names mean all columns: `*`, which is not the name of one. */
function isAll(names: readonly string[], table: Table): boolean {
  return names.length === 1 && names[0] === '*' && !table.byName.has('*');
}
