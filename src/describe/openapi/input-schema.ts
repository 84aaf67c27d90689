/**
 * The schema of one input. What a schema cannot say is in the description: a condition, bounds of dates, numbers that JSON
 * would round, a pattern that is none in JavaScript.
 */
import { SQL_NAME } from '../../base/identifier.js';
import { sqlType } from '../../base/sql-types.js';
import type { Input } from '../parameters.js';
import { ANY, described, typed, type Schema } from './schema.js';

/** Where the value is: as text in a URL, a header or a form, or in a JSON document. */
export type Encoding = 'text' | 'json';

const TEXT: Schema = { type: 'string' };

const JSON_TEXT: Schema = { type: 'string', contentMediaType: 'application/json' };

/** inputSchema is the schema of an input; `single` is that of one value even where several may be sent. */
export function inputSchema(input: Input, encoding: Encoding, single = false): Schema {
  const { list, values, description } = input;
  const type = typeOf(input);
  const isList = list && !single;
  const base = values === undefined ? baseOf(input, type, encoding) : { ...TEXT, enum: values };
  const item = { ...base, ...boundsOf(input, base) };
  const schema: Schema = isList ? { type: 'array', items: item } : item;
  const fallback = defaultOf(input, base, isList);
  return described(
    { ...schema, ...fallback.schema },
    description,
    ...notes(input, type, item),
    fallback.note,
  );
}

/** The type of one value; undefined when it may be any text. */
function typeOf({ types, list }: Input): string | undefined {
  const [first, ...others] = types.filter((type) => !ANY_TEXT.has(type));
  // A value that is bound with several types must be valid for each: there is no schema for that.
  if (first === undefined || others.length > 0) return undefined;
  return list && first.endsWith('[]') ? first.slice(0, -2) : first;
}

const ANY_TEXT: ReadonlySet<string> = new Set(['text', 'character varying', 'unknown']);

function baseOf({ used }: Input, type: string | undefined, encoding: Encoding): Schema {
  if (used?.identifier === true) return { ...TEXT, pattern: SQL_NAME };
  if (type === undefined) return used?.integer === true ? { type: 'integer' } : TEXT;
  const { name, json, format } = sqlType(type) ?? { json: 'string' };
  if (json === 'any') return encoding === 'json' ? ANY : JSON_TEXT;
  if (json === 'object') return TEXT;
  // In JSON, digits that a number would lose may be sent as text.
  const isLong = encoding === 'json' && (name === 'bigint' || name === 'numeric');
  return typed(isLong ? [json, 'string'] : json, format);
}

/** Types that need no note. */
const PLAIN: ReadonlySet<string> = new Set(
  'text,character varying,character,citext,name,json'.split(','),
);

/** Whether a note names a type, because its schema does not. */
function isNamed(type: string): boolean {
  const { json, format } = sqlType(type) ?? { json: 'string' };
  return !PLAIN.has(type) && format === undefined && ['any', 'object', 'string'].includes(json);
}

function boundsOf({ min, max, minlength, maxlength, pattern }: Input, { type }: Schema): Schema {
  const numeric = type !== 'string';
  return {
    ...(numeric && isExact(min) ? { minimum: Number(min) } : {}),
    ...(numeric && isExact(max) ? { maximum: Number(max) } : {}),
    ...(minlength === undefined ? {} : { minLength: Number(minlength) }),
    ...(maxlength === undefined ? {} : { maxLength: Number(maxlength) }),
    ...(isPattern(pattern) ? { pattern: `^(?:${pattern})$` } : {}),
  };
}

/** Whether JSON has this number with all digits. */
function isExact(text: string | undefined): text is string {
  if (text === undefined) return false;
  const digits = text
    .replace(/[eE].*$/, '')
    .replaceAll(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15 && text.trim() !== '' && Number.isFinite(Number(text));
}

/** Whether a pattern of RE2 is one of JavaScript with the same meaning. */
function isPattern(pattern: string | undefined): pattern is string {
  if (pattern === undefined || pattern.includes('[:')) return false;
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function* notes(input: Input, type: string | undefined, item: Schema): Generator<string> {
  const { neededWhen, values, min, max, pattern, compared, used } = input;
  if (neededWhen !== undefined) yield `Needed when ${neededWhen}`;
  if (min !== undefined && item['minimum'] === undefined) yield `At least ${min}`;
  if (max !== undefined && item['maximum'] === undefined) yield `At most ${max}`;
  if (pattern !== undefined && item['pattern'] === undefined)
    yield `The whole text matches ${pattern} (RE2)`;
  if (values === undefined && type !== undefined && isNamed(type)) yield `SQL type ${type}`;
  if (values === undefined && compared.length > 0)
    yield `Values with a meaning: ${compared.map((value) => JSON.stringify(value)).join(', ')}`;
  else if (used?.flag === true && type === undefined) yield 'Only whether it is sent matters';
}

/** The default as a value of the schema, or in words where it has no such value. */
function defaultOf(
  { default: fallback }: Input,
  { type }: Schema,
  isList: boolean,
): { readonly schema: Schema; readonly note?: string } {
  if (fallback === undefined) return { schema: {} };
  const values = [fallback].flat().map((text) => valueOf(text, type));
  if (values.includes(undefined))
    return { schema: {}, note: `Default: ${[fallback].flat().join(', ')}` };
  return { schema: { default: isList ? values : values[0] } };
}

/** The value of a text, undefined when a schema of that type has no value with this text. */
function valueOf(text: string, type: unknown): unknown {
  if (type === 'string') return text;
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : undefined);
  return isExact(text) ? Number(text) : undefined;
}
