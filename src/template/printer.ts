/**
 * The printer: Go's fmt.Sprint, Sprintln and Sprintf for template values, also used to render a value. Follows Go's
 * fmt/print.go. Fails for refused values, for data nested too deeply and for text beyond the output limit, and if text
 * of a request forms SQL syntax together with adjacent text.
 */
import { Directives } from './directives.js';
import { FunctionFailure, RefusedValue } from './errors.js';
import { Flags } from './flags.js';
import { MAX_DATA_DEPTH } from './limits.js';
import type { Screening } from './data.js';
import { Complex, Counted, Tainted, Float, Refused } from './kinds.js';
import { List, MapValue, type Value } from './container.js';
import { PrintedText } from './printed-text.js';
import { integerOf, textOf, typeName, unbox } from './value.js';

/** sprint is fmt.Sprint: a space between adjacent operands if neither is a string. */
export function sprint(args: readonly Value[], screening?: Screening): string | Tainted {
  const printer = new Printer(screening);
  let text = true;
  args.forEach((arg, i) => {
    const isText = textOf(unbox(arg)) !== undefined;
    if (i > 0 && !isText && !text) printer.text.write(' ');
    printer.print(arg, 'v');
    text = isText;
  });
  return printer.text.finish();
}

/** sprintln is fmt.Sprintln: a space between operands, a newline at the end. */
export function sprintln(args: readonly Value[], screening?: Screening): string | Tainted {
  const printer = new Printer(screening);
  args.forEach((arg, i) => {
    if (i > 0) printer.text.write(' ');
    printer.print(arg, 'v');
  });
  printer.text.write('\n');
  return printer.text.finish();
}

/** sprintf is fmt.Sprintf. A tainted format is checked like the arguments. */
export function sprintf(
  format: string | Tainted,
  args: readonly Value[],
  screening?: Screening,
): string | Tainted {
  const printer = new Printer(screening);
  printer.printf(format, args);
  return printer.text.finish();
}

/** The bases of the verbs of integers. */
const BASES: Readonly<Record<string, 2 | 8 | 10 | 16>> = { b: 2, o: 8, O: 8, d: 10, x: 16, X: 16 };

/** Printer formats values by their kinds and a verb. */
class Printer {
  readonly #screening: Screening | undefined;
  readonly text = new PrintedText();
  #flags = new Flags();
  #depth = 0;

  constructor(screening: Screening | undefined) {
    this.#screening = screening;
  }

  print(boxed: Value, verb: string): void {
    const value = unbox(boxed);
    const flags = this.#flags;
    if (value instanceof Refused) throw new RefusedValue(value.parameter);
    if (value === undefined || value === null) {
      if (verb === 'v' || verb === 'T') this.text.write(flags.pad('<nil>'));
      else this.#badVerb(verb, value);
    } else if (verb === 'T') this.text.write(flags.pad(flags.truncate(typeName(value))));
    else if (verb === 'p' || verb === 'w') this.#badVerb(verb, value);
    else this.#printValue(value, verb);
  }

  #printValue(value: Value, verb: string): void {
    const flags = this.#flags;
    if (typeof value === 'boolean') {
      if (verb === 't' || verb === 'v') this.text.write(flags.pad(String(value)));
      else this.#badVerb(verb, value);
    } else if (typeof value === 'string') this.#string(value, undefined, verb, value);
    else if (value instanceof Tainted) this.#tainted(value, verb);
    else if (value instanceof Float) this.#float(value, verb);
    else if (value instanceof Complex) this.#complex(value, verb);
    else if (value instanceof List) this.#list(value, verb);
    else if (value instanceof MapValue) this.#map(value, verb);
    else if (value instanceof Refused) throw new RefusedValue(value.parameter);
    else this.#integer(value, verb);
  }

  #tainted(value: Tainted, verb: string): void {
    const start = this.text.length;
    this.#string(value.text, value.origin, verb, value);
    this.text.compose(start, value);
  }

  #string(text: string, origin: string | undefined, verb: string, value: Value): void {
    const flags = this.#flags;
    if (verb === 'x' || verb === 'X') {
      this.text.value(flags.hexBytes(text, verb === 'X'), origin);
      return;
    }
    if (verb !== 'v' && verb !== 's' && verb !== 'q') {
      this.#badVerb(verb, value);
      return;
    }
    const cut = flags.truncate(text);
    // The screen accepted the whole value, but a prefix of it may be a keyword.
    if (origin !== undefined && cut !== text && this.#screening?.(cut) === false)
      throw new RefusedValue(origin);
    const quoted = verb === 'q' || (verb === 'v' && flags.sharpV);
    this.text.value(quoted ? flags.quoted(cut) : flags.pad(cut), origin);
  }

  #integer(value: Value, verb: string): void {
    const n = BigInt(integerOf(value)!);
    const origin = value instanceof Counted ? value.origin : undefined;
    const flags = this.#flags;
    const base = BASES[verb];
    if (base !== undefined) this.text.write(flags.integer(n, base, verb));
    else if (verb === 'v') {
      const byte = flags.sharpV && value instanceof Counted && value.type === 'uint8';
      if (byte) flags.sharp = true;
      this.text.write(flags.integer(n, byte ? 16 : 10, verb));
      if (byte) flags.sharp = false;
    } else if (verb === 'c') this.#chosen(flags.character(n), origin);
    else if (verb === 'q') this.#chosen(flags.quotedCharacter(n), origin);
    else if (verb === 'U') this.#chosen(flags.unicode(n), origin);
    else this.#badVerb(verb, value);
  }

  /** A character whose code the request chose: it may be any character, so it is screened. */
  #chosen(text: string, origin: string | undefined): void {
    if (origin !== undefined && this.#screening?.(text) === false) throw new RefusedValue(origin);
    this.text.value(text, origin);
  }

  #float(value: Float, verb: string): void {
    const text = this.#floatText(value.number, verb);
    if (text === undefined) this.#badVerb(verb, value);
    else this.text.write(text);
  }

  #floatText(value: number, verb: string): string | undefined {
    const flags = this.#flags;
    if (verb === 'v') return flags.float(value, 'g', -1);
    if ('bgGxX'.includes(verb)) return flags.float(value, verb, -1);
    if ('feE'.includes(verb)) return flags.float(value, verb, 6);
    return verb === 'F' ? flags.float(value, 'f', 6) : undefined;
  }

  #complex(value: Complex, verb: string): void {
    const flags = this.#flags;
    const re = this.#floatText(value.re, verb);
    if (re === undefined) {
      this.#badVerb(verb, value);
      return;
    }
    const { plus } = flags;
    flags.plus = true;
    this.text.write(`(${re}${this.#floatText(value.im, verb)!}i)`);
    flags.plus = plus;
  }

  #element(value: Value, verb: string, inInterface: boolean): void {
    if (value === undefined || value === null)
      this.text.write(this.#flags.sharpV && inInterface ? 'interface {}(nil)' : '<nil>');
    else this.#printValue(value, verb);
  }

  #enter(): void {
    if (++this.#depth > MAX_DATA_DEPTH)
      throw new FunctionFailure(`data is nested deeper than ${MAX_DATA_DEPTH}`);
  }

  #list(list: List, verb: string): void {
    this.#enter();
    const { sharpV } = this.#flags;
    this.text.write(sharpV ? `${list.typeName}{` : '[');
    for (let i = 0; i < list.length; i++) {
      if (i > 0) this.text.write(sharpV ? ', ' : ' ');
      this.#element(list.at(i), verb, !list.strings);
    }
    this.text.write(sharpV ? '}' : ']');
    this.#depth--;
  }

  #map(map: MapValue, verb: string): void {
    this.#enter();
    const { sharpV } = this.#flags;
    this.text.write(sharpV ? `${map.typeName}{` : 'map[');
    map.keys().forEach((key, i) => {
      if (i > 0) this.text.write(sharpV ? ', ' : ' ');
      this.#printValue(map.keyValue(key), verb);
      this.text.write(':');
      this.#element(map.get(key), verb, true);
    });
    this.text.write(sharpV ? '}' : ']');
    this.#depth--;
  }

  #badVerb(verb: string, value: Value): void {
    if (value === undefined || value === null) {
      this.text.write(`%!${verb}(<nil>)`);
      return;
    }
    this.text.write(`%!${verb}(${typeName(value)}=`);
    this.#printValue(value, 'v');
    this.text.write(')');
  }

  // Directives.

  printf(source: string | Tainted, args: readonly Value[]): void {
    const format = typeof source === 'string' ? source : source.text;
    const origin = typeof source === 'string' ? undefined : source.origin;
    const d = new Directives(format, args);
    while (!d.atEnd()) {
      const literal = d.literal();
      if (literal !== '') this.text.value(literal, origin);
      if (d.atEnd()) break;
      const flags = (this.#flags = new Flags());
      const { verb, problem } = d.directive(flags, (text) => this.text.write(text));
      if (problem !== undefined) this.text.value(problem, origin);
      else this.print(d.take(), verb);
    }
    this.#flags = new Flags();
    if (!d.leftOver) return;
    this.text.write('%!(EXTRA ');
    for (let first = true; d.leftOver; first = false) {
      const arg = unbox(d.take());
      if (!first) this.text.write(', ');
      if (arg !== undefined && arg !== null) this.text.write(`${typeName(arg)}=`);
      this.print(arg, 'v');
    }
    this.text.write(')');
  }
}
