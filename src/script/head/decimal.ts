/** Decimal numbers of any length, as text: compared without losing digits. */

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

interface Decimal {
  readonly negative: boolean;
  /** Significant digits, the first of which is not 0; empty for zero. */
  readonly digits: string;
  /** Places of the first digit before the point: 3 for 123, 0 for 0.1, -1 for 0.01. */
  readonly magnitude: number;
}

/** isDecimal tells whether a text is a decimal number, with or without an exponent. */
export function isDecimal(text: string): boolean {
  const [, , before = '', after = ''] = DECIMAL.exec(text) ?? [];
  return before !== '' || after !== '';
}

/** magnitude is the number of digits before the point; 0 or negative for a number below 1, 0 for zero. */
export function magnitude(text: string): number {
  return read(text).magnitude;
}

/** compareDecimals orders two decimal numbers. */
export function compareDecimals(a: string, b: string): number {
  const x = read(a);
  const y = read(b);
  const signs = sign(x) - sign(y);
  if (signs !== 0 || x.digits === '') return signs;
  const larger =
    x.magnitude - y.magnitude || (x.digits < y.digits ? -1 : x.digits > y.digits ? 1 : 0);
  return x.negative ? -larger : larger;
}

function sign({ negative, digits }: Decimal): number {
  return digits === '' ? 0 : negative ? -1 : 1;
}

function read(text: string): Decimal {
  const [, minus, before = '', after = '', exponent = '0'] = DECIMAL.exec(text)!;
  const all = before + after;
  const first = all.search(/[1-9]/);
  if (first === -1) return { negative: false, digits: '', magnitude: 0 };
  let end = all.length;
  while (all.charCodeAt(end - 1) === 0x30) end--;
  return {
    negative: minus === '-',
    digits: all.slice(first, end),
    magnitude: before.length - first + Number(exponent),
  };
}
