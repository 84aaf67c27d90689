/** JSON Schemas (draft 2020-12, as in OpenAPI 3.1) as plain data. */
import type { JsonType } from '../../base/sql-types.js';

export type Schema = Readonly<Record<string, unknown>>;

/** ANY is the schema of any JSON, null included. */
export const ANY: Schema = {};

/** typed is the schema of values of one type, or of several. */
export function typed(type: JsonType | readonly JsonType[], format: string | undefined): Schema {
  return type === 'any' ? ANY : { type, ...(format === undefined ? {} : { format }) };
}

/** nullable is the schema of the same values and null. */
export function nullable(schema: Schema): Schema {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...(anyOf as Schema[]), NULL] };
  if (type === undefined) return schema;
  return { ...schema, type: [...[type].flat(), 'null'] };
}

const NULL: Schema = { type: 'null' };

/** anyOf is the schema of values of one of several schemas, each once. */
export function anyOf(schemas: readonly Schema[]): Schema {
  const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  if (different.size === 1) return schemas[0]!;
  if (different.has('{}')) return ANY;
  return { anyOf: [...different.values()] };
}

/** described adds a description where there is one. */
export function described(schema: Schema, ...notes: readonly (string | undefined)[]): Schema {
  const description = sentences(schema['description'] as string | undefined, ...notes);
  return description === '' ? schema : { ...schema, description };
}

/** sentences joins texts, each of which becomes a sentence. */
export function sentences(...texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined && text !== '')
    .map((text) => (/[.!?…:]$/.test(text!) ? text! : `${text!}.`))
    .join(' ');
}

/** reference is the schema of a component. */
export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
