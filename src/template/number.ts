/**
 * Parses number and character constants by the rules of Go's strconv and text/template. Invalid constants have Go's
 * error messages.
 */
import { quote, unquoteChar } from './quote.js';
import type { Value } from './container.js';
import { Complex, Float } from './kinds.js';

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** Constant is a value or an error; `overflow` is an error only if the constant is used. */
export type Constant =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'overflow' }
  | { readonly kind: 'error'; readonly message: string };

export function characterConstant(text: string): Constant {
  const char = unquoteChar(text, 1, "'");
  if (char === undefined) return { kind: 'error', message: 'invalid syntax' };
  if (text.slice(char.end) !== "'")
    return { kind: 'error', message: `malformed character constant: ${text}` };
  return { kind: 'value', value: char.value };
}

export function complexConstant(text: string): Constant {
  const parts = /^(.*[^eEpP])([+-].*)i$/.exec(text);
  const re = parts && parseFloatConstant(parts[1]!);
  const im = parts && parseFloatConstant(parts[2]!);
  if (re === null || re === undefined || im === null || im === undefined)
    return { kind: 'error', message: 'syntax error scanning complex number' };
  return { kind: 'value', value: new Complex(re, im) };
}

/** numberConstant parses an integer, floating-point or imaginary constant. */
export function numberConstant(text: string): Constant {
  if (text.endsWith('i')) {
    const im = parseFloatConstant(text.slice(0, -1));
    if (im !== undefined) return { kind: 'value', value: new Complex(0, im) };
  }
  const integer = parseInteger(text);
  const signed = /^[+-]/.test(text);
  const isInt = integer !== undefined && integer >= MIN_INT && integer <= MAX_INT;
  const isUint = integer !== undefined && !signed && integer <= MAX_UINT;
  if (isInt || isUint) {
    // A signed hexadecimal constant with an e among its digits counts as floating-point: Go looks at the letters.
    if (/[.eEpP]/.test(text) && !/^0[xX]/.test(text))
      return { kind: 'value', value: new Float(Number(integer)) };
    return isInt ? { kind: 'value', value: toInt(integer) } : { kind: 'overflow' };
  }
  const float = parseFloatConstant(text);
  if (float === undefined)
    return { kind: 'error', message: `illegal number syntax: ${quote(text)}` };
  if (!/[.eEpP]/.test(text)) return { kind: 'error', message: `integer overflow: ${quote(text)}` };
  if (/^0[xX][^pP]+$/.test(text)) return { kind: 'overflow' };
  return { kind: 'value', value: new Float(float) };
}

/** toInt is the value of an int: a number if that is exact, else a bigint. */
export function toInt(n: bigint): number | bigint {
  return n >= BigInt(Number.MIN_SAFE_INTEGER) && n <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(n)
    : n;
}

/** parseInteger follows strconv.ParseInt with base 0, without a range check. */
function parseInteger(text: string): bigint | undefined {
  if (!underscoresOk(text)) return undefined;
  const plain = text.replaceAll('_', '');
  const match = /^([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/.exec(
    plain,
  );
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const digits = hex ? `0x${hex}` : binary ? `0b${binary}` : octal ? `0o${octal}` : decimal!;
  // A constant of this many digits is out of every range; its value does not matter.
  const n = digits.length > 100 ? 2n ** 64n : BigInt(digits);
  return sign === '-' ? -n : n;
}

/** parseFloatConstant follows strconv.ParseFloat: undefined for invalid syntax and for overflow. */
function parseFloatConstant(text: string): number | undefined {
  if (!underscoresOk(text)) return undefined;
  const plain = text.replaceAll('_', '');
  if (/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(plain)) {
    const n = Number(plain);
    return Number.isFinite(n) ? n : undefined;
  }
  const match = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]+)$/.exec(plain);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', power] = match;
  if (whole + fraction === '') return undefined;
  const n = scale(BigInt(`0x${whole}${fraction}`), Number(power) - 4 * fraction.length);
  if (!Number.isFinite(n)) return undefined;
  return sign === '-' ? -n : n;
}

/** scale is mantissa * 2^exponent, rounded once, to even. */
function scale(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0;
  const bits = mantissa.toString(2).length;
  // Bits below a double's last one are folded into a single sticky bit before the one rounding of Number().
  const keep = Math.min(55, Math.max(2, bits + exponent + 1076));
  const drop = bits - keep;
  if (drop > 0) {
    const low = mantissa & ((1n << BigInt(drop)) - 1n);
    mantissa = (mantissa >> BigInt(drop)) | (low === 0n ? 0n : 1n);
    exponent += drop;
  }
  if (bits + exponent > 1100) return Infinity;
  if (exponent >= -1000) return Number(mantissa) * 2 ** exponent;
  return Number(mantissa) * 2 ** -500 * 2 ** Math.max(exponent + 500, -1074);
}

/** underscoresOk follows strconv's underscoreOK: underscores only between digits, or after a base prefix. */
function underscoresOk(text: string): boolean {
  if (!text.includes('_')) return true;
  let rest = text.replace(/^[+-]/, '');
  let last = '';
  const hex = /^0[xX]/.test(rest);
  if (/^0[xXbBoO]/.test(rest)) {
    rest = rest.slice(2);
    last = '0';
  }
  for (const c of rest) {
    if (hex ? /[0-9a-fA-F]/.test(c) : /[0-9]/.test(c)) last = '0';
    else if (c === '_') {
      if (last !== '0') return false;
      last = '_';
    } else {
      if (last === '_') return false;
      last = '!';
    }
  }
  return last !== '_';
}
