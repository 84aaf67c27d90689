/**
 * Reads the arguments of a call and checks their types. Throws ArgumentError. Null counts as absent, because some models
 * send every argument of a tool.
 */
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

/** unknownArgument is the error for an argument of a tool that takes others. */
export function unknownArgument(name: string, others: readonly string[]): ArgumentError {
  const takes = others.length === 0 ? 'It takes none' : `It takes ${listNames(others)}`;
  return new ArgumentError(`unknown argument: ${shorten(name)}. ${takes}.`);
}

/** argument returns the value of an argument, undefined if it is absent or null. */
export function argument(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? (args[name] ?? undefined) : undefined;
}

/** textArgument returns an argument that must be a string. */
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
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
  throw new ArgumentError(
    `${name} must be a whole number from ${least} on${note}, not ${describeValue(value)}.`,
  );
}

/** booleanArgument returns an argument that must be true or false; false if it is absent. */
export function booleanArgument(args: Arguments, name: string): boolean {
  const value = argument(args, name);
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw new ArgumentError(`${name} must be true or false, not ${describeValue(value)}.`);
}

/** nameListArgument returns a list of column names, each once, in the order sent. */
export function nameListArgument(args: Arguments, name: string, most: number): readonly string[] {
  const value = argument(args, name);
  if (value === undefined) return [];
  if (!Array.isArray(value))
    throw new ArgumentError(`${name} must be a list of column names, not ${describeValue(value)}.`);
  checkLength(name, value, most);
  const names = new Set<string>();
  for (const one of value as unknown[]) {
    if (typeof one !== 'string')
      throw new ArgumentError(`${name} must hold column names, not ${describeValue(one)}.`);
    names.add(one);
  }
  return [...names];
}

export function checkLength(name: string, list: readonly unknown[], most: number): void {
  if (list.length > most)
    throw new ArgumentError(
      `${name} holds ${list.length} values; ${most} are allowed at one time.`,
    );
}
