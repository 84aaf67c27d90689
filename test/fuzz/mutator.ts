/**
 * Mutates texts of a corpus: deletes, repeats, moves and replaces parts, adds tokens of the format, and joins texts. A text of
 * bytes has one character for each.
 */
import type { Random } from '../../bench/random.js';

/** Longest result, UTF-16 units. */
const LONGEST = 4_096;

/** Most changes of a text. */
const CHANGES = 8;

const NUMBERS = ['0', '-1', '1', '007', '2147483648', '9007199254740993', '1e400', '-0', '0.5', '99999999999999999999']; // prettier-ignore

/** Characters that formats treat differently, beside those of the text itself. */
const TEXT = ['\0', '\t', '\n', '\r', ' ', '"', "'", '\\', '{', '}', '[', ']', '(', ')', '<', '>', '&', '=', '%', '+', '#', ';', ':', ',', '.', '/', '*', '-', '$', '@', '`', '|', '~', 'a', 'Z', '0', '9', '_', '\x7f', '\x80', '\xa0', 'é', '\u0130', '\u2028', '\ufeff', '\ufffd', '\ud83d', '\ude00', '😀']; // prettier-ignore

export class Mutator {
  readonly #corpus: readonly string[];
  readonly #tokens: readonly string[];
  readonly #bytes: boolean;

  /** `bytes` tells whether texts are bytes. */
  constructor(corpus: readonly string[], tokens: readonly string[], bytes = false) {
    this.#corpus = corpus;
    this.#tokens = tokens;
    this.#bytes = bytes;
  }

  /** next gives a text of the corpus after some changes, sometimes none. */
  next(random: Random): string {
    return this.mutate(random, random.pick(this.#corpus));
  }

  /** mutate gives a text after some changes, sometimes none. */
  mutate(random: Random, text: string): string {
    let changed = text;
    const most = random.next() < 0.7 ? 3 : CHANGES;
    for (let left = random.between(0, most); left > 0; left--) {
      changed = this.#change(random, changed);
      if (changed.length > LONGEST) changed = changed.slice(0, LONGEST);
    }
    return changed;
  }

  #change(random: Random, text: string): string {
    const at = random.between(0, text.length);
    const end = Math.min(text.length, at + this.#length(random));
    const part = text.slice(at, end);
    const before = text.slice(0, at);
    const after = text.slice(end);
    switch (random.between(0, 11)) {
      case 0:
      case 1:
        return before + random.pick(this.#tokens) + text.slice(at);
      case 2:
        return before + random.pick(this.#tokens) + after;
      case 3:
        return before + after;
      case 4:
        return before + part + part + after;
      case 5:
        return before + part.repeat(random.between(2, 150)) + after;
      case 6:
        return before + this.#character(random) + text.slice(at + 1);
      case 7:
        return before + this.#character(random) + text.slice(at);
      case 8: {
        const other = random.pick(this.#corpus);
        return before + other.slice(random.between(0, other.length));
      }
      case 9: {
        const other = random.pick(this.#corpus);
        const from = random.between(0, other.length);
        return before + other.slice(from, from + this.#length(random)) + after;
      }
      case 10: {
        const to = random.between(0, before.length + after.length);
        const rest = before + after;
        return rest.slice(0, to) + part + rest.slice(to);
      }
      default:
        return before + text.slice(at).replace(/\d+/, () => random.pick(NUMBERS));
    }
  }

  #length(random: Random): number {
    return random.next() < 0.8 ? random.between(1, 8) : random.between(1, 80);
  }

  #character(random: Random): string {
    if (this.#bytes) return String.fromCharCode(random.between(0, 255));
    return random.next() < 0.9 ? random.pick(TEXT) : String.fromCharCode(random.between(0, 0xffff));
  }
}
