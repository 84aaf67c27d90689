/**
 * A part of a token: base64url of a JSON object. Refuses what is no UTF-8 or no object, and an object with two members
 * of one name: readers differ in which of them they take, and what is checked here is what PostgreSQL is to see.
 */
import { ServiceError } from '../errors.js';

/** An object and its text, compact and otherwise as it was sent: a parsed number may have lost digits. */
export interface TokenPart {
  readonly text: string;
  readonly object: Readonly<Record<string, unknown>>;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The tokens of JSON. */
const LEXEME = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g;

/** decodePart reads a part. Throws ServiceError `invalid_token`. */
export function decodePart(part: string): TokenPart {
  let text: string;
  let object: unknown;
  try {
    text = UTF8.decode(Buffer.from(part, 'base64url'));
    object = JSON.parse(text);
  } catch {
    throw new ServiceError('invalid_token');
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    throw new ServiceError('invalid_token');
  return { text: compact(text), object: object as Record<string, unknown> };
}

/** compact drops the white space of valid JSON. Throws ServiceError `invalid_token` at a repeated name. */
function compact(text: string): string {
  const open: Set<string>[] = [];
  let result = '';
  let last = '';
  for (const [lexeme] of text.matchAll(LEXEME)) {
    if (lexeme === '{' || lexeme === '[') open.push(new Set());
    else if (lexeme === '}' || lexeme === ']') open.pop();
    else if (lexeme === ':') {
      const name = JSON.parse(last) as string; // two spellings of one name are one name
      const names = open.at(-1)!;
      if (names.has(name)) throw new ServiceError('invalid_token');
      names.add(name);
    }
    result += lexeme;
    last = lexeme;
  }
  return result;
}
