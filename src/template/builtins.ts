/**
 * Go's built-in functions on values: index, slice, len, call, and print and the escapers over the printer. Follows
 * text/template/funcs.go, messages included. and, or and not are compiled, not called.
 */
import { byteAt, byteLength, sliceBytes } from './byte-string.js';
import { Boxed, List, MapValue, type Plain, type Value } from './container.js';
import { FunctionFailure, refused, RefusedValue, type Fault } from './errors.js';
import { Counted, Refused, Tainted } from './kinds.js';
import { sprint } from './printer.js';
import type { Rendering } from './rendering.js';
import { partOf } from './sql-functions.js';
import { integerOf, textOf, typeName, unbox } from './value.js';

const ABSENT: Fault = { value: undefined, expected: 'a value' };
const UNINDEXED = 'cannot be indexed';

/** index: item[index], and so on for further indexes. */
export function index(item: Plain, indexes: readonly Plain[]): Plain {
  if (item === undefined || item === null)
    throw new FunctionFailure('index of untyped nil', absentList(indexes));
  let value: Plain = item;
  for (const at of indexes) {
    if (value === undefined || value === null) throw new FunctionFailure('index of nil pointer');
    value = indexOnce(value, at);
  }
  if (value instanceof Refused && indexes.length === 0) throw refused(value, UNINDEXED);
  return value;
}

/** No parameter is a map, so that a key as index is the template's mistake. */
function absentList([first]: readonly Plain[]): Fault | undefined {
  return integerOf(first) === undefined ? undefined : ABSENT;
}

function indexOnce(item: Plain, at: Plain): Plain {
  if (item instanceof MapValue) {
    if (at === undefined || at === null)
      throw new FunctionFailure('value is nil; should be of type string');
    if (at instanceof Refused) throw refused(at, UNINDEXED);
    const key = textOf(at);
    if (key === undefined)
      throw new FunctionFailure(`value has type ${typeName(at)}; should be string`);
    return item.get(key) ?? null;
  }
  if (item instanceof List) {
    const i = indexArg(at, item.length, item, 1);
    if (i === item.length)
      throw new FunctionFailure('reflect: slice index out of range', atLeast(item, i + 1));
    return item.at(i);
  }
  const text = textOf(item);
  if (text !== undefined) {
    const length = byteLength(text);
    const i = indexArg(at, length, item, 1);
    if (i === length)
      throw new FunctionFailure('reflect: string index out of range', atLeast(item, i + 1));
    return new Counted(byteAt(text, i), 'uint8', item instanceof Tainted ? item.origin : undefined);
  }
  if (item instanceof Refused) throw refused(item, UNINDEXED);
  throw new FunctionFailure(`can't index item of type ${typeName(item)}`);
}

/** An index from 0 to the capacity; `more` is how many elements it needs besides those before it. */
function indexArg(at: Value, capacity: number, item: Plain, more: 0 | 1): number {
  if (at === undefined || at === null)
    throw new FunctionFailure('cannot index slice/array with nil');
  const n = integerOf(at);
  if (n === undefined)
    throw new FunctionFailure(`cannot index slice/array with type ${typeName(at)}`);
  if (n < 0 || n > capacity)
    throw new FunctionFailure(
      `index out of range: ${n}`,
      n < 0 ? undefined : atLeast(item, Number(n) + more),
      'index out of range',
    );
  return Number(n);
}

/** The fault of a list or text that is shorter than an index needs. */
function atLeast(value: Plain, least: number): Fault {
  const unit = value instanceof List ? 'value' : 'byte';
  return { value, expected: `at least ${least} ${unit}${least === 1 ? '' : 's'}` };
}

/** slice: item[from:to], or item[from:to:capacity]. */
export function slice(r: Rendering, boxed: Value, indexes: readonly Value[]): Plain {
  const item = unbox(boxed);
  if (item === undefined || item === null)
    throw new FunctionFailure('slice of untyped nil', ABSENT);
  if (item instanceof Refused) throw new RefusedValue(item.parameter);
  if (indexes.length > 3) throw new FunctionFailure(`too many slice indexes: ${indexes.length}`);
  const text = textOf(item);
  const list = item instanceof List ? item : undefined;
  if (text === undefined && list === undefined)
    throw new FunctionFailure(`can't slice item of type ${typeName(item)}`);
  if (text !== undefined && indexes.length === 3)
    throw new FunctionFailure('cannot 3-index slice a string', {
      value: item,
      expected: 'several values',
    });
  const length = list?.length ?? byteLength(text!);
  const capacity = list?.capacity ?? length;
  // Go does not unwrap interfaces here.
  const at = indexes.map((i) => {
    if (i instanceof Boxed || i === null)
      throw new FunctionFailure('cannot index slice/array with type interface {}');
    return indexArg(i, capacity, item, 0);
  });
  const [from = 0, to = length, most = capacity] = at;
  if (from > to)
    throw new FunctionFailure(
      `invalid slice index: ${from} > ${to}`,
      at.length > 1 ? undefined : atLeast(item, from),
      'invalid slice index',
    );
  if (to > most)
    throw new FunctionFailure(
      `invalid slice index: ${to} > ${most}`,
      undefined,
      'invalid slice index',
    );
  if (list !== undefined) return list.slice(from, to, most);
  const part = sliceBytes(text!, from, to);
  return item instanceof Tainted ? partOf(r, part, item) : part;
}

/** len: bytes of a string, elements of a list or map. */
export function len(item: Plain): Plain {
  const text = textOf(item);
  if (text !== undefined) {
    const n = byteLength(text);
    // The caller chooses the number with the text, so it is tainted too.
    return item instanceof Tainted ? new Counted(n, 'int', item.origin) : n;
  }
  if (item instanceof List || item instanceof MapValue) return item.length;
  if (item === undefined)
    throw new FunctionFailure('reflect: call of reflect.Value.Type on zero Value', ABSENT);
  if (item === null) throw new FunctionFailure('len of nil pointer', ABSENT);
  if (item instanceof Refused) throw refused(item, 'has no length');
  throw new FunctionFailure(`len of type ${typeName(item)}`);
}

/** escaped joins arguments as print does, and escapes the text. */
export function escaped(
  r: Rendering,
  args: readonly Plain[],
  escape: (text: string) => string,
): string | Tainted {
  const shown = args.map((arg) => arg ?? '<no value>');
  const text = sprint(shown, r.screening);
  return typeof text === 'string' ? escape(text) : new Tainted(escape(text.text), text.origin);
}

/** call: always fails, because data contains no functions. `source` is the text of the first argument. */
export function call(fn: Plain, source: string | undefined): never {
  if (fn === undefined || fn === null) throw new FunctionFailure('call of nil');
  const name = source ?? textOf(fn) ?? `<${typeName(fn)} Value>`;
  const type = typeName(fn);
  throw new FunctionFailure(
    `non-function ${name} of type ${type}`,
    undefined,
    `non-function of type ${type}`,
  );
}
