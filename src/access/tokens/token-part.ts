/**
 * Decodes a part of a token: a JSON object in base64url. Refuses invalid UTF-8, other JSON values, and objects with a
 * repeated member name: parsers differ in which one they use, and PostgreSQL must see what was verified here.
 */
import { refusal } from './refusal.js';

/** An object and its text. The text is compact but otherwise as it was sent, because parsed numbers can lose digits. */
export interface TokenPart {
  readonly text: string;
  readonly object: Readonly<Record<string, unknown>>;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A lexeme of JSON. */
const LEXEME = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g;

/** decodePart reads a part. Throws ServiceError `invalid_token`. */
export function decodePart(part: string): TokenPart {
  let text: string;
  let object: unknown;
  try {
    text = UTF8.decode(Buffer.from(part, 'base64url'));
    object = JSON.parse(text);
  } catch {
    throw refusal('malformed');
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    throw refusal('malformed');
  return { text: compact(text), object: object as Record<string, unknown> };
}

/** compact removes the white space of valid JSON. Throws ServiceError `invalid_token` at a repeated member name. */
function compact(text: string): string {
  const open: Set<string>[] = [];
  let result = '';
  let last = '';
  for (const [lexeme] of text.matchAll(LEXEME)) {
    if (lexeme === '{' || lexeme === '[') open.push(new Set());
    else if (lexeme === '}' || lexeme === ']') open.pop();
    else if (lexeme === ':') {
      const name = JSON.parse(last) as string; // escapes are resolved
      const names = open.at(-1)!;
      if (names.has(name)) throw refusal('malformed');
      names.add(name);
    }
    result += lexeme;
    last = lexeme;
  }
  return result;
}
