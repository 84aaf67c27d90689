/** The errors of a request's body: what is wrong with it and where; never what it contains. */
import { ServiceError } from '../errors.js';

/** invalidBody says what is wrong with a body. */
export function invalidBody(what: string): ServiceError {
  return new ServiceError('invalid_body', `invalid request body: ${what}`);
}

/** invalidBodyAt adds the line and the column of an offset in its text (UTF-16 units), from 1 and in characters. */
export function invalidBodyAt(what: string, text: string, offset: number): ServiceError {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < start; at = text.indexOf('\n', at + 1))
    line++;
  let column = 1;
  for (let at = start; at < offset; at++) if (!isLowSurrogate(text.charCodeAt(at))) column++;
  return invalidBody(`${what} at line ${line}, column ${column}`);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
