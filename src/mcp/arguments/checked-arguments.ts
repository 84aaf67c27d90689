/**
 * Reads the arguments of a call and checks their types. Throws ArgumentError. Null counts as absent, because some models
 * send every argument of a tool.
 */
import { isObject } from '../../base/json.js';
import { shorten, listNames, ArgumentError, describeValue } from './argument-error.js';
import type { Arguments } from './tool.js';

/** checkNames rejects arguments that are not allowed; the message lists the `documented` ones. */
export function checkNames(
  args: Arguments,
  allowed: readonly string[],
  documented: readonly string[] = allowed,
): void {
  for (const name of Object.keys(args))
    if (!allowed.includes(name)) throw unknownArgument(name, documented);
}

export function unknownArgument(name: string, others: readonly string[]): ArgumentError {
  const takes = others.length === 0 ? 'It takes none' : `It takes ${listNames(others)}`;
  return new ArgumentError(`unknown argument: ${shorten(name)}. ${takes}.`);
}

/** argument returns the value of an argument, undefined if it is absent or null. */
export function argument(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? (args[name] ?? undefined) : undefined;
}

export function textArgument(args: Arguments, name: string): string | undefined {
  const value = argument(args, name);
  if (value === undefined || typeof value === 'string') return value;
  throw new ArgumentError(`${name} must be a string, not ${describeValue(value)}.`);
}

/** requiredText returns an argument that must be a string and not empty. */
export function requiredText(args: Arguments, name: string): string {
  const value = textArgument(args, name);
  if (value === undefined || value === '')
    throw new ArgumentError(`${name} is required: give its name.`);
  return value;
}

/** integerArgument returns an argument that must be an integer of at least `least`; `otherwise` if it is absent. */
export function integerArgument(
  args: Arguments,
  name: string,
  least: number,
  otherwise: number,
  note = '',
): number {
  const value = argument(args, name);
  if (value === undefined) return otherwise;
  const number = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= least) return number;
  throw new ArgumentError(
    `${name} must be a whole number from ${least} on${note}, not ${describeValue(value)}.`,
  );
}

/** flagArgument returns an argument that must be true or false, false if it is absent. */
export function flagArgument(args: Arguments, name: string): boolean {
  const value = argument(args, name);
  if (value === undefined || value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw new ArgumentError(`${name} must be true or false, not ${describeValue(value)}.`);
}

/** objectArgument returns an argument that must be an object, or its text; `form` describes it for an error. */
export function objectArgument(
  args: Arguments,
  name: string,
  form: () => string,
): Readonly<Record<string, unknown>> | undefined {
  const value = argument(args, name);
  if (value === undefined) return undefined;
  const object = typeof value === 'string' ? parsedText(value, '{') : value;
  if (isObject(object)) return object;
  throw new ArgumentError(`${name} must be ${form()}, not ${describeValue(value)}.`);
}

/** listArgument returns an argument that must be a list, or its text; `form` describes it in an error. */
export function listArgument(
  args: Arguments,
  name: string,
  form: string,
  most: number,
): readonly unknown[] {
  const value = argument(args, name);
  if (value === undefined) return [];
  const list = typeof value === 'string' ? parsedText(value, '[') : value;
  if (!Array.isArray(list))
    throw new ArgumentError(`${name} must be ${form}, not ${describeValue(value)}.`);
  checkLength(name, list, most);
  return list;
}

/**
 * nameListArgument returns a list of column names, each once, in the order sent. A text is a name, the text of a list, or
 * names with commas between; `isName` tells whether it is a name.
 */
export function nameListArgument(
  args: Arguments,
  name: string,
  most: number,
  isName: (text: string) => boolean,
): readonly string[] {
  const value = argument(args, name);
  if (value === undefined) return [];
  const list =
    typeof value === 'string' ? namesIn(value, isName) : listArgument(args, name, FORM, most);
  checkLength(name, list, most);
  const names = new Set<string>();
  for (const one of list) {
    if (typeof one !== 'string')
      throw new ArgumentError(`${name} must hold column names, not ${describeValue(one)}.`);
    names.add(one);
  }
  return [...names];
}

const FORM = 'a list of column names';

function namesIn(text: string, isName: (text: string) => boolean): readonly unknown[] {
  if (isName(text)) return [text];
  const list = parsedText(text, '[');
  return Array.isArray(list) ? list : text.split(',').map((name) => name.trim());
}

/** The value of a JSON text that begins with `first`, or else the text itself. */
function parsedText(text: string, first: string): unknown {
  if (!text.trimStart().startsWith(first)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function checkLength(name: string, list: readonly unknown[], most: number): void {
  if (list.length > most)
    throw new ArgumentError(
      `${name} holds ${list.length} values; ${most} are allowed at one time.`,
    );
}

/** Longest name of a column, bytes. */
export const LONGEST_NAME = 63;

/** isCutName tells whether PostgreSQL would cut a name that a call gives a column. */
export function isCutName(name: string): boolean {
  return Buffer.byteLength(name) > LONGEST_NAME;
}
