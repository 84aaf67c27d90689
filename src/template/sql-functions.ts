/**
 * The nine functions for SQL: isSet, defaultOrValue, inFormat, split, limitOffset, unEscape, sqlVal, sqlList, ident.
 * What sqlVal, sqlList, ident and limitOffset give is made by us and needs no screen; the rest passes on text of the
 * request, marked as such.
 */
import { fromBytes, toBytes } from './byte-string.js';
import { List, type Plain } from './container.js';
import { Failure, RefusedValue } from './errors.js';
import { Derived, Refused } from './kinds.js';
import { sprint } from './printer.js';
import { quote } from './quote.js';
import type { Rendering } from './rendering.js';
import { integerOf, textOf } from './value.js';

/** isSet: whether the parameter was sent. */
export function isSet(r: Rendering, key: Plain): boolean {
  return r.isSent(textOf(key)!);
}

/** defaultOrValue: the parameter, or the default, which the parameter then has for the rest of the template. */
export function defaultOrValue(r: Rendering, key: Plain, standard: Plain): Plain {
  const name = textOf(key)!;
  if (r.isSent(name)) return r.parameter(name);
  r.setParameter(name, standard);
  return standard;
}

/** inFormat: ('a', 'b') of a parameter's values. */
export function inFormat(r: Rendering, key: Plain): Plain {
  const value = r.parameter(textOf(key)!);
  const items: Plain[] = [];
  if (value instanceof List) for (let i = 0; i < value.length; i++) items.push(value.at(i));
  else items.push(value);
  let origin: string | undefined;
  const texts = items.map((item) => {
    if (item instanceof Refused) throw new RefusedValue(item.parameter);
    const text = sprint([item], r.screening);
    if (typeof text === 'string') return `'${text}'`;
    origin ??= text.origin;
    if (text.text.endsWith('\\')) throw new RefusedValue(text.origin);
    return `'${text.text}'`;
  });
  const list = `(${texts.join(', ')})`;
  return origin === undefined ? list : new Derived(list, origin);
}

/** split: strings.Split. */
export function split(r: Rendering, value: Plain, separator: Plain): Plain {
  const text = textOf(value)!;
  const mark = textOf(separator)!;
  const parts = mark === '' ? Array.from(text) : text.split(mark);
  r.spend(parts.length >> 2);
  if (!(value instanceof Derived)) return List.ofStrings(parts);
  return List.ofStrings(parts.map((part) => partOf(r, part, value)));
}

/** partOf is a part of derived text. A part can read as a keyword where the whole did not, so it is screened anew. */
export function partOf(r: Rendering, part: string, whole: Derived): Plain {
  if (part !== whole.text && r.screening !== undefined && !r.screening(part))
    return new Refused(whole.origin);
  return new Derived(part, whole.origin);
}

/** limitOffset: LIMIT size OFFSET(page - 1) * size. */
export function limitOffset(_r: Rendering, page: Plain, size: Plain): string {
  const first = decimal(page);
  const limit = decimal(size);
  return `LIMIT ${limit} OFFSET(${first < 1 ? 1 : first} - 1) * ${limit}`;
}

/** decimal follows strconv.Atoi for strings and takes integers as they are. */
function decimal(value: Plain): number | bigint {
  const integer = integerOf(value);
  if (integer !== undefined) return integer;
  const text = textOf(value)!;
  const problem = (what: string) =>
    new Failure(
      `limitOffset: strconv.Atoi: parsing ${quote(text)}: ${what}`,
      `limitOffset: expected an integer: ${what}`,
    );
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  if (!/^[+-]?[0-9]+$/.test(text)) throw problem('invalid syntax');
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1');
  const n = digits.length > 20 ? 2n ** 64n : BigInt(digits.replace('+', ''));
  if (n >= 2n ** 63n || n < -(2n ** 63n)) throw problem('value out of range');
  return n;
}

/** unEscape: percent-encoding and + decoded; nothing when the encoding is wrong. What comes out is screened. */
export function unEscape(r: Rendering, value: Plain): Plain {
  const text = unescapeText(textOf(value)!);
  if (!(value instanceof Derived)) return text;
  if (r.screening?.(text) === false) throw new RefusedValue(value.origin);
  return new Derived(text, value.origin);
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

/** sqlVal: the placeholder of a bound value. */
export function sqlVal(r: Rendering, key: Plain): string {
  return r.bind(r.toBind(textOf(key)!));
}

/** sqlList: the placeholders of a parameter's values, in parentheses; a list without any (of a claim) is a NULL. */
export function sqlList(r: Rendering, key: Plain): string {
  let raw = r.toBind(textOf(key)!);
  if (Array.isArray(raw) && raw.length === 0) raw = undefined;
  if (!Array.isArray(raw)) return `(${r.bind(raw)})`;
  r.spend(raw.length);
  return `(${raw.map((item) => r.bind(item)).join(',')})`;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** ident: a dotted name, each part quoted. */
export function ident(r: Rendering, key: Plain): string {
  const raw = r.raw(textOf(key)!);
  const name = typeof raw === 'string' ? raw : '';
  const parts = name.split('.');
  if (!parts.every((part) => IDENTIFIER.test(part)))
    throw new Failure(`invalid identifier: ${name}`, 'invalid identifier');
  return parts.map((part) => `"${part}"`).join('.');
}
