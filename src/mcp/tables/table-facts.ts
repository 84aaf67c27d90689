/**
 * What a caller may know about a table beside its columns and keys: what names a column that the caller may not read, even
 * inside an expression, does not exist for them.
 */
import type { Column, Table } from './table.js';

/** An index, as far as it is described: names of columns, and expressions. */
export interface KnownIndex {
  readonly keys: readonly string[];
  readonly unique: boolean;
  /** For a partial index. */
  readonly condition: string | undefined;
}

/** Longest expression that is described (characters), and most values: models read them all. */
const LONGEST = 1_000;
const MOST_VALUES = 100;

/** indexesOf lists the indexes of a table except its primary key's. */
export function indexesOf(table: Table): readonly KnownIndex[] {
  const columns = new Map(table.columns.map((column) => [column.position, column.name]));
  return table.facts.indexes
    .filter(
      ({ primary, keys, condition = '', columns: used }) =>
        !primary &&
        keys.length > 0 &&
        used.every((position) => columns.has(position)) &&
        [condition, ...keys].every((text) => typeof text === 'number' || text.length <= LONGEST),
    )
    .map(({ keys, unique, condition }) => ({
      keys: keys.map((key) => (typeof key === 'number' ? columns.get(key)! : key)),
      unique,
      condition,
    }));
}

export interface KnownChecks {
  /** The values that a column is restricted to, by its name. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The expressions of all others. */
  readonly expressions: readonly string[];
}

export function checksOf(table: Table): KnownChecks {
  const columns = new Map(table.columns.map((column) => [column.position, column]));
  const values = new Map<string, readonly string[]>();
  const expressions: string[] = [];
  for (const { expression, columns: used } of table.facts.checks) {
    if (!used.every((position) => columns.has(position))) continue;
    const [column] = used.map((position) => columns.get(position));
    const listed = used.length === 1 ? listedValues(expression) : undefined;
    if (listed !== undefined && listed.length <= MOST_VALUES && !values.has(column!.name))
      values.set(column!.name, listed);
    else if (expression.length <= LONGEST) expressions.push(expression);
  }
  return { values, expressions };
}

export function expressionOf({ generated }: Column, { columns }: Table): string | undefined {
  const isKnown = generated?.columns.every((at) => columns.some(({ position }) => position === at));
  return isKnown === true ? generated?.expression : undefined;
}

/** An operand, compared with a list of constants: `status::text = ANY (ARRAY['new'::text, 'paid'::text])`. */
const AMONG =
  /^\(*(?:"(?:[^"]|"")+"|[^\s"'()[\],]+)\)*(?:::[a-z ]+)? = ANY \(+ARRAY\[(.*?)\]\)?(?:::[a-z ]+\[\])?\)+$/s;

/** A constant of the list, with its type: a text, or a number. */
const CONSTANT = /(?:'((?:[^']|'')*)'|(-?\d+(?:\.\d+)?))(?:::[a-z "]+)?(?:, |$)/y;

/** The constants that an expression restricts its only column to; undefined if it says anything else. */
function listedValues(expression: string): readonly string[] | undefined {
  const list = AMONG.exec(expression)?.[1];
  if (list === undefined) return undefined;
  const values: string[] = [];
  CONSTANT.lastIndex = 0;
  while (CONSTANT.lastIndex < list.length) {
    const [, text, number] = CONSTANT.exec(list) ?? [];
    if (text === undefined && number === undefined) return undefined;
    values.push(text?.replaceAll("''", "'") ?? number!);
  }
  return values;
}
