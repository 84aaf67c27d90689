/**
 * The functions for SQL, except isSet, sqlVal and defaultOrValue, which are methods of the rendering. The results of
 * sqlVal, sqlList, ident and limitOffset are safe and not screened; the others pass on text of the request, which stays
 * tainted.
 */
import { isSqlName } from '../base/identifier.js';
import { fromBytes, toBytes } from './byte-string.js';
import { List, type Plain } from './container.js';
import { FunctionFailure, RefusedValue } from './errors.js';
import { Tainted, partsOf, Refused, type Part } from './kinds.js';
import { MAX_VALUES } from './limits.js';
import { sprint } from './printer.js';
import { quote } from './quote.js';
import type { Rendering } from './rendering.js';
import { integerOf, originOf, textOf } from './value.js';

/** inFormat: ('a', 'b') of a parameter's values. */
export function inFormat(r: Rendering, key: Plain): Plain {
  const value = r.parameter(textOf(key)!);
  const items: Plain[] = [];
  if (value instanceof List) r.spend(value.length);
  if (value instanceof List) for (let i = 0; i < value.length; i++) items.push(value.at(i));
  else items.push(value);
  // Only values of a request's body may be an empty list, or have a null in it.
  if (items.length === 0 && r.screening !== undefined) return '(NULL)';
  let list = '(';
  const parts: Part[] = [];
  items.forEach((item, i) => {
    if (item instanceof Refused) throw new RefusedValue(item.parameter);
    if (item === null && r.screening !== undefined) {
      list += i === 0 ? 'NULL' : ', NULL';
      return;
    }
    const text = sprint([item], r.screening);
    list += i === 0 ? "'" : ", '";
    if (typeof text === 'string') list += text;
    else {
      if (text.text.endsWith('\\')) throw new RefusedValue(text.origin);
      for (const [start, end, origin] of partsOf(text))
        parts.push([list.length + start, list.length + end, origin]);
      list += text.text;
    }
    list += "'";
  });
  list += ')';
  const [first] = parts;
  return first === undefined ? list : new Tainted(list, first[2], parts);
}

/** split: strings.Split. */
export function split(r: Rendering, value: Plain, separator: Plain): Plain {
  const text = textOf(value)!;
  const mark = textOf(separator)!;
  const parts = mark === '' ? Array.from(text) : text.split(mark);
  r.spend(parts.length >> 2);
  if (!(value instanceof Tainted)) return List.ofStrings(parts, '');
  const tainted = parts.map((part) => partOf(r, part, value));
  return List.ofStrings(tainted, value.origin);
}

/** partOf is a part of tainted text. It is screened again, because it may be a keyword although the whole is not. */
export function partOf(r: Rendering, part: string, whole: Tainted): Plain {
  if (part === whole.text) return whole;
  if (r.screening !== undefined && !r.screening(part)) return new Refused(whole.origin);
  return new Tainted(part, whole.origin);
}

/** limitOffset: LIMIT size OFFSET(page - 1) * size. */
export function limitOffset(page: Plain, size: Plain): string {
  const first = decimal(page);
  const limit = decimal(size);
  return `LIMIT ${limit} OFFSET(${first < 1 ? 1 : first} - 1) * ${limit}`;
}

/** decimal follows strconv.Atoi for strings; integers are unchanged. */
function decimal(value: Plain): number | bigint {
  const integer = integerOf(value);
  if (integer !== undefined) return integer;
  const text = textOf(value)!;
  const problem = (what: string) =>
    new FunctionFailure(
      `limitOffset: strconv.Atoi: parsing ${quote(text)}: ${what}`,
      { value, expected: 'an integer' },
      `limitOffset: expected an integer: ${what}`,
    );
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  if (!/^[+-]?[0-9]+$/.test(text)) throw problem('invalid syntax');
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1');
  const n = digits.length > 20 ? 2n ** 64n : BigInt(digits.replace('+', ''));
  if (n >= 2n ** 63n || n < -(2n ** 63n)) throw problem('value out of range');
  return n;
}

/** unEscape: decodes percent-encoding and +; empty if the encoding is invalid. The result is screened. */
export function unEscape(r: Rendering, value: Plain): Plain {
  const text = unescapeText(textOf(value)!);
  if (!(value instanceof Tainted)) return text;
  if (r.screening?.(text) === false) throw new RefusedValue(value.origin);
  return new Tainted(text, value.origin);
}

const PERCENT = 37;

/** The value of a hexadecimal digit, which begins at 0x30, 0x41 or 0x61. */
function digitOf(byte: number): number {
  return (byte & 0xf) + (byte >> 6) * 9;
}

function unescapeText(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  if (/%(?![0-9a-fA-F]{2})/.test(spaced)) return '';
  // Decoding only shortens, so it is done in place.
  const bytes = toBytes(spaced);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i]!;
    if (byte === PERCENT) {
      byte = 16 * digitOf(bytes[i + 1]!) + digitOf(bytes[i + 2]!);
      i += 2;
    }
    bytes[length++] = byte;
  }
  return fromBytes(bytes.subarray(0, length));
}

/** sqlList: the placeholders of a parameter's values, in parentheses; an empty list (of a claim) is a NULL. */
export function sqlList(r: Rendering, key: Plain): string {
  let raw = r.toBind(textOf(key)!);
  if (Array.isArray(raw) && raw.length === 0) raw = undefined;
  if (!Array.isArray(raw)) return `(${r.bind(raw)})`;
  r.spend(raw.length);
  if (raw.length > MAX_VALUES)
    throw new FunctionFailure(`more than ${MAX_VALUES} bound values`, {
      parameter: parameterOf(key),
      expected: `at most ${MAX_VALUES} values`,
    });
  return `(${raw.map((item) => r.bind(item)).join(',')})`;
}

/** The parameter that a key names. A key that was sent is itself a value, which no message may contain. */
function parameterOf(key: Plain): string {
  return originOf(key) ?? textOf(key)!;
}

/** ident: a dotted name, each part quoted. */
export function ident(r: Rendering, key: Plain): string {
  const parameter = textOf(key)!;
  const raw = r.raw(parameter);
  const name = typeof raw === 'string' ? raw : '';
  if (!isSqlName(name)) {
    const fault = { parameter: parameterOf(key), expected: 'an identifier', keepsText: true };
    const failure = { ...fault, missing: raw === undefined };
    throw new FunctionFailure(`invalid identifier: ${name}`, failure, 'invalid identifier');
  }
  return r.identifier(`"${name.replaceAll('.', '"."')}"`, parameter);
}
