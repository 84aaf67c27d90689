/**
 * Flags, width and precision of a printf directive, and the formatting of a single value with them: padding, integers,
 * floats, hexadecimal strings, quoted text. Follows Go's fmt/format.go.
 */
import { byteLength, countRunes, firstRunes, isAscii, runeText, toBytes } from './byte-string.js';
import { formatFloat } from './float-format.js';
import { canBackquote, isPrint, quote, quoteRune } from './quote.js';

const MAX_RUNE = 0x10ffffn;

/** Flags holds one directive; every method returns the formatted, padded text. */
export class Flags {
  minus = false;
  plus = false;
  sharp = false;
  space = false;
  zero = false;
  /** The flags + and # of %v, where they have another meaning. */
  plusV = false;
  sharpV = false;
  width: number | undefined;
  precision: number | undefined;

  pad(text: string, zero: boolean = this.zero): string {
    if (this.width === undefined || this.width === 0) return text;
    const fill = this.width - countRunes(text);
    if (fill <= 0) return text;
    if (this.minus) return text + ' '.repeat(fill);
    return (zero ? '0' : ' ').repeat(fill) + text;
  }

  /** Text cut to the precision, before padding. */
  truncate(text: string): string {
    return this.precision === undefined ? text : firstRunes(text, this.precision);
  }

  quoted(text: string): string {
    if (this.sharp && canBackquote(text)) return this.pad(`\`${text}\``);
    return this.pad(quote(text, this.plus));
  }

  character(n: bigint): string {
    return this.pad(runeText(runeOf(n)));
  }

  quotedCharacter(n: bigint): string {
    return this.pad(quoteRune(runeOf(n), this.plus));
  }

  unicode(n: bigint): string {
    const u = BigInt.asUintN(64, n);
    let text = `U+${u
      .toString(16)
      .toUpperCase()
      .padStart(Math.max(this.precision ?? 0, 4), '0')}`;
    if (this.sharp && u <= MAX_RUNE && isPrint(Number(u))) text += ` '${runeText(Number(u))}'`;
    return this.pad(text, false);
  }

  /** An integer in a base: verbs d, b, o, O, x, X and v. */
  integer(n: bigint, base: 2 | 8 | 10 | 16, verb: string): string {
    const negative = n < 0n;
    let digits = (negative ? -n : n).toString(base);
    if (verb === 'X') digits = digits.toUpperCase();
    let least = this.precision ?? 0;
    if (this.precision !== undefined) {
      // A zero with precision 0 has no digits, only padding.
      if (least === 0 && n === 0n) return ' '.repeat(this.width ?? 0);
    } else if (this.zero && !this.minus && this.width !== undefined) {
      least = this.width - (negative || this.plus || this.space ? 1 : 0);
    }
    digits = digits.padStart(least, '0');
    if (this.sharp) {
      if (base === 2) digits = `0b${digits}`;
      else if (base === 8) digits = digits.startsWith('0') ? digits : `0${digits}`;
      else if (base === 16) digits = `0${verb === 'X' ? 'X' : 'x'}${digits}`;
    }
    if (verb === 'O') digits = `0o${digits}`;
    const sign = negative ? '-' : this.plus ? '+' : this.space ? ' ' : '';
    return this.pad(sign + digits, false);
  }

  /** A float in a format of strconv; the directive's precision overrides the standard one. */
  float(value: number, format: string, standard: number): string {
    const precision = this.precision ?? standard;
    let text = formatFloat(value, format, precision);
    const sign = /^[+-]/.test(text) ? text[0]! : '+';
    if (/^[+-]/.test(text)) text = text.slice(1);
    const shown = sign === '-' || this.plus ? sign : this.space ? ' ' : '';
    if (!/^\d/.test(text)) return this.pad(shown + text, false);
    if (this.sharp && format !== 'b') text = keepZeros(text, format, precision);
    const { width } = this;
    if (shown !== '' && this.zero && !this.minus && width !== undefined)
      return shown + text.padStart(width - 1, '0');
    return this.pad(shown + text);
  }

  /** The bytes of text in hexadecimal. */
  hexBytes(text: string, upper: boolean): string {
    const bytes = toBytes(this.precision === undefined ? text : firstBytes(text, this.precision));
    const length = Math.min(bytes.length, this.precision ?? bytes.length);
    if (length === 0) return this.pad('');
    const prefix = this.sharp ? '0x' : '';
    let out = prefix;
    if (this.space)
      out += Array.from(bytes.subarray(0, length), (b) => b.toString(16).padStart(2, '0')).join(
        ` ${prefix}`,
      );
    else out += bytes.toString('hex', 0, length);
    return this.pad(upper ? out.toUpperCase() : out);
  }
}

/** Enough of the text's characters for n bytes. */
function firstBytes(text: string, n: number): string {
  return byteLength(text) > n && isAscii(text) ? text.slice(0, n) : text;
}

function runeOf(n: bigint): number {
  return n >= 0n && n <= MAX_RUNE ? Number(n) : -1;
}

/** keepZeros is the flag #: a decimal point always, and the zeros that %g leaves out. */
function keepZeros(text: string, format: string, precision: number): string {
  const hex = format === 'x' || format === 'X';
  const at = text.search(hex ? /[pP]/ : /[eE]/);
  const tail = at < 0 ? '' : text.slice(at);
  let number = at < 0 ? text : text.slice(0, at);
  let missing = 0;
  if (format === 'g' || format === 'G' || format === 'x')
    missing = precision === -1 ? 6 : precision;
  const digits = number.replace('.', '');
  const significant = digits.search(/[^0]/);
  if (significant >= 0) missing -= digits.length - significant;
  if (!number.includes('.')) {
    if (number === '0') missing--;
    number += '.';
  }
  return number + '0'.repeat(Math.max(missing, 0)) + tail;
}
