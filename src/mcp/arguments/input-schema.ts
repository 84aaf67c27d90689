/**
 * Parts of the JSON Schemas for arguments of tools. They use only what all clients and APIs of language models accept:
 * no references, no lists of types, no format but `date-time`.
 */

export type Schema = Readonly<Record<string, unknown>>;

/** The annotations of all tools: read-only, and limited to the databases of this service. */
export const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

/** objectOf is the schema of an object with only these members. */
export function objectOf(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** listOf is the schema of a list of distinct items. */
export function listOf(items: Schema, description: string): Schema {
  return { type: 'array', items, uniqueItems: true, description };
}

/** LIMIT and OFFSET are arguments of every select. */
export const LIMIT: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: 100,
  description: 'Most rows to return (100 by default).',
};
export const OFFSET: Schema = {
  type: 'integer',
  minimum: 0,
  description: 'Rows to skip: next_offset of the answer before. Give order_by with it.',
};

/** Values of columns whose types a schema does not state. */
const SCALARS: readonly Schema[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

/** OPERATORS is a filter that names operators, or JSON that a value contains. */
export const OPERATORS: Schema = { type: 'object' };

/** ANY_VALUE is a filter on a column of any type. */
export const ANY_VALUE: Schema = {
  anyOf: [...SCALARS, { type: 'array', items: { anyOf: SCALARS } }, { type: 'null' }, OPERATORS],
};

export const ANY_ITEM: Schema = { anyOf: SCALARS };

export const COLUMNS = 'Columns to return, in this order; all of them by default.';
export const ORDER =
  'Columns to sort by; a minus sign before a name sorts in descending order. Nulls come last.';
export const FILTERS =
  'Conditions that all hold, by column: a value it equals, a list of which it equals one, null where there is none, or operators: {">=": 1, "<": 9}, "!=", "in", "not in", "like", "ilike" (% for any text), {"not": null}, "contains" (an element of an array, a part of a text or of JSON).';

/** plainText prepares a text of the database for a description: one line, no control characters, at most `most` long. */
export function plainText(text: string, most: number): string {
  const plain = text.replaceAll(CONTROLS, ' ').replaceAll(/ +/g, ' ').trim();
  if (plain.length <= most) return plain;
  // Drop half of a surrogate pair.
  return `${plain.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Control, format and separator characters, lone surrogates, and white space. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu;
