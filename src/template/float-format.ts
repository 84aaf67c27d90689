/**
 * Floating-point numbers in the formats b, e, E, f, g, G, x and X of Go's strconv.FormatFloat. With a precision the
 * digits are exact and rounded half to even; without one they are the shortest that parse to the same number.
 */

/** Decimal is 0.d1d2d3… × 10^point. */
interface Decimal {
  digits: string;
  point: number;
}

/** formatFloat writes a number; a negative precision means the shortest form. */
export function formatFloat(value: number, format: string, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const abs = Math.abs(value);
  switch (format) {
    case 'b':
      return sign + binary(abs);
    case 'x':
    case 'X': {
      const text = sign + hexadecimal(abs, precision);
      return format === 'X' ? text.toUpperCase() : text;
    }
  }
  const shortest = precision < 0;
  const decimal = shortest ? shortestDecimal(abs) : exactDecimal(abs);
  switch (format) {
    case 'e':
    case 'E': {
      const p = shortest ? Math.max(decimal.digits.length - 1, 0) : precision;
      return sign + exponential(shortest ? decimal : roundTo(decimal, p + 1), p, format);
    }
    case 'f': {
      const p = shortest ? Math.max(decimal.digits.length - decimal.point, 0) : precision;
      return sign + fixed(shortest ? decimal : roundTo(decimal, decimal.point + p), p);
    }
    default:
      return sign + general(decimal, precision, format === 'g' ? 'e' : 'E');
  }
}

function general(decimal: Decimal, precision: number, mark: string): string {
  const shortest = precision < 0;
  const wanted = shortest ? 6 : Math.max(precision, 1);
  const rounded = shortest ? decimal : roundTo(decimal, wanted);
  const { length } = rounded.digits;
  const limit = !shortest && wanted > length && length >= rounded.point ? length : wanted;
  const exponent = rounded.point - 1;
  if (exponent < -4 || exponent >= limit) return exponential(rounded, length - 1, mark);
  return fixed(rounded, Math.max(length - rounded.point, 0));
}

function exponential({ digits, point }: Decimal, precision: number, mark: string): string {
  const first = digits[0] ?? '0';
  const rest = precision > 0 ? `.${digits.slice(1, precision + 1).padEnd(precision, '0')}` : '';
  const exponent = digits === '' ? 0 : point - 1;
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${first}${rest}${mark}${exponent < 0 ? '-' : '+'}${size}`;
}

function fixed({ digits, point }: Decimal, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (precision <= 0) return whole;
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  return `${whole}.${fraction.slice(0, precision).padEnd(precision, '0')}`;
}

function shortestDecimal(abs: number): Decimal {
  if (abs === 0) return { digits: '', point: 0 };
  const [mantissa = '', exponent] = abs.toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** Mantissa and exponent of abs = mantissa × 2^exponent; the mantissa has 53 bits unless abs is subnormal. */
function split(abs: number): [mantissa: bigint, exponent: number] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, abs);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  return exponent === 0 ? [fraction, -1074] : [fraction | (1n << 52n), exponent - 1075];
}

function exactDecimal(abs: number): Decimal {
  if (abs === 0) return { digits: '', point: 0 };
  const [mantissa, exponent] = split(abs);
  const digits =
    exponent >= 0
      ? (mantissa << BigInt(exponent)).toString()
      : (mantissa * 5n ** BigInt(-exponent)).toString();
  const point = digits.length - (exponent >= 0 ? 0 : -exponent);
  return { digits: digits.replace(/0+$/, ''), point };
}

/** roundTo keeps n digits, rounding half to even. */
function roundTo({ digits, point }: Decimal, n: number): Decimal {
  if (n >= digits.length) return { digits, point };
  if (n < 0) return { digits: '', point: 0 };
  const next = digits[n]!;
  const half = next === '5' && n + 1 === digits.length;
  const up = half ? n > 0 && Number(digits[n - 1]) % 2 === 1 : next >= '5';
  const kept = digits.slice(0, n);
  if (!up) {
    const trimmed = kept.replace(/0+$/, '');
    return { digits: trimmed, point: trimmed === '' ? 0 : point };
  }
  const nines = /9*$/.exec(kept)![0].length;
  if (nines === n) return { digits: '1', point: point + 1 };
  const last = n - nines - 1;
  return { digits: kept.slice(0, last) + String(Number(kept[last]) + 1), point };
}

function binary(abs: number): string {
  const [mantissa, exponent] = split(abs);
  return `${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`;
}

/** hexadecimal is %x: one digit, the fraction in hexadecimal, a binary exponent. */
function hexadecimal(abs: number, precision: number): string {
  let [mantissa, exponent] = split(abs);
  if (mantissa === 0n) exponent = 0;
  else {
    const bits = mantissa.toString(2).length;
    mantissa <<= BigInt(53 - bits);
    exponent += bits - 1;
  }
  // One digit before the point, 13 of fraction.
  if (precision >= 0 && precision < 13) {
    const drop = BigInt(52 - 4 * precision);
    const low = mantissa & ((1n << drop) - 1n);
    const half = 1n << (drop - 1n);
    mantissa >>= drop;
    if (low > half || (low === half && mantissa % 2n === 1n)) mantissa++;
    mantissa <<= drop;
    if (mantissa >> 53n > 0n) {
      mantissa >>= 1n;
      exponent++;
    }
  }
  const first = mantissa >> 52n;
  let fraction = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, '0');
  fraction =
    precision < 0
      ? fraction.replace(/0+$/, '')
      : fraction.slice(0, precision).padEnd(precision, '0');
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `0x${first}${fraction === '' ? '' : `.${fraction}`}p${exponent < 0 ? '-' : '+'}${size}`;
}
