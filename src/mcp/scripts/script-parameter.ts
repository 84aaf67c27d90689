/**
 * One parameter of a script as an argument of a tool: its JSON Schema, and the conversion of the sent value to the text
 * that a query string would have. Throws ArgumentError.
 */
import { ArgumentError, listNames } from '../arguments/argument-error.js';
import { ArgumentType, OPEN } from './argument-type.js';
import type { ToolParameter } from './tool-parameter.js';

type Json = Readonly<Record<string, unknown>>;

/** Longest constant of a script in a schema, and condition in a description, characters. */
const LONGEST = 100;
const LONGEST_CONDITION = 300;

export class ScriptParameter {
  readonly name: string;
  readonly required: boolean;
  readonly #parameter: ToolParameter;
  readonly #type: ArgumentType;

  constructor(parameter: ToolParameter) {
    this.name = parameter.name;
    this.required = parameter.required;
    this.#parameter = parameter;
    this.#type = new ArgumentType(parameter);
  }

  /** schema is its JSON Schema. */
  schema(): Json {
    const { list, fallback, flag, about } = this.#parameter;
    if (flag) return { type: 'boolean', description: 'Whether it is set.' };
    const one = this.#type.schema;
    const schema = list ? { type: 'array', items: one, minItems: 1 } : one;
    const notes = [about, ...this.#notes()].filter((note) => note !== '');
    return {
      ...schema,
      ...(notes.length === 0 ? {} : { description: notes.join(' ') }),
      ...(fallback === undefined || list || fallback.length > LONGEST
        ? {}
        : { default: valueOf(fallback, one) }),
    };
  }

  *#notes(): Generator<string> {
    const { neededWhen, identifier, interpolated, isEnum, values, fallback, list } =
      this.#parameter;
    if (neededWhen !== undefined && neededWhen.length <= LONGEST_CONDITION)
      yield `Needed when ${neededWhen}.`;
    const { named } = this.#type;
    if (named.length > 0) yield `${list ? 'Each of' : 'Of'} the SQL type ${named.join(' or ')}.`;
    const known = new Set(fallback === undefined ? values : [fallback, ...values]);
    const few = [...known].filter((value) => value.length <= LONGEST);
    if (values.length > 0 && few.length > 0 && !isEnum)
      yield `Known values: ${few.map((value) => JSON.stringify(value)).join(', ')}.`;
    else if (interpolated && this.#type.isText && !identifier)
      yield 'Letters, digits, spaces and _ . : @ / \\ - only.';
  }

  /** value is the value for the script, undefined for none. */
  value(sent: unknown): string | string[] | undefined {
    const { name, list, flag, isArray } = this.#parameter;
    if (sent === null || sent === undefined || (flag && sent === false)) return undefined;
    if (!list) {
      if (Array.isArray(sent) && !this.#type.isJson)
        throw new ArgumentError(`${name} takes one value, not a list.`);
      return this.#type.text(name, sent);
    }
    if (isArray && typeof sent === 'string' && ARRAY_TEXT.test(sent)) return sent;
    const values: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
    if (values.length === 0)
      throw new ArgumentError(`${name} must hold a value at least; leave it out for none.`);
    return values.map((one) => this.#type.text(name, one));
  }
}

/** An array as PostgreSQL writes it. */
const ARRAY_TEXT = /^\s*(?:\[[^{]*\]=)?\{.*\}\s*$/s;

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

/** openValue is the value of a parameter whose name is not in the script's text. */
export function openValue(name: string, value: unknown): string | string[] | undefined {
  if (value === null || value === undefined) return undefined;
  return Array.isArray(value) ? value.map((one) => OPEN.text(name, one)) : OPEN.text(name, value);
}

/** missing is the error for a call without required parameters. */
export function missing(names: readonly string[]): ArgumentError {
  return new ArgumentError(
    `missing: ${listNames(names)}. The script needs ${names.length === 1 ? 'it' : 'them'}.`,
  );
}
