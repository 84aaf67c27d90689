/**
 * The argument `order_by`: names of columns, with `-` before one or `desc` behind it for descending order. Throws
 * ArgumentError.
 */
import type { Order } from './conditions.js';
import { columnOf, type Columns } from './filters.js';
import { nameListArgument } from '../arguments/checked-arguments.js';
import type { Arguments } from '../arguments/tool.js';

/** Longest name with a direction behind it, characters. */
const LONGEST = 200;

/** orderOf reads the order; a repeated column has no effect and is left out. `most` limits the names. */
export function orderOf(
  args: Arguments,
  columns: Columns,
  most: number,
  where = 'order_by',
): readonly Order[] {
  const isName = (text: string): boolean => named(columns, text) !== undefined;
  const names = nameListArgument(args, 'order_by', most, isName);
  if (names.length === 0) return [];
  const order = new Map<Order['column'], boolean>();
  for (const name of names) {
    const { column, descends } = named(columns, name) ?? {
      column: columnOf(columns, name, where),
      descends: false,
    };
    if (!order.has(column)) order.set(column, descends);
  }
  return Array.from(order, ([column, descends]) => ({ column, descends }));
}

function named({ byName }: Columns, text: string): Order | undefined {
  // The name of a column may itself begin with a minus sign.
  const descending = text.startsWith('-') ? byName.get(text.slice(1)) : undefined;
  if (descending !== undefined) return { column: descending, descends: true };
  const column = byName.get(text);
  if (column !== undefined) return { column, descends: false };
  if (text.length > LONGEST) return undefined;
  const [, name = '', direction = ''] = /^(.+?)\s+(asc|desc)$/is.exec(text.trim()) ?? [];
  const directed = byName.get(name);
  return directed && { column: directed, descends: direction.toLowerCase() === 'desc' };
}
