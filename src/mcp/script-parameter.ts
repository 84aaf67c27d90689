/**
 * One parameter of a script as an argument of a tool: its JSON Schema, and the conversion of the sent value to the text
 * that a query string would have. Throws ArgumentError.
 */
import type { Parameter } from '../template/parameters.js';
import { listNames, ArgumentError, describeValue } from './argument-error.js';

type Json = Readonly<Record<string, unknown>>;

const TEXT: Json = { type: 'string' };
const WHOLE: Json = { type: 'integer' };
const LARGE_WHOLE: Json = { anyOf: [WHOLE, TEXT] };

/**
 * JSON types by SQL type. Numbers that JSON would round may be sent as text. No lists of types and no formats: some
 * clients accept neither, and then reject all tools.
 */
const TYPES: ReadonlyMap<string, Json> = new Map([
  ...typed(WHOLE, 'smallint', 'int2', 'integer', 'int', 'int4'),
  ...typed(LARGE_WHOLE, 'bigint', 'int8', 'oid'),
  ...typed({ anyOf: [{ type: 'number' }, TEXT] }, 'numeric', 'decimal'),
  ...typed({ type: 'number' }, 'real', 'float4', 'double precision', 'float', 'float8'),
  ...typed({ type: 'boolean' }, 'boolean', 'bool'),
]);

function typed(schema: Json, ...names: string[]): [string, Json][] {
  return names.map((name) => [name, schema]);
}

/** Longest constant of a script in a schema, characters. */
const LONGEST = 100;

const PLAIN = new Set(['text', 'varchar', 'character varying']);

/** Names that `ident` accepts, for clients that validate arguments. */
const IDENTIFIER = '^[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})*$';
const IDENTIFIERS = new RegExp(IDENTIFIER);
const INTEGER = /^[+-]?[0-9]{1,20}$/;

/** parameterSchema is the JSON Schema of a parameter; `about` is the beginning of its description. */
export function parameterSchema(parameter: Parameter, about: string | undefined): Json {
  const { list, identifier, fallback, flag } = parameter;
  if (flag) return { type: 'boolean', description: 'Whether it is set.' };
  const one = identifier ? { ...TEXT, pattern: IDENTIFIER } : typeOf(parameter);
  const schema = list ? { type: 'array', items: one, minItems: 1 } : one;
  const description = [about, ...notes(parameter)].filter((note) => note !== undefined).join(' ');
  return {
    ...schema,
    ...(description === '' ? {} : { description }),
    ...(fallback === undefined || list || fallback.length > LONGEST
      ? {}
      : { default: valueOf(fallback, one) }),
  };
}

function typeOf({ integer, type = '' }: Parameter): Json {
  return integer ? WHOLE : (TYPES.get(bare(type)) ?? TEXT);
}

/** A type without modifiers in parentheses. */
function bare(type: string): string {
  return type.replace(/ ?\(.*?\)/, '').replace(/^pg_catalog\./, '');
}

function* notes(parameter: Parameter): Generator<string> {
  const { type, identifier, interpolated, values, fallback, list } = parameter;
  const text = typeOf(parameter) === TEXT;
  if (type !== undefined && text && !PLAIN.has(bare(type)))
    yield `${list ? 'Each of' : 'Of'} the SQL type ${type}.`;
  const known = new Set(fallback === undefined ? values : [fallback, ...values]);
  const few = [...known].filter((value) => value.length <= LONGEST);
  if (values.length > 0 && few.length > 0)
    yield `Known values: ${few.map((value) => JSON.stringify(value)).join(', ')}.`;
  else if (interpolated && text && !identifier)
    yield 'Letters, digits, spaces and _ . : @ / \\ - only.';
}

/** A default as a JSON value of its type, if that has the same text. */
function valueOf(text: string, { type }: Json): unknown {
  if (type === 'string') return text;
  const value = jsonOf(text);
  const simple = typeof value === 'number' || typeof value === 'boolean';
  return simple && String(value) === text ? value : text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** parameterValue is the value for the script, undefined for none. */
export function parameterValue(
  parameter: Parameter,
  value: unknown,
): string | string[] | undefined {
  const { name, list, flag, identifier } = parameter;
  if (value === null || value === undefined || (flag && value === false)) return undefined;
  const type = typeOf(parameter);
  const whole = type === WHOLE || type === LARGE_WHOLE;
  const check = (text: string, sent: unknown): string => {
    if (identifier && !IDENTIFIERS.test(text))
      throw new ArgumentError(
        `${name} must be a name of letters, digits and _, or names with dots between, not ${describeValue(sent)}.`,
      );
    if (whole && !INTEGER.test(text))
      throw new ArgumentError(`${name} must be a whole number, not ${describeValue(sent)}.`);
    return text;
  };
  if (!list) {
    if (Array.isArray(value)) throw new ArgumentError(`${name} takes one value, not a list.`);
    return check(scalarText(name, value), value);
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0)
    throw new ArgumentError(`${name} must hold a value at least; leave it out for none.`);
  return values.map((one) => check(scalarText(name, one), one));
}

/** openValue is the value of a parameter whose name is not in the script's text. */
export function openValue(name: string, value: unknown): string | string[] | undefined {
  if (value === null || value === undefined) return undefined;
  return Array.isArray(value) ? value.map((one) => scalarText(name, one)) : scalarText(name, value);
}

function scalarText(name: string, value: unknown): string {
  switch (typeof value) {
    case 'string':
      if (value.includes('\0') || !value.isWellFormed())
        throw new ArgumentError(
          `${name} has a character that is none of a text: a NUL, or half of one.`,
        );
      return value;
    case 'boolean':
      return String(value);
    case 'number':
      // JSON.parse has already rounded it.
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        throw new ArgumentError(`${name} is too large for a JSON number: send it as a string.`);
      return String(value);
    default:
      throw new ArgumentError(
        `${name} takes text, numbers and booleans, not ${describeValue(value)}.`,
      );
  }
}

/** missing is the error for a call without required parameters. */
export function missing(names: readonly string[]): ArgumentError {
  return new ArgumentError(
    `missing: ${listNames(names)}. The script needs ${names.length === 1 ? 'it' : 'them'}.`,
  );
}
