/**
 * The printer: Go's fmt.Sprint, Sprintln and Sprintf for template values, also used to render a value. Follows Go's
 * fmt/print.go. Fails for refused values, for data nested too deeply and for text beyond the output limit, and if text
 * of a request forms SQL syntax together with adjacent text.
 */
import { normalize } from './byte-string.js';
import { Directives } from './directives.js';
import { FunctionFailure, RefusedValue } from './errors.js';
import { Flags } from './flags.js';
import { MAX_DATA_DEPTH, MAX_OUTPUT } from './limits.js';
import { formsSyntax } from './neighbours.js';
import type { Screening } from './data.js';
import { Complex, Counted, Tainted, Float, Refused, type Part } from './kinds.js';
import { List, MapValue, type Value } from './container.js';
import { integerOf, textOf, typeName, unbox } from './value.js';

/** sprint is fmt.Sprint: a space between adjacent operands if neither is a string. */
export function sprint(args: readonly Value[], screening?: Screening): string | Tainted {
  const printer = new Printer(screening);
  let text = true;
  args.forEach((arg, i) => {
    const isText = textOf(unbox(arg)) !== undefined;
    if (i > 0 && !isText && !text) printer.write(' ');
    printer.print(arg, 'v');
    text = isText;
  });
  return printer.finish();
}

/** sprintln is fmt.Sprintln: a space between operands, a newline at the end. */
export function sprintln(args: readonly Value[], screening?: Screening): string | Tainted {
  const printer = new Printer(screening);
  args.forEach((arg, i) => {
    if (i > 0) printer.write(' ');
    printer.print(arg, 'v');
  });
  printer.write('\n');
  return printer.finish();
}

/** sprintf is fmt.Sprintf. A tainted format is checked like the arguments. */
export function sprintf(
  format: string | Tainted,
  args: readonly Value[],
  screening?: Screening,
): string | Tainted {
  const printer = new Printer(screening);
  printer.printf(format, args);
  return printer.finish();
}

/** Printer collects output; ranges of it that come from a request are checked by `finish`. */
class Printer {
  readonly #screening: Screening | undefined;
  #out = '';
  #flags = new Flags();
  /** The formatted text of tainted values. */
  readonly #segments: Part[] = [];
  /** The ranges of that text that came from parameters. */
  readonly #parts: Part[] = [];
  #depth = 0;

  constructor(screening: Screening | undefined) {
    this.#screening = screening;
  }

  write(text: string): void {
    this.#out += text;
    if (this.#out.length > MAX_OUTPUT) throw new FunctionFailure('result exceeds 4 MiB');
  }

  /** finish returns the text, tainted if any segment is. */
  finish(): string | Tainted {
    const out = normalize(this.#out);
    if (this.#segments.length === 0) return out;
    for (const [start, end, origin] of this.#segments) {
      // For an empty segment both are the boundary between its neighbours.
      const before = start > 0 && formsSyntax(this.#out, start, false);
      const after = end < this.#out.length && formsSyntax(this.#out, end, start < end);
      if (before || after) throw new RefusedValue(origin);
    }
    const parts = out === this.#out ? this.#parts : this.#parts.map(this.#normal, this);
    return new Tainted(out, this.#segments[0]![2], parts);
  }

  /** A part with its offsets in the normalized text. */
  #normal([start, end, origin]: Part): Part {
    const at = (offset: number): number => normalize(this.#out.slice(0, offset)).length;
    return [at(start), at(end), origin];
  }

  /** Writes the text of a value; with an origin it is a segment. */
  #value(text: string, origin: string | undefined): void {
    const start = this.#out.length;
    this.write(text);
    if (origin === undefined) return;
    const segment: Part = [start, this.#out.length, origin];
    this.#segments.push(segment);
    this.#parts.push(segment);
  }

  print(boxed: Value, verb: string): void {
    const value = unbox(boxed);
    const flags = this.#flags;
    if (value instanceof Refused) throw new RefusedValue(value.parameter);
    if (value === undefined || value === null) {
      if (verb === 'v' || verb === 'T') this.write(flags.pad('<nil>'));
      else this.#badVerb(verb, value);
    } else if (verb === 'T') this.write(flags.pad(flags.truncate(typeName(value))));
    else if (verb === 'p' || verb === 'w') this.#badVerb(verb, value);
    else this.#printValue(value, verb);
  }

  #printValue(value: Value, verb: string): void {
    const flags = this.#flags;
    if (typeof value === 'boolean') {
      if (verb === 't' || verb === 'v') this.write(flags.pad(String(value)));
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
    const { text, origin, parts } = value;
    const before = this.#out.length;
    this.#string(text, origin, verb, value);
    if (parts === undefined) return;
    // A value composed of several texts keeps its parts if it is written unchanged, padded or not.
    const at = this.#out.indexOf(text, before);
    if (at < 0 || this.#parts.at(-1)?.[0] !== before) return;
    this.#parts.pop();
    for (const [start, end, one] of parts) this.#parts.push([at + start, at + end, one]);
  }

  #string(text: string, origin: string | undefined, verb: string, value: Value): void {
    const flags = this.#flags;
    if (verb === 'x' || verb === 'X') {
      this.#value(flags.hexBytes(text, verb === 'X'), origin);
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
    this.#value(quoted ? flags.quoted(cut) : flags.pad(cut), origin);
  }

  #integer(value: Value, verb: string): void {
    const n = BigInt(integerOf(value)!);
    const origin = value instanceof Counted ? value.origin : undefined;
    const flags = this.#flags;
    switch (verb) {
      case 'v':
        if (flags.sharpV && value instanceof Counted && value.type === 'uint8') {
          flags.sharp = true;
          this.write(flags.integer(n, 16, verb));
          flags.sharp = false;
        } else this.write(flags.integer(n, 10, verb));
        break;
      case 'd':
        this.write(flags.integer(n, 10, verb));
        break;
      case 'b':
        this.write(flags.integer(n, 2, verb));
        break;
      case 'o':
      case 'O':
        this.write(flags.integer(n, 8, verb));
        break;
      case 'x':
      case 'X':
        this.write(flags.integer(n, 16, verb));
        break;
      case 'c':
        this.#chosen(flags.character(n), origin);
        break;
      case 'q':
        this.#chosen(flags.quotedCharacter(n), origin);
        break;
      case 'U':
        this.#chosen(flags.unicode(n), origin);
        break;
      default:
        this.#badVerb(verb, value);
    }
  }

  /** A character whose code the request chose: it may be any character, so it is screened. */
  #chosen(text: string, origin: string | undefined): void {
    if (origin !== undefined && this.#screening?.(text) === false) throw new RefusedValue(origin);
    this.#value(text, origin);
  }

  #float(value: Float, verb: string): void {
    const text = this.#floatText(value.number, verb);
    if (text === undefined) this.#badVerb(verb, value);
    else this.write(text);
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
    this.write(`(${re}${this.#floatText(value.im, verb)!}i)`);
    flags.plus = plus;
  }

  #element(value: Value, verb: string, inInterface: boolean): void {
    if (value === undefined || value === null)
      this.write(this.#flags.sharpV && inInterface ? 'interface {}(nil)' : '<nil>');
    else this.#printValue(value, verb);
  }

  #enter(): void {
    if (++this.#depth > MAX_DATA_DEPTH)
      throw new FunctionFailure(`data is nested deeper than ${MAX_DATA_DEPTH}`);
  }

  #list(list: List, verb: string): void {
    this.#enter();
    const { sharpV } = this.#flags;
    this.write(sharpV ? `${list.typeName}{` : '[');
    for (let i = 0; i < list.length; i++) {
      if (i > 0) this.write(sharpV ? ', ' : ' ');
      this.#element(list.at(i), verb, !list.strings);
    }
    this.write(sharpV ? '}' : ']');
    this.#depth--;
  }

  #map(map: MapValue, verb: string): void {
    this.#enter();
    const { sharpV } = this.#flags;
    this.write(sharpV ? `${map.typeName}{` : 'map[');
    map.keys().forEach((key, i) => {
      if (i > 0) this.write(sharpV ? ', ' : ' ');
      this.#printValue(map.keyValue(key), verb);
      this.write(':');
      this.#element(map.get(key), verb, true);
    });
    this.write(sharpV ? '}' : ']');
    this.#depth--;
  }

  #badVerb(verb: string, value: Value): void {
    if (value === undefined || value === null) {
      this.write(`%!${verb}(<nil>)`);
      return;
    }
    this.write(`%!${verb}(${typeName(value)}=`);
    this.#printValue(value, 'v');
    this.write(')');
  }

  // Directives.

  printf(source: string | Tainted, args: readonly Value[]): void {
    const format = typeof source === 'string' ? source : source.text;
    const origin = typeof source === 'string' ? undefined : source.origin;
    const d = new Directives(format, args);
    while (!d.atEnd()) {
      const literal = d.literal();
      if (literal !== '') this.#value(literal, origin);
      if (d.atEnd()) break;
      const flags = (this.#flags = new Flags());
      const { verb, problem } = d.directive(flags, (text) => this.write(text));
      if (problem !== undefined) this.#value(problem, origin);
      else this.print(d.take(), verb);
    }
    this.#flags = new Flags();
    if (!d.leftOver) return;
    this.write('%!(EXTRA ');
    for (let first = true; d.leftOver; first = false) {
      const arg = unbox(d.take());
      if (!first) this.write(', ');
      if (arg !== undefined && arg !== null) this.write(`${typeName(arg)}=`);
      this.print(arg, 'v');
    }
    this.write(')');
  }
}
