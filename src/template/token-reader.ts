/**
 * The token reader: the tokens of a template with three tokens of look-ahead, and the errors of parsing, which have the
 * position of the last token lexed. Each tree has its own reader. Follows the first part of Go's
 * text/template/parse/parse.go.
 */
import { lineOf, positionOf } from '../base/position.js';
import { TemplateError } from './errors.js';
import type { Lexer } from './lexer.js';
import { MAX_NESTING } from './limits.js';
import type { Source } from './source.js';
import { describe, TokenType, type Token } from './token.js';

/** The text being parsed, with the state that the readers of all its trees share. */
export interface TokenSource extends Source {
  readonly lexer: Lexer;
  /** The number of parentheses and control structures that are open. */
  depth: number;
}

export class TokenReader {
  /** The offset of the action being parsed, or -1. */
  actionPos = -1;
  readonly #source: TokenSource;
  /** The last token lexed is the first. */
  readonly #tokens: [Token, Token, Token];
  #peeked = 0;

  constructor(source: TokenSource) {
    this.#source = source;
    const none = { type: TokenType.eof, pos: 0, value: '' };
    this.#tokens = [none, none, none];
  }

  next(): Token {
    if (this.#peeked > 0) this.#peeked--;
    else this.#tokens[0] = this.#source.lexer.next();
    return this.#tokens[this.#peeked]!;
  }

  peek(): Token {
    if (this.#peeked > 0) return this.#tokens[this.#peeked - 1]!;
    this.#peeked = 1;
    return (this.#tokens[0] = this.#source.lexer.next());
  }

  /** backup puts the last token back. */
  backup(): void {
    this.#peeked++;
  }

  /** backup2 puts `first` back in front of the token that is next. */
  backup2(first: Token): void {
    this.#tokens[1] = first;
    this.#peeked = 2;
  }

  /** backup3 puts `first` and `second` back in front of the token that is next. */
  backup3(first: Token, second: Token): void {
    this.#tokens[1] = second;
    this.#tokens[2] = first;
    this.#peeked = 3;
  }

  nextNonSpace(): Token {
    let token = this.next();
    while (token.type === TokenType.space) token = this.next();
    return token;
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.backup();
    return token;
  }

  expect(type: TokenType, context: string): Token {
    const token = this.nextNonSpace();
    return token.type === type ? token : this.unexpected(token, context);
  }

  /** nest parses something one level deeper; beyond the limit it fails with `message`. */
  nest<R>(parse: () => R, message = `exceeded maximum nesting depth (${MAX_NESTING})`): R {
    if (this.#source.depth >= MAX_NESTING) this.fail(message);
    this.#source.depth++;
    const result = parse();
    this.#source.depth--;
    return result;
  }

  fail(message: string, safe: string = message, hint?: string): never {
    const { name, text } = this.#source;
    const { pos } = this.#tokens[0];
    const place = `template: ${name}:${lineOf(text, pos)}: `;
    const position = positionOf(text, pos);
    throw new TemplateError('parse', { name, text }, position, place + message, place + safe, hint);
  }

  /** unexpected fails at a token that is not allowed there, or with the message of an error token. */
  unexpected(token: Token, context: string): never {
    if (token.type !== TokenType.error)
      this.fail(
        `unexpected ${describe(token)} in ${context}`,
        `unexpected ${describe(token, true)} in ${context}`,
      );
    let extra = '';
    const { name, text } = this.#source;
    const line = this.actionPos < 0 ? 0 : lineOf(text, this.actionPos);
    if (line !== 0 && line !== lineOf(text, token.pos)) {
      const place = `action started at ${name}:${line}`;
      extra = token.value.endsWith(' action') ? place.slice('action'.length) : ` in ${place}`;
    }
    this.fail(token.value + extra);
  }
}
