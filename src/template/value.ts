/**
 * Properties of values: truth, the name of the type, text, integer. Types follow Go: an absent value is undefined, nil
 * is null, an int is a number (a bigint if a number would not be exact), a string is a string (see byte-string.ts), and
 * all others are classes of kinds.ts and container.ts.
 */
import { Boxed, List, type Plain, type Value } from './container.js';
import { Complex, Counted, Tainted, Float, Refused } from './kinds.js';

/** box gives an element of a map or a list the static type of an interface, as in Go. */
export function box(value: Value): Value {
  return value === undefined || value === null || value instanceof Boxed ? value : new Boxed(value);
}

/** unbox removes the interface from a value. */
export function unbox(value: Value): Plain {
  return value instanceof Boxed ? value.inner : value;
}

/** textOf is the text of a string value; undefined for any other value. */
export function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Tainted ? value.text : undefined;
}

/** integerOf is the value of an integer of any type; undefined for any other value. */
export function integerOf(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof Counted ? value.value : undefined;
}

/** originOf is the parameter of the request that a value comes from; undefined if it comes from none. */
export function originOf(boxed: Value): string | undefined {
  const value = unbox(boxed);
  if (value instanceof Tainted || value instanceof Counted) return value.origin;
  if (value instanceof Refused) return value.parameter;
  return value instanceof List && value.origin !== '' ? value.origin : undefined;
}

/** isTrue follows template.IsTrue: false for false, zero, nil, absent and empty values. */
export function isTrue(value: Value): boolean {
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'string':
    case 'bigint':
      return Boolean(value);
    case 'undefined':
      return false;
  }
  if (value === null) return false;
  if (value instanceof Tainted) return value.text !== '';
  if (value instanceof Refused) return true;
  if (value instanceof Boxed) return isTrue(value.inner);
  if (value instanceof Float) return value.number !== 0;
  if (value instanceof Counted) return value.value !== 0;
  if (value instanceof Complex) return value.re !== 0 || value.im !== 0;
  return value.length > 0;
}

/** typeName is the Go type of a value: `<nil>` for an absent one, `interface {}` for nil. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return 'int';
    case 'string':
      return 'string';
    case 'undefined':
      return '<nil>';
  }
  if (value === null || value instanceof Boxed) return 'interface {}';
  if (value instanceof Tainted || value instanceof Refused) return 'string';
  if (value instanceof Float) return 'float64';
  if (value instanceof Complex) return 'complex128';
  if (value instanceof Counted) return value.type;
  return value.typeName;
}
