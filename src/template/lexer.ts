/**
 * The lexer: converts template text to tokens. Follows Go's text/template/parse/lex.go state by state, so that tokens
 * and error messages are the same. Offsets are UTF-16 units of the text.
 */
import { isPrint, quote } from './quote.js';
import { TokenType, type Token } from './token.js';

const KEYWORDS: ReadonlyMap<string, TokenType> = new Map(
  (
    'block break continue define else end if range nil template with'.split(
      ' ',
    ) as (keyof typeof TokenType)[]
  ).map((word) => [word, TokenType[word]]),
);

const WORD = /^[\p{L}\p{Nd}_]$/u;

/** isAlphaNumeric tells whether a character may be part of a name: a letter, a decimal digit, an underscore. */
function isAlphaNumeric(c: string): boolean {
  const code = c.charCodeAt(0);
  if (code < 0x80)
    return (
      (code >= 97 && code <= 122) ||
      (code >= 65 && code <= 90) ||
      (code >= 48 && code <= 57) ||
      code === 95
    );
  return WORD.test(c);
}

function isSpace(c: string | undefined): boolean {
  return c === ' ' || c === '\t' || c === '\r' || c === '\n';
}

/** Lexer returns one token per call of `next`; after an error token, only end-of-file tokens. */
export class Lexer {
  #input: string;
  #pos = 0;
  #start = 0;
  #parens = 0;
  #inside = false;

  constructor(input: string) {
    this.#input = input;
  }

  next(): Token {
    return this.#inside ? this.#lexInside() : this.#lexText();
  }

  #emit(type: TokenType): Token {
    const token = { type, pos: this.#start, value: this.#input.slice(this.#start, this.#pos) };
    this.#start = this.#pos;
    return token;
  }

  #error(message: string): Token {
    const token = { type: TokenType.error, pos: this.#start, value: message };
    this.#input = '';
    this.#pos = this.#start = 0;
    this.#inside = false;
    return token;
  }

  /** The whole character at the position; empty at the end. */
  #peek(): string {
    const code = this.#input.codePointAt(this.#pos);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  #accept(set: string): boolean {
    const c = this.#input[this.#pos];
    if (c === undefined || !set.includes(c)) return false;
    this.#pos++;
    return true;
  }

  #acceptRun(set: string): void {
    while (this.#accept(set));
  }

  #acceptWord(): string {
    let c = this.#peek();
    while (c !== '' && isAlphaNumeric(c)) {
      this.#pos += c.length;
      c = this.#peek();
    }
    return c;
  }

  #lexText(): Token {
    for (;;) {
      const open = this.#input.indexOf('{{', this.#pos);
      if (open < 0) {
        this.#pos = this.#input.length;
        return this.#emit(this.#pos > this.#start ? TokenType.text : TokenType.eof);
      }
      if (open > this.#pos) {
        let end = open;
        if (this.#hasLeftTrim(open + 2))
          while (end > this.#start && isSpace(this.#input[end - 1])) end--;
        this.#pos = end;
        const text = this.#emit(TokenType.text);
        this.#pos = this.#start = open;
        if (text.value !== '') return text;
      }
      const afterMarker = open + (this.#hasLeftTrim(open + 2) ? 4 : 2);
      if (!this.#input.startsWith('/*', afterMarker)) {
        this.#pos = open + 2;
        const token = this.#emit(TokenType.leftDelim);
        this.#pos = this.#start = afterMarker;
        this.#inside = true;
        this.#parens = 0;
        return token;
      }
      this.#pos = this.#start = afterMarker;
      const problem = this.#skipComment();
      if (problem !== undefined) return this.#error(problem);
    }
  }

  #skipComment(): string | undefined {
    const end = this.#input.indexOf('*/', this.#pos + 2);
    if (end < 0) return 'unclosed comment';
    this.#pos = end + 2;
    const delim = this.#rightDelim();
    if (delim === 0) return 'comment ends before closing delimiter';
    this.#pos += delim;
    if (delim > 2) this.#skipSpaces();
    this.#start = this.#pos;
    return undefined;
  }

  #hasLeftTrim(at: number): boolean {
    return this.#input[at] === '-' && isSpace(this.#input[at + 1]);
  }

  /** Length of the right delimiter at a position, with its trim marker, or 0. */
  #rightDelim(at: number = this.#pos): number {
    if (this.#input.startsWith('}}', at)) return 2;
    const marked =
      isSpace(this.#input[at]) &&
      this.#input[at + 1] === '-' &&
      this.#input.startsWith('}}', at + 2);
    return marked ? 4 : 0;
  }

  #skipSpaces(): void {
    while (isSpace(this.#input[this.#pos])) this.#pos++;
  }

  #lexRightDelim(): Token {
    const trim = this.#rightDelim() > 2;
    if (trim) this.#start = this.#pos += 2;
    this.#pos += 2;
    const token = this.#emit(TokenType.rightDelim);
    if (trim) {
      this.#skipSpaces();
      this.#start = this.#pos;
    }
    this.#inside = false;
    return token;
  }

  #lexInside(): Token {
    if (this.#rightDelim() > 0)
      return this.#parens === 0 ? this.#lexRightDelim() : this.#error('unclosed left paren');
    const c = this.#peek();
    if (isSpace(c)) return this.#lexSpace();
    this.#pos += c.length;
    switch (c) {
      case '':
        return this.#error('unclosed action');
      case '=':
        return this.#emit(TokenType.assign);
      case ':':
        return this.#accept('=') ? this.#emit(TokenType.declare) : this.#error('expected :=');
      case '|':
        return this.#emit(TokenType.pipe);
      case '"':
        return this.#lexQuoted('"', TokenType.string, 'quoted string');
      case "'":
        return this.#lexQuoted("'", TokenType.charConstant, 'character constant');
      case '`':
        return this.#lexRaw();
      case '$':
        return this.#lexName(TokenType.variable, TokenType.variable);
      case '(':
        this.#parens++;
        return this.#emit(TokenType.leftParen);
      case ')':
        return --this.#parens < 0
          ? this.#error('unexpected right paren')
          : this.#emit(TokenType.rightParen);
    }
    const digit = (s: string | undefined) => s !== undefined && s >= '0' && s <= '9';
    if (c === '.' && this.#pos < this.#input.length && !digit(this.#input[this.#pos]))
      return this.#lexName(TokenType.field, TokenType.dot);
    this.#pos -= c.length;
    if (c === '.' || c === '+' || c === '-' || digit(c)) return this.#lexNumber();
    if (isAlphaNumeric(c)) return this.#lexIdentifier();
    this.#pos += c.length;
    const rune = c.codePointAt(0)!;
    if (rune < 0x80 && isPrint(rune)) return this.#emit(TokenType.char);
    return this.#error(`unrecognized character in action: ${unicodeName(c)}`);
  }

  #lexSpace(): Token {
    this.#skipSpaces();
    // The last space may belong to a right delimiter with a trim marker.
    if (this.#rightDelim(this.#pos - 1) > 2) {
      this.#pos--;
      if (this.#pos === this.#start) return this.#lexRightDelim();
    }
    return this.#emit(TokenType.space);
  }

  #lexIdentifier(): Token {
    const stop = this.#acceptWord();
    if (!this.#atTerminator()) return this.#error(`bad character ${unicodeName(stop)}`);
    const word = this.#input.slice(this.#start, this.#pos);
    if (word === 'true' || word === 'false') return this.#emit(TokenType.bool);
    return this.#emit(KEYWORDS.get(word) ?? TokenType.identifier);
  }

  /** A field or a variable after its first character; of type `bare` if no name follows. */
  #lexName(type: TokenType, bare: TokenType): Token {
    if (this.#atTerminator()) return this.#emit(bare);
    const stop = this.#acceptWord();
    if (!this.#atTerminator()) return this.#error(`bad character ${unicodeName(stop)}`);
    return this.#emit(type);
  }

  #atTerminator(): boolean {
    const c = this.#input[this.#pos];
    if (c === undefined || isSpace(c) || '.,|:)('.includes(c)) return true;
    return this.#input.startsWith('}}', this.#pos);
  }

  #lexQuoted(mark: string, type: TokenType, what: string): Token {
    for (;;) {
      const c = this.#input[this.#pos++];
      if (c === mark) return this.#emit(type);
      const escaped = c === '\\' ? this.#input[this.#pos++] : c;
      if (escaped === undefined || escaped === '\n') return this.#error(`unterminated ${what}`);
    }
  }

  #lexRaw(): Token {
    const end = this.#input.indexOf('`', this.#pos);
    if (end < 0) return this.#error('unterminated raw quoted string');
    this.#pos = end + 1;
    return this.#emit(TokenType.rawString);
  }

  #lexNumber(): Token {
    let type: TokenType = TokenType.number;
    let good = this.#scanNumber();
    const sign = this.#input[this.#pos];
    if (good && (sign === '+' || sign === '-')) {
      type = TokenType.complex;
      good = this.#scanNumber() && this.#input[this.#pos - 1] === 'i';
    }
    if (good) return this.#emit(type);
    return this.#error(`bad number syntax: ${quote(this.#input.slice(this.#start, this.#pos))}`);
  }

  #scanNumber(): boolean {
    this.#accept('+-');
    let digits = '0123456789_';
    let exponent = 'eE';
    if (this.#accept('0')) {
      if (this.#accept('xX')) {
        digits = '0123456789abcdefABCDEF_';
        exponent = 'pP';
      } else if (this.#accept('oO')) {
        digits = '01234567_';
        exponent = '';
      } else if (this.#accept('bB')) {
        digits = '01_';
        exponent = '';
      }
    }
    this.#acceptRun(digits);
    if (this.#accept('.')) this.#acceptRun(digits);
    if (this.#accept(exponent)) {
      this.#accept('+-');
      this.#acceptRun('0123456789_');
    }
    this.#accept('i');
    const c = this.#peek();
    if (c === '' || !isAlphaNumeric(c)) return true;
    this.#pos += c.length;
    return false;
  }
}

/** unicodeName is Go's %#U: the code point, and the character when it can be printed. */
function unicodeName(c: string): string {
  const rune = c.codePointAt(0)!;
  const name = `U+${rune.toString(16).toUpperCase().padStart(4, '0')}`;
  return isPrint(rune) ? `${name} '${c}'` : name;
}
