/**
 * Pieces of the JSON Schemas of tools' arguments. They say no more than what all readers of such schemas understand, and
 * the interfaces of language models take: no references, no lists of types, no format but `date-time`.
 */

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** What every one of our tools tells of itself: it only reads, and it reads what is here. */
export function annotations(title: string): object {
  return {
    title,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
}

/** objectOf is an object with these members and no others. */
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

/** listOf is a list of different items. */
export function listOf(items: Schema, description: string): Schema {
  return { type: 'array', items, uniqueItems: true, description };
}

/** LIMIT and OFFSET are the arguments of every select. */
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

/** Values of columns that a schema does not name. */
const SCALARS: readonly Schema[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

/** ANY_VALUE is what a filter on some column may be. */
export const ANY_VALUE: Schema = {
  anyOf: [...SCALARS, { type: 'array', items: { anyOf: SCALARS } }, { type: 'null' }],
};

/** ANY_ITEM is what an array of PostgreSQL may hold. */
export const ANY_ITEM: Schema = { anyOf: SCALARS };

export const COLUMNS = 'Columns to return, in this order; all of them by default.';
export const ORDER = 'Columns to sort by; a minus sign before a name sorts in descending order.';
export const FILTERS =
  'Conditions that all hold, by column: a value it equals, a list of which it equals one, or null where there is none.';

/** plainText is a text from the database as part of a description: on one line, without controls, not too long. */
export function plainText(text: string, most: number): string {
  const plain = text.replaceAll(CONTROLS, ' ').replaceAll(/ +/g, ' ').trim();
  if (plain.length <= most) return plain;
  // Not half of a character that takes two units.
  return `${plain.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Controls, what turns the direction of text or is not seen at all, and what is no character. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu;
