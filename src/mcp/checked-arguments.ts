/**
 * Arguments of a call, one by one: there or not, and of the type they are to be. Throws Refusal. Null is the same as
 * not there, for some models send every argument that a tool has.
 */
import { cut, listed, Refusal, shown } from './refusal.js';
import type { Arguments } from './tool.js';

/** checkNames refuses arguments that the tool does not have; `told` are those that a caller is told of. */
export function checkNames(
  args: Arguments,
  allowed: readonly string[],
  told: readonly string[] = allowed,
): void {
  for (const name of Object.keys(args))
    if (!allowed.includes(name)) throw unknownArgument(name, told);
}

/** unknownArgument refuses an argument of a tool that takes others. */
export function unknownArgument(name: string, others: readonly string[]): Refusal {
  const takes = others.length === 0 ? 'It takes none' : `It takes ${listed(others)}`;
  return new Refusal(`unknown argument: ${cut(name)}. ${takes}.`);
}

/** argument gives what was sent under a name, undefined for nothing. */
export function argument(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? (args[name] ?? undefined) : undefined;
}

/** textOf gives an argument that is a text. */
export function textOf(args: Arguments, name: string): string | undefined {
  const value = argument(args, name);
  if (value === undefined || typeof value === 'string') return value;
  throw new Refusal(`${name} must be a string, not ${shown(value)}.`);
}

/** neededText gives an argument that must be there, and be no empty text. */
export function neededText(args: Arguments, name: string): string {
  const value = textOf(args, name);
  if (value === undefined || value === '') throw new Refusal(`${name} is required: give its name.`);
  return value;
}

/** integerOf gives a number between `least` and the largest that is exact, `otherwise` where there is none. */
export function integerOf(
  args: Arguments,
  name: string,
  least: number,
  otherwise: number,
  note = '',
): number {
  const value = argument(args, name);
  if (value === undefined) return otherwise;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
  throw new Refusal(`${name} must be a whole number from ${least} on${note}, not ${shown(value)}.`);
}

/** namesOf gives a list of names, each once, in the order sent. */
export function namesOf(args: Arguments, name: string, most: number): readonly string[] {
  const value = argument(args, name);
  if (value === undefined) return [];
  if (!Array.isArray(value))
    throw new Refusal(`${name} must be a list of column names, not ${shown(value)}.`);
  checkLength(name, value, most);
  const names = new Set<string>();
  for (const one of value as unknown[]) {
    if (typeof one !== 'string')
      throw new Refusal(`${name} must hold column names, not ${shown(one)}.`);
    names.add(one);
  }
  return [...names];
}

/** checkLength refuses a list that is too long. */
export function checkLength(name: string, list: readonly unknown[], most: number): void {
  if (list.length > most)
    throw new Refusal(`${name} holds ${list.length} values; ${most} are allowed at one time.`);
}
