/**
 * Reads values as pREST does, which converts between numbers, strings and lists. A value that pREST would silently convert
 * to 0, false or an empty value is invalid here.
 */
import { isObject } from '../../base/json.js';

export interface Reader {
  /** The allowed values, for messages. */
  readonly allowed: string;
  /** read returns the value, undefined when it is invalid. */
  read(written: unknown): unknown;
}

const TRUE = /^(1|t|T|TRUE|true|True)$/;
const FALSE = /^(0|f|F|FALSE|false|False)$/;

/** text accepts a string, and converts numbers and booleans to one. */
export const text: Reader = { allowed: 'a string', read: asText };

/** path accepts the path of a file or folder. */
export const path: Reader = { allowed: 'a path', read: asText };

/** word accepts a string in any case, with white space around it. */
export const word: Reader = {
  allowed: 'a word',
  read: (written) => asText(written)?.trim().toLowerCase(),
};

/** integer accepts a number, without its fraction, or a string of digits. */
export const integer: Reader = {
  allowed: 'a whole number',
  read(written) {
    if (typeof written === 'boolean') return Number(written);
    if (typeof written === 'number') return Math.trunc(written);
    const digits = typeof written === 'string' ? written.trim() : '';
    return /^[+-]?\d{1,15}$/.test(digits) ? Number(digits) : undefined;
  },
};

/** boolean accepts true and false, the strings that Go accepts for them, and numbers. */
export const boolean: Reader = {
  allowed: 'true or false',
  read(written) {
    if (typeof written === 'number') return written !== 0;
    if (typeof written !== 'string') return typeof written === 'boolean' ? written : undefined;
    if (TRUE.test(written)) return true;
    return FALSE.test(written) ? false : undefined;
  },
};

/** list accepts a list of strings, and splits a string at white space. */
export const list: Reader = {
  allowed: 'a list of strings',
  read(written) {
    if (typeof written === 'string') return written.split(/\s+/).filter((item) => item !== '');
    if (!Array.isArray(written)) return undefined;
    const items = written.map(asText);
    return items.includes(undefined) ? undefined : items;
  },
};

/** tables accepts a list of tables, in the file only, and converts the names of members to lower case. */
export const tables: Reader = {
  allowed: 'a list of tables in the file',
  read(written) {
    if (!Array.isArray(written)) return undefined;
    return written.every(isTable) ? written.map(lowerNames) : undefined;
  },
};

export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(value instanceof Date);
}

function asText(written: unknown): string | undefined {
  if (typeof written === 'string') return written;
  return typeof written === 'number' || typeof written === 'boolean' ? String(written) : undefined;
}

function lowerNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerNames);
  if (!isTable(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toLowerCase(), lowerNames(member)]),
  );
}
