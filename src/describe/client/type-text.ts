/** Types of TypeScript for schemas: of what is sent, as text or as JSON, and of what is received. */
import { isObject } from '../../base/json.js';
import type { Schema } from '../openapi/schema.js';
import { asList, asObject, textOf } from './client-operation.js';
import { isTaken } from './names.js';
import { commentLines, literal, memberName } from './source-text.js';

/** Where the value is: `text` in a URL or a header, `json` in a body, `result` in a response. */
export type ValueForm = 'text' | 'json' | 'result';

/** Deepest nesting that is written out. */
const DEEPEST = 32;

export class TypeText {
  readonly #place: ValueForm;
  readonly #nameOf: (reference: string) => string | undefined;

  /** `nameOf` gives the type for a reference, or undefined. */
  constructor(
    place: ValueForm,
    nameOf: (reference: string) => string | undefined = () => undefined,
  ) {
    this.#place = place;
    this.#nameOf = nameOf;
  }

  /** of writes the type of a schema. */
  of(schema: unknown, depth = 0): string {
    if (!isObject(schema) || depth > DEEPEST) return 'unknown';
    const { $ref, anyOf, enum: values, type } = schema;
    if (typeof $ref === 'string') return this.#nameOf($ref) ?? 'unknown';
    if (Array.isArray(anyOf)) return union(anyOf.map((one) => this.of(one, depth)));
    if (Array.isArray(values)) return union(values.map(valueText));
    return union([type].flat().map((one) => this.#ofType(one, schema, depth)));
  }

  #ofType(type: unknown, schema: Schema, depth: number): string {
    const sent = this.#place !== 'result';
    switch (type) {
      case 'string':
        return sent && schema['format'] === 'date-time' ? 'string | Date' : 'string';
      case 'integer':
        return this.#place === 'text' && schema['format'] === 'int64'
          ? 'number | bigint'
          : 'number';
      case 'number':
        // Text keeps the digits of a numeric.
        return this.#place === 'text' && schema['format'] === undefined
          ? 'number | `${number}`'
          : 'number';
      case 'boolean':
      case 'null':
        return type;
      case 'array': {
        const item = this.of(schema['items'], depth + 1);
        const list = `${item.includes(' ') ? `(${item})` : item}[]`;
        return sent ? `readonly ${list}` : list;
      }
      case 'object':
        if (!isObject(schema['properties'])) return 'Record<string, unknown>';
        return ['{', ...indented(this.members(schema, depth + 1)), '}'].join('\n');
      default:
        return 'unknown';
    }
  }

  /** members writes the members of an object type, a line each or more. */
  members(schema: Schema, depth = 0): string[] {
    const required = new Set(asList(schema['required']));
    return Object.entries(asObject(schema['properties'])).flatMap(([name, one]) =>
      this.member(name, one, required.has(name), undefined, depth),
    );
  }

  /** member writes a member with what its schema says in words. */
  member(
    name: string,
    schema: unknown,
    required: boolean,
    description?: string,
    depth = 0,
  ): string[] {
    const sent = this.#place !== 'result';
    // Objects have a member by such a name of their own, which would have to be of the type.
    const type = !required && isTaken(name) ? 'unknown' : this.of(schema, depth);
    const optional = required ? '' : '?';
    const absent = !required && sent && type !== 'unknown' ? ' | undefined' : '';
    const whole = type.startsWith('readonly ') && absent !== '' ? `(${type})` : type;
    const lines = `${memberName(name)}${optional}: ${whole}${absent};`.split('\n');
    return [...commentLines([noteOf(asObject(schema), description, sent)]), ...lines];
  }
}

/** union joins types, each once. */
function union(types: readonly string[]): string {
  const different = [...new Set(types.flatMap((type) => splitUnion(type)))];
  if (different.includes('unknown') || different.length === 0) return 'unknown';
  return different.join(' | ');
}

/** The parts of a union of simple types. */
function splitUnion(type: string): readonly string[] {
  return /^[\w`${} |]+$/.test(type) ? type.split(' | ') : [type];
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return literal(value);
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? JSON.stringify(value)
    : 'unknown';
}

/** indented moves lines to the right. */
export function indented(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split('\n')).map((line) => (line === '' ? '' : `  ${line}`));
}

/** What a type does not say. */
export function noteOf(schema: Schema, description: string | undefined, sent: boolean): string {
  const item = asObject(schema['items']);
  const notes: string[] = [];
  for (const text of [description, textOf(schema['description']), textOf(item['description'])])
    if (text !== undefined && !notes.includes(text)) notes.push(text);
  const { format, minimum, maximum, minLength, maxLength, pattern, contentMediaType } = {
    ...item,
    ...schema,
  };
  if (format === 'uuid' || format === 'date' || (format === 'date-time' && !sent))
    notes.push(`A ${format}.`);
  if (contentMediaType === 'application/json') notes.push('JSON as text.');
  if (sent) {
    if (isScalar(minimum)) notes.push(`At least ${minimum}.`);
    if (isScalar(maximum)) notes.push(`At most ${maximum}.`);
    if (isScalar(minLength)) notes.push(`At least ${minLength} characters.`);
    if (isScalar(maxLength)) notes.push(`At most ${maxLength} characters.`);
    if (typeof pattern === 'string') notes.push(`Matches ${pattern}`);
    if (schema['default'] !== undefined)
      notes.push(`Default: ${[schema['default']].flat().map(String).join(', ')}.`);
  }
  return notes.join(' ');
}

function isScalar(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string';
}
