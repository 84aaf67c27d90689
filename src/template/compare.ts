/**
 * eq, ne, lt, le, gt and ge with Go's rules: both operands must have the same basic kind (integers of all types are one
 * kind), and nil equals only nil. Follows text/template/funcs.go. A refused value cannot be compared.
 */
import { compareStrings } from './byte-string.js';
import { List, type Plain } from './container.js';
import { FunctionFailure, refused, RefusedValue, type Fault } from './errors.js';
import { Complex, Counted, Float, Refused } from './kinds.js';
import { sprintf } from './printer.js';
import { integerOf, originOf, textOf, typeName } from './value.js';

type Kind = 'bool' | 'complex' | 'int' | 'float' | 'string' | 'uint' | undefined;

function basicKind(value: Plain): Kind {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'number':
    case 'bigint':
      return 'int';
  }
  if (value instanceof Float) return 'float';
  if (value instanceof Complex) return 'complex';
  if (value instanceof Counted) return value.type === 'uint8' ? 'uint' : 'int';
  return textOf(value) === undefined ? undefined : 'string';
}

function checkRefused(value: Plain): void {
  if (value instanceof Refused) throw refused(value, 'cannot be compared');
}

const isInteger = (kind: Kind): boolean => kind === 'int' || kind === 'uint';

function incompatible(a: Plain, b: Plain): FunctionFailure {
  const types = `${typeName(a)} and ${typeName(b)}`;
  return new FunctionFailure(`incompatible types for comparison: ${types}`, comparable(a, b));
}

const NAMES: Readonly<Record<NonNullable<Kind>, string>> = {
  bool: 'a boolean',
  complex: 'a complex number',
  float: 'a number',
  int: 'an integer',
  string: 'a text',
  uint: 'an integer',
};

/** comparable tells which of two values comes from the request, and that it cannot be compared with the other one. */
function comparable(a: Plain, b: Plain): Fault {
  const [value, other] = originOf(a) === undefined ? [b, a] : [a, b];
  const kind = basicKind(other);
  const what = kind === undefined ? 'another value' : NAMES[kind];
  const expected =
    value instanceof List ? 'one value' : `a value that can be compared with ${what}`;
  return { value, expected };
}

/** The one of two values that is absent, or a list. */
function unordered(a: Plain, b: Plain): Fault {
  const value = basicKind(a) === undefined ? a : b;
  return { value, expected: value instanceof List ? 'one value' : 'a value' };
}

/** equal tells whether the first value equals any of the others. */
export function equal(first: Plain, others: readonly Plain[]): boolean {
  checkRefused(first);
  if (others.length === 0) throw new FunctionFailure('missing argument for comparison');
  return others.some((other) => equalTo(first, other));
}

function equalTo(a: Plain, b: Plain): boolean {
  checkRefused(b);
  const kind = basicKind(a);
  const other = basicKind(b);
  const absent = a === undefined || a === null || b === undefined || b === null;
  if (isInteger(kind) && isInteger(other)) {
    const [x, y] = [integerOf(a), integerOf(b)];
    return x == y;
  }
  if (kind !== other) {
    if (absent) return false;
    throw incompatible(a, b);
  }
  switch (kind) {
    case 'bool':
      return a === b;
    case 'string':
      return textOf(a) === textOf(b);
    case 'float':
      return (a as Float).number === (b as Float).number;
    case 'complex':
      return (a as Complex).re === (b as Complex).re && (a as Complex).im === (b as Complex).im;
    default:
      return equalOthers(a, b);
  }
}

/** Compares nil, lists and maps; two lists or maps are an error. */
function equalOthers(a: Plain, b: Plain): boolean {
  if (a === undefined || a === null || b === undefined || b === null)
    return (a ?? null) === (b ?? null);
  if (a instanceof List !== b instanceof List) {
    const [x, y] = [typeName(a), typeName(b)];
    const message = `non-comparable types ${shown(a, '%s')}: ${x}, ${y}: ${shown(b, '%v')}`;
    throw new FunctionFailure(
      message,
      unordered(a instanceof List ? a : b, b),
      `non-comparable types ${x} and ${y}`,
    );
  }
  const type = typeName(b);
  throw new FunctionFailure(
    `non-comparable type ${shown(b, '%s')}: ${type}`,
    { value: b, expected: 'one value' },
    `non-comparable type ${type}`,
  );
}

/** A value for a message. A refused value inside it must not replace the error by another one. */
function shown(value: Plain, format: string): string {
  try {
    return textOf(sprintf(format, [value]))!;
  } catch (e) {
    if (e instanceof RefusedValue) return 'a list with a refused value';
    throw e;
  }
}

/** less is a < b; values without an order are an error. */
export function less(a: Plain, b: Plain): boolean {
  checkRefused(a);
  checkRefused(b);
  const kind = basicKind(a);
  const other = basicKind(b);
  if (kind === undefined || other === undefined)
    throw new FunctionFailure('invalid type for comparison', unordered(a, b));
  if (isInteger(kind) && isInteger(other)) return integerOf(a)! < integerOf(b)!;
  if (kind !== other) throw incompatible(a, b);
  if (kind === 'float') return (a as Float).number < (b as Float).number;
  if (kind === 'string') return compareStrings(textOf(a)!, textOf(b)!) < 0;
  throw new FunctionFailure('invalid type for comparison');
}

export function lessOrEqual(a: Plain, b: Plain): boolean {
  return less(a, b) || equal(a, [b]);
}
