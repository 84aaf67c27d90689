/**
 * Parser of printf formats: flags, width, precision, argument numbers, verb. Follows doPrintf of Go's fmt/print.go,
 * which reports bad formats in the output (`%!d(MISSING)` …) instead of failing.
 */
import type { Flags } from './flags.js';
import type { Value } from './container.js';
import { integerOf, unbox } from './value.js';

/** Largest width or precision; a larger one counts as none. */
const LARGEST = 1_000_000;

/** Directive is a verb, or the `problem` that is printed instead of a value. */
export interface Directive {
  readonly verb: string;
  readonly problem: string | undefined;
}

export class Directives {
  readonly #format: string;
  readonly #args: readonly Value[];
  #pos = 0;
  #arg = 0;
  #reordered = false;
  #goodNumber = true;
  #afterNumber = false;

  constructor(format: string, args: readonly Value[]) {
    this.#format = format;
    this.#args = args;
  }

  atEnd(): boolean {
    return this.#pos >= this.#format.length;
  }

  /** Whether the format left arguments unused; false if it used argument numbers. */
  get leftOver(): boolean {
    return !this.#reordered && this.#arg < this.#args.length;
  }

  take(): Value {
    return this.#args[this.#arg++];
  }

  /** literal reads the text up to the next percent sign. */
  literal(): string {
    const start = this.#pos;
    const percent = this.#format.indexOf('%', start);
    this.#pos = percent < 0 ? this.#format.length : percent;
    return this.#format.slice(start, this.#pos);
  }

  /** directive reads the directive at a percent sign into `flags`; `note` receives errors in its parts. */
  directive(flags: Flags, note: (text: string) => void): Directive {
    this.#begin();
    this.#flags(flags);
    this.#argNumber();
    this.#width(flags, note);
    this.#precision(flags, note);
    if (!this.#afterNumber) this.#argNumber();
    if (this.atEnd()) return { verb: '', problem: '%!(NOVERB)' };
    const verb = String.fromCodePoint(this.#format.codePointAt(this.#pos)!);
    this.#pos += verb.length;
    if (verb === '%') return { verb, problem: '%' };
    if (!this.#goodNumber) return { verb, problem: `%!${verb}(BADINDEX)` };
    if (this.#arg >= this.#args.length) return { verb, problem: `%!${verb}(MISSING)` };
    if (verb === 'v' || verb === 'w') {
      flags.sharpV = flags.sharp;
      flags.sharp = false;
      flags.plusV = flags.plus;
      flags.plus = false;
    }
    return { verb, problem: undefined };
  }

  #begin(): void {
    this.#pos++;
    this.#goodNumber = true;
    this.#afterNumber = false;
  }

  #flags(flags: Flags): void {
    for (; ; this.#pos++) {
      const c = this.#format[this.#pos];
      if (c === '#') flags.sharp = true;
      else if (c === '0') flags.zero = true;
      else if (c === '+') flags.plus = true;
      else if (c === '-') flags.minus = true;
      else if (c === ' ') flags.space = true;
      else return;
    }
  }

  #accept(c: string): boolean {
    if (this.#format[this.#pos] !== c) return false;
    this.#pos++;
    return true;
  }

  #width(flags: Flags, note: (text: string) => void): void {
    if (this.#accept('*')) {
      flags.width = this.#integerArg();
      if (flags.width === undefined) note('%!(BADWIDTH)');
      else if (flags.width < 0) {
        flags.width = -flags.width;
        flags.minus = true;
        flags.zero = false;
      }
      this.#afterNumber = false;
      return;
    }
    flags.width = this.#number();
    if (this.#afterNumber && flags.width !== undefined) this.#goodNumber = false;
  }

  #precision(flags: Flags, note: (text: string) => void): void {
    if (this.#pos + 1 >= this.#format.length || !this.#accept('.')) return;
    if (this.#afterNumber) this.#goodNumber = false;
    this.#argNumber();
    if (this.#accept('*')) {
      const n = this.#integerArg();
      if (n !== undefined && n >= 0) flags.precision = n;
      else note('%!(BADPREC)');
      this.#afterNumber = false;
    } else flags.precision = this.#number() ?? 0;
  }

  /** A number in the format. One that is too large consumes the rest of the format, as in Go. */
  #number(): number | undefined {
    let n: number | undefined;
    for (; ; this.#pos++) {
      const c = this.#format.charCodeAt(this.#pos) - 48;
      if (!(c >= 0 && c <= 9)) return n;
      if (n !== undefined && n > LARGEST) {
        this.#pos = this.#format.length;
        return undefined;
      }
      n = (n ?? 0) * 10 + c;
    }
  }

  #integerArg(): number | undefined {
    if (this.#arg >= this.#args.length) return undefined;
    const n = integerOf(unbox(this.take()));
    return n === undefined || n > LARGEST || n < -LARGEST ? undefined : Number(n);
  }

  /** A bracketed argument number such as [2]. */
  #argNumber(): void {
    this.#afterNumber = false;
    if (this.#format[this.#pos] !== '[') return;
    this.#reordered = true;
    const rest = this.#format.slice(this.#pos, this.#pos + 16);
    const close = this.#format.indexOf(']', this.#pos + 1);
    if (this.#format.length - this.#pos < 3 || close < 0) {
      this.#pos++;
      this.#goodNumber = false;
      return;
    }
    const match = /^\[(\d+)\]/.exec(rest);
    this.#pos = close + 1;
    const index = match === null ? NaN : Number(match[1]) - 1;
    if (index >= 0 && index < this.#args.length) {
      this.#arg = index;
      this.#afterNumber = true;
      return;
    }
    this.#goodNumber = false;
    this.#afterNumber = match !== null;
  }
}
