/**
 * The JSON Schema of one value of a script's parameter, from its SQL types, and the text of a value that was sent. Throws
 * ArgumentError for a value that would reach the script as another one.
 */
import { isSqlName, SQL_NAME } from '../../base/identifier.js';
import { sqlType } from '../../base/sql-types.js';
import { ArgumentError, describeValue } from '../arguments/argument-error.js';
import type { ToolParameter } from './tool-parameter.js';

type Json = Readonly<Record<string, unknown>>;

const TEXT: Json = { type: 'string' };
const WHOLE: Json = { type: 'integer' };
const NUMBER: Json = { type: 'number' };
const BOOLEAN: Json = { type: 'boolean' };
const OBJECT: Json = { type: 'object' };
const LIST: Json = { type: 'array', items: { anyOf: [OBJECT, TEXT, NUMBER, BOOLEAN] } };

const DOUBLE: readonly Json[] = [NUMBER];
const EXACT: readonly Json[] = [NUMBER, TEXT];
const ANY: readonly Json[] = [OBJECT, LIST, NUMBER, BOOLEAN, TEXT];
const INSTANT: readonly Json[] = [{ ...TEXT, format: 'date-time' }];

/**
 * The forms of a value by SQL type; all other types are text. Numbers that JSON would round may be sent as text. No lists
 * of types and no formats besides `date-time`: some clients accept neither, and then reject all tools.
 */
function formsOf(type: string): readonly Json[] {
  const { name, kind, format } = sqlType(type) ?? {};
  if (name === 'bigint' || name === 'oid') return [WHOLE, TEXT];
  if (kind === 'integer') return [WHOLE];
  if (kind === 'number') return name === 'numeric' ? EXACT : DOUBLE;
  if (kind === 'boolean') return [BOOLEAN];
  if (kind === 'json') return ANY;
  return kind === 'date-time' && format !== undefined ? INSTANT : [TEXT];
}

/** Types without a note in the description. */
const PLAIN = new Set(['text', 'varchar', 'character varying']);

/** Integers as PostgreSQL reads them, and nothing, which a template may test. */
const INTEGER = /^(?:\s*[+-]?(?:[0-9][0-9_]{0,30}|0[box][0-9a-f_]{1,30})\s*)?$/i;

/** Most digits that a JSON number keeps for certain. */
const DIGITS = 15;

type Typed = Pick<
  ToolParameter,
  'types' | 'isText' | 'isEnum' | 'values' | 'identifier' | 'integer'
>;

export class ArgumentType {
  readonly schema: Json;
  /** SQL types to be named in the description, because their values are sent as text. */
  readonly named: readonly string[];
  readonly #isIdentifier: boolean;
  readonly #isWhole: boolean;
  readonly #isDouble: boolean;
  /** Whether it keeps more digits than a number in JSON. */
  readonly #isExact: boolean;
  /** Whether lists and objects are values too. */
  readonly isJson: boolean;

  constructor({ types, isText, isEnum, values, identifier, integer }: Typed) {
    const forms = integer ? [WHOLE] : types.flatMap(formsOf);
    if (forms.length === 0 || isText) forms.push(TEXT);
    if (identifier) this.schema = { ...TEXT, pattern: SQL_NAME };
    else if (isEnum) this.schema = { ...TEXT, enum: values };
    else this.schema = unionOf(forms);
    this.named = identifier || integer ? [] : types.filter((type) => isText || isNamed(type));
    const isEvery = (wanted: (forms: readonly Json[]) => boolean): boolean =>
      types.length > 0 && types.every((type) => wanted(formsOf(type)));
    this.#isIdentifier = identifier;
    this.#isWhole = integer || (!isText && isEvery(([form]) => form === WHOLE));
    this.#isDouble = isEvery((forms) => forms === DOUBLE);
    this.#isExact = types.some((type) => [EXACT, ANY].includes(formsOf(type)));
    this.isJson = isEvery((forms) => forms === ANY);
  }

  /** Whether a value may be any text. */
  get isText(): boolean {
    return this.schema === TEXT;
  }

  /** text is the text of one value; `name` is that of the parameter. */
  text(name: string, value: unknown): string {
    const text = this.isJson ? this.#jsonText(name, value) : this.#scalarText(name, value);
    if (this.#isIdentifier && !isSqlName(text))
      throw new ArgumentError(
        `${name} must be a name of letters, digits and _, or names with dots between, not ${describeValue(value)}.`,
      );
    if (this.#isWhole && !INTEGER.test(text))
      throw new ArgumentError(`${name} must be a whole number, not ${describeValue(value)}.`);
    return text;
  }

  #scalarText(name: string, value: unknown): string {
    switch (typeof value) {
      case 'number':
        return this.#numberText(name, value);
      case 'string':
        return checkedText(name, value);
      case 'boolean':
        return String(value);
      default:
        throw new ArgumentError(
          `${name} takes text, numbers and booleans, not ${describeValue(value)}.`,
        );
    }
  }

  /** Text is taken for JSON, as in a query string. */
  #jsonText(name: string, value: unknown): string {
    if (typeof value === 'string') return checkedText(name, value);
    try {
      const json = JSON.stringify(value, (_key, one: unknown) => {
        if (typeof one === 'number') this.#numberText(name, one);
        return one;
      });
      return checkedText(name, json);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new ArgumentError(`${name} is nested too deeply.`);
    }
  }

  /** JSON.parse has already rounded a number that has too many digits. */
  #numberText(name: string, value: number): string {
    const text = String(value);
    if (
      !Number.isFinite(value) ||
      (Number.isInteger(value) && !Number.isSafeInteger(value) && !this.#isDouble)
    )
      throw new ArgumentError(`${name} is too large for a JSON number: send it as a string.`);
    if (this.#isExact && digitsOf(text) > DIGITS && !Number.isInteger(value))
      throw new ArgumentError(
        `${name} has more digits than a JSON number keeps: send it as a string.`,
      );
    return text;
  }
}

/** OPEN is the type of a parameter of which nothing is known. */
export const OPEN = new ArgumentType({
  types: [],
  isText: false,
  isEnum: false,
  values: [],
  identifier: false,
  integer: false,
});

/** One schema for several forms of a value. */
function unionOf(forms: readonly Json[]): Json {
  const all = new Set(forms);
  if (all.has(NUMBER)) all.delete(WHOLE);
  if (all.has(TEXT)) for (const form of INSTANT) all.delete(form);
  const [first = TEXT, ...others] = all;
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

/** Whether a description names the type: its values are only text for JSON. */
function isNamed(type: string): boolean {
  return formsOf(type).every((form) => form['type'] === 'string') && !PLAIN.has(type);
}

function checkedText(name: string, text: string): string {
  if (text.includes('\0') || !text.isWellFormed())
    throw new ArgumentError(
      `${name} has a character that no text can have: a NUL, or half of a surrogate pair.`,
    );
  return text;
}

/** The number of significant digits of a number's text. */
function digitsOf(text: string): number {
  return text.replace(/e.*$/, '').replace(/^[-0.]+|\./g, '').length;
}
