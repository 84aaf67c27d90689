/**
 * The types of declared parameters: which texts PostgreSQL accepts for them, in the forms that JSON and ISO 8601 have.
 * PostgreSQL still has the last word.
 */
import { compareText } from '../../base/text.js';
import { compareDecimals, isDecimal, magnitude } from './decimal.js';

export interface ParameterType {
  /** With its article, for messages. */
  readonly noun: string;
  isValid(value: string): boolean;
  /** Orders two valid values; undefined for a type without bounds. */
  readonly compare?: (a: string, b: string) => number;
}

const INTEGER = /^[+-]?\d+$/;

function whole(noun: string, bits: bigint): ParameterType {
  const limit = 2n ** (bits - 1n);
  return {
    noun,
    isValid: (value) => {
      if (!INTEGER.test(value) || value.length > 1_000) return false;
      const n = BigInt(value.startsWith('+') ? value.slice(1) : value);
      return n >= -limit && n < limit;
    },
    compare: compareDecimals,
  };
}

/** Digits before and after the point that numeric can have. */
const MOST_BEFORE = 131_072;
const MOST_AFTER = 16_383;

const NUMERIC: ParameterType = {
  noun: 'a number',
  isValid: (value) => {
    if (!isDecimal(value)) return false;
    const size = magnitude(value);
    return size <= MOST_BEFORE && size >= -MOST_AFTER;
  },
  compare: compareDecimals,
};

const DOUBLE: ParameterType = {
  noun: 'a number',
  isValid: (value) => {
    if (!isDecimal(value)) return false;
    const n = Number(value);
    // Too small is an error in PostgreSQL too.
    return Number.isFinite(n) && (n !== 0 || !/[1-9]/.test(value.replace(/[eE].*/, '')));
  },
  compare: compareDecimals,
};

const DATE = /^(\d{4,6})-(\d\d)-(\d\d)$/;
const TIME =
  /^([01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,9})?)?$|^24:00(?::00(?:\.0{1,9})?)?$/;
const ZONE = / ?(?:[zZ]|[+-](?:0\d|1[0-5])(?::?[0-5]\d)?)$/;
const LAST_YEAR = 294_275;

function isDate(value: string): boolean {
  const [, year, month, day] = (DATE.exec(value) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  if (year < 1 || year > LAST_YEAR || month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}

/** A date, or a date and a time, with or without a zone. */
function isTimestamp(value: string): boolean {
  const [, date = '', rest] = /^(\d+-\d\d-\d\d)(?:[T ](.*))?$/s.exec(value) ?? [];
  return isDate(date) && (rest === undefined || TIME.test(rest.replace(ZONE, '')));
}

/** Orders dates; a longer year is later. */
function compareDates(a: string, b: string): number {
  return a.length - b.length || compareText(a, b);
}

const ISO_INTERVAL =
  /^-?P(?=.)(?:[+-]?\d+(?:\.\d+)?[YMWD])*(?:T(?=.)(?:[+-]?\d+(?:\.\d+)?[HMS])*)?$/;
const UNIT =
  'microseconds?|milliseconds?|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|mons?|months?|y|yrs?|years?|decades?|centur(?:y|ies)|millenni(?:um|a)';
const INTERVAL_PART = new RegExp(
  `[+-]?\\d{1,15}(?:\\.\\d{1,15})? ?(?:${UNIT})(?![a-z])|[+-]?\\d{1,9}:[0-5]?\\d(?::[0-5]?\\d(?:\\.\\d{1,9})?)?`,
  'iy',
);

function isInterval(value: string): boolean {
  if (ISO_INTERVAL.test(value)) return true;
  const text = value.replace(/ ago$/i, '');
  let at = 0;
  while (at < text.length) {
    INTERVAL_PART.lastIndex = at;
    const part = INTERVAL_PART.exec(text)?.[0];
    if (part === undefined) return false;
    at += part.length;
    if (text.charAt(at) === ' ' && at + 1 < text.length) at++;
  }
  return at > 0;
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

const BOOLEAN = /^(?:t|tr|tru|true|f|fa|fal|fals|false|y|ye|yes|n|no|on|off|of|1|0)$/i;
const UUID = /^(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}$/i;

export const PARAMETER_TYPES: ReadonlyMap<string, ParameterType> = new Map([
  ['text', { noun: 'a text', isValid: () => true }],
  ['integer', whole('an integer', 32n)],
  ['bigint', whole('an integer of 64 bits', 64n)],
  ['numeric', NUMERIC],
  ['double', DOUBLE],
  ['boolean', { noun: 'true or false', isValid: (value) => BOOLEAN.test(value) }],
  ['uuid', { noun: 'a UUID', isValid: (value) => UUID.test(value.replace(/^\{(.*)\}$/, '$1')) }],
  ['date', { noun: 'a date (YYYY-MM-DD)', isValid: isDate, compare: compareDates }],
  ['time', { noun: 'a time (HH:MM:SS)', isValid: (value) => TIME.test(value) }],
  ['timestamp', { noun: 'a timestamp (YYYY-MM-DDTHH:MM:SS)', isValid: isTimestamp }],
  ['timestamptz', { noun: 'a timestamp (YYYY-MM-DDTHH:MM:SSZ)', isValid: isTimestamp }],
  ['interval', { noun: 'an interval (such as P1DT2H or 1 day 02:00)', isValid: isInterval }],
  ['json', { noun: 'JSON', isValid: isJson }],
]);
