/** The errors of a request's body: the fault and its position, never the content. */
import { ServiceError } from '../../base/errors.js';
import { positionOf } from '../../base/position.js';

export function invalidBody(what: string): ServiceError {
  return new ServiceError('invalid_body', `invalid request body: ${what}`);
}

/** invalidBodyAt adds the line and the column of an offset in its text. */
export function invalidBodyAt(what: string, text: string, offset: number): ServiceError {
  const { line, column } = positionOf(text, offset);
  return invalidBody(`${what} at line ${line}, column ${column}`);
}
