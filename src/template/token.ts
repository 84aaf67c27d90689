/**
 * Tokens of templates, and how parse errors name them.
 */
import { quote } from './quote.js';

/** Types of tokens; those from `block` on are keywords. */
export const TokenType = {
  error: 0,
  bool: 1,
  char: 2,
  charConstant: 3,
  complex: 4,
  assign: 5,
  declare: 6,
  eof: 7,
  field: 8,
  identifier: 9,
  leftDelim: 10,
  leftParen: 11,
  number: 12,
  pipe: 13,
  rawString: 14,
  rightDelim: 15,
  rightParen: 16,
  space: 17,
  string: 18,
  text: 19,
  variable: 20,
  block: 21,
  break: 22,
  continue: 23,
  dot: 24,
  define: 25,
  else: 26,
  end: 27,
  if: 28,
  nil: 29,
  range: 30,
  template: 31,
  with: 32,
} as const;
export type TokenType = (typeof TokenType)[keyof typeof TokenType];

/** Token is a range of the text; with type error, `value` is the message. */
export interface Token {
  readonly type: TokenType;
  readonly pos: number;
  readonly value: string;
}

/** describe names a token for parse errors; with `safe`, without the text of constants. */
export function describe(token: Token, safe = false): string {
  const { type, value } = token;
  if (type === TokenType.eof) return 'EOF';
  if (type === TokenType.error) return value;
  if (type >= TokenType.block) return `<${value}>`;
  if (
    safe &&
    (type === TokenType.string ||
      type === TokenType.rawString ||
      type === TokenType.charConstant ||
      type === TokenType.text)
  )
    return type === TokenType.text ? 'text' : 'constant';
  const chars = Array.from(value.slice(0, 22));
  return value.length > 10 ? `${quote(chars.slice(0, 10).join(''))}...` : quote(value);
}
